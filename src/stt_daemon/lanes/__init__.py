"""Lanes: one worker thread each, one engine, every job answered once. No model library is loaded here."""
