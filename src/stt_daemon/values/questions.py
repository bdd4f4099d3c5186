"""The questions about candidates: one row for the meaning of each, and one for each of its guards. Pure.

A row states how code read the words, so that what is confirmed is the value and not only the words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from stt_daemon.domain.text import plain
from stt_daemon.values.candidates import Candidate
from stt_daemon.values.fields import Field

YES, NO = "yes", "no"
QUOTED_LIMIT = 80
"""Characters of a span in a question; the words a candidate is made of are far fewer."""

NOT_READ = "not read as one exact value"

_PLACE = re.compile(r"\{(span|reading)\}")


def main_id(field: Field, number: int) -> str:
    """The id of the main question about a field's candidate; numbers begin at 1."""
    return f"{field.name}.{number}"


def guard_id(field: Field, number: int, guard: str) -> str:
    return f"{field.name}.{number}.{guard}"


def rows(
    field: Field, candidates: tuple[Candidate, ...], *, swapped: bool = False
) -> dict[str, dict[str, Any]]:
    """The question rows of one field by id. `swapped` puts "no" before "yes", for a second opinion."""
    found: dict[str, dict[str, Any]] = {}
    for number, candidate in enumerate(candidates, start=1):
        found[main_id(field, number)] = _row(field.question, candidate, swapped)
        for guard, template in field.guards.items():
            found[guard_id(field, number, guard)] = _row(template, candidate, swapped)
    return found


def probability(answer: Mapping[str, Any]) -> float | None:
    """The probability of yes in an answer of the classifier; None if it holds none from 0 to 1."""
    probabilities = answer.get("probabilities")
    value = probabilities.get(YES) if isinstance(probabilities, Mapping) else answer.get("noul")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def _row(template: str, candidate: Candidate, swapped: bool) -> dict[str, Any]:
    span = plain(candidate.span.text)
    span = span if len(span) <= QUOTED_LIMIT else span[: QUOTED_LIMIT - 1] + "…"
    reading = NOT_READ if candidate.value is None else f"read as {candidate.value}"
    filled = _PLACE.sub(lambda hit: span if hit[1] == "span" else reading, template)
    options = {YES: "yes, it is", NO: "no, it is not"}
    return {
        "type": "choice",
        "instructions": filled,
        "criteria": dict(reversed(options.items())) if swapped else options,
    }
