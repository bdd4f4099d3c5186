"""Typed values: code reads the syntax, a classifier judges the meaning, a gate lets through what is sure."""

from stt_daemon.values.candidates import At, Candidate, Span
from stt_daemon.values.fields import Field, FieldSet, FieldsProblem, Thresholds, parse_fields
from stt_daemon.values.finders import Search, find
from stt_daemon.values.gate import MOST_CANDIDATES, Outcome, Status
from stt_daemon.values.questions import probability
from stt_daemon.values.reading import Asked, ask, settle
from stt_daemon.values.typed import Kind, Value
from stt_daemon.values.zones import SystemZone, zone_named

__all__ = [
    "MOST_CANDIDATES",
    "Asked",
    "At",
    "Candidate",
    "Field",
    "FieldSet",
    "FieldsProblem",
    "Kind",
    "Outcome",
    "Search",
    "Span",
    "Status",
    "SystemZone",
    "Thresholds",
    "Value",
    "ask",
    "find",
    "parse_fields",
    "probability",
    "settle",
    "zone_named",
]
