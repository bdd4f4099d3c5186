"""Measurements, run by hand: `python -m tests.bench.NAME`. None of them can fail a test run."""
