"""Triage: signals about what is said, and the brief whose facts code owns.

Pure; loads no model library and no HTTP library, writes no file.
"""
