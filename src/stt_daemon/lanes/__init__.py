"""Lanes: one worker thread each, one engine, every job answered once. Importing loads no model library."""
