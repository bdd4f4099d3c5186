"""Reading values in two steps: what to ask about a text, and what the answers make of it. Pure; any thread.

Between the two steps stands the classifier, which is somebody else's: `Asked.questions` goes out, the
probability of yes for each question id comes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from stt_daemon.values.candidates import At, Candidate
from stt_daemon.values.fields import Field, FieldSet
from stt_daemon.values.finders import Text
from stt_daemon.values.gate import MOST_CANDIDATES, Outcome, decide, too_many
from stt_daemon.values.questions import rows


@dataclass(frozen=True)
class Asked:
    """A text with its candidates by field; only fields that have some, at most three, are in it.

    `settled` holds the outcomes that need no answer. Without questions nobody has to be asked.
    """

    text: str
    candidates: tuple[tuple[Field, tuple[Candidate, ...]], ...]
    questions: dict[str, dict[str, Any]]
    settled: tuple[Outcome, ...]


def ask(
    fields: FieldSet | tuple[Field, ...],
    text: str,
    *,
    now: datetime,
    zone: tzinfo,
    near: Mapping[str, datetime] | None = None,
    swapped: bool = False,
) -> Asked:
    """What to ask about a text said at `now` (aware). `near`: by field, what its clock times refer to."""
    cut = Text(text)
    open_fields: list[tuple[Field, tuple[Candidate, ...]]] = []
    questions: dict[str, dict[str, Any]] = {}
    settled: list[Outcome] = []
    for field in fields.fields if isinstance(fields, FieldSet) else fields:
        found = cut.find(field.search, At(now, zone, (near or {}).get(field.name)))
        if len(found) > MOST_CANDIDATES:
            settled.append(too_many(field, found))
        elif found:
            open_fields.append((field, found))
            questions.update(rows(field, found, swapped=swapped))
    return Asked(text, tuple(open_fields), questions, tuple(settled))


def settle(asked: Asked, answers: Mapping[str, float | None]) -> tuple[Outcome, ...]:
    """The outcomes worth showing, those that needed no answer first; what nobody meant is left out."""
    decided = [decide(field, candidates, answers) for field, candidates in asked.candidates]
    return tuple(outcome for outcome in (*asked.settled, *decided) if outcome.status != "absent")
