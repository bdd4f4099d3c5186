"""Triage: what matters in the transcript. Pure; loads no model library, no HTTP library, writes no file."""
