"""The gate: from probabilities to a value, or to none. Pure; any thread.

A value leaves it only if exactly one candidate is clearly meant, nothing speaks against it, and every other
is clearly not meant. Values come from the candidates alone; probabilities choose, they never make one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from stt_daemon.values.candidates import Candidate, Span
from stt_daemon.values.fields import Field
from stt_daemon.values.questions import guard_id, main_id
from stt_daemon.values.typed import Value

MOST_CANDIDATES = 3
"""With more of them than this in one text nothing is asked."""

Status = Literal["accepted", "unclear", "unparseable", "absent"]


@dataclass(frozen=True)
class Outcome:
    """What became of one field. `spans` quotes the words it is about; a value is there only if accepted."""

    field: str
    status: Status
    value: Value | None = None
    spans: tuple[Span, ...] = ()
    why: str = ""

    @property
    def quoted(self) -> str:
        """The words it is about, for showing."""
        return " … ".join(span.text for span in self.spans)


def decide(field: Field, candidates: tuple[Candidate, ...], answers: Mapping[str, float | None]) -> Outcome:
    """The outcome of a field from the probability of yes for each question id; what is missing is unsure."""
    if not candidates:
        return Outcome(field.name, "absent")
    if len(candidates) > MOST_CANDIDATES:
        return too_many(field, candidates)
    limits = field.thresholds
    confirmed: list[Candidate] = []
    doubts: list[tuple[Candidate, str]] = []
    for number, candidate in enumerate(candidates, start=1):
        main = _sure(answers.get(main_id(field, number)))
        if main is not None and main < limits.rejected:
            continue
        if main is None or main < limits.present:
            doubts.append((candidate, "no answer" if main is None else "not sure that it is meant"))
            continue
        against = _against(field, number, answers)
        if against:
            doubts.append((candidate, f"it may be something else: {', '.join(against)}"))
        else:
            confirmed.append(candidate)
    if doubts:
        spans = tuple(candidate.span for candidate, _ in doubts) + tuple(one.span for one in confirmed)
        return Outcome(field.name, "unclear", spans=spans, why=doubts[0][1])
    if not confirmed:
        return Outcome(field.name, "absent")
    spans = tuple(candidate.span for candidate in confirmed)
    if len(confirmed) > 1:
        return Outcome(field.name, "unclear", spans=spans, why="more than one is meant")
    if confirmed[0].value is None:
        return Outcome(field.name, "unparseable", spans=spans, why=confirmed[0].why)
    return Outcome(field.name, "accepted", confirmed[0].value, spans)


def too_many(field: Field, candidates: tuple[Candidate, ...]) -> Outcome:
    """More candidates than are asked about."""
    spans = tuple(candidate.span for candidate in candidates[: MOST_CANDIDATES + 1])
    return Outcome(field.name, "unparseable", spans=spans, why=f"more than {MOST_CANDIDATES} candidates")


def _against(field: Field, number: int, answers: Mapping[str, float | None]) -> list[str]:
    """The guards that are not clearly denied."""
    limit = field.thresholds.guard
    chances = {guard: _sure(answers.get(guard_id(field, number, guard))) for guard in field.guards}
    return [guard for guard, chance in chances.items() if chance is None or chance > limit]


def _sure(probability: float | None) -> float | None:
    """The probability, None for what is none (missing, not a number, out of range)."""
    if probability is None or not 0 <= probability <= 1:
        return None
    return probability
