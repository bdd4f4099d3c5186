"""Typed values from what was said: code reads the syntax, a classifier judges the meaning, a gate joins both."""
