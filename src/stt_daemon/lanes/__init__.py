"""Lanes: one worker thread each, one engine, every job answered once. Importing this loads no model library."""
