"""Triage: signals about what is said, and the brief whose facts code owns. Pure; belongs to one thread."""
