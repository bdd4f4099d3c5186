"""What Laya's answers say: one item a question, and which of them deserve a look. Pure; any thread."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from stt_daemon.triage.questions import Question

ConfidenceField = Literal["answer_confidence", "confidence"]

SCORE_ARM = 0.5
"""A score is marked from this share of its highest level on."""


@dataclass(frozen=True)
class Signals:
    """The normalised answers. See `messages.TriageChanged` for the items; what is unknown in one is None."""

    order: tuple[str, ...] = ()
    items: tuple[dict[str, Any], ...] = ()
    escalated: bool = False
    input_tokens: int = 0

    def p(self, qid: str) -> float | None:
        """The probability of a noul question; None if there is no such answer or it is no number."""
        for item in self.items:
            if item["qid"] == qid:
                p: float | None = item.get("p")
                return p
        return None


def read_signals(
    questions: Iterable[Question],
    answers: Mapping[str, Any],
    *,
    confidence_field: ConfidenceField,
    escalate_threshold: float,
    choice_min_confidence: float,
    input_tokens: int,
    unsure: Collection[str] = (),
) -> Signals:
    """Normalise the answers. `unsure`: choices whose answer did not stand when it was asked again.

    An answer that is missing or holds no number where one belongs is flagged, and never raises.
    """
    items: list[dict[str, Any]] = []
    for question in questions:
        found = answers.get(question.qid)
        answer: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
        if question.settled:
            answer = {"choice": question.labels[0], confidence_field: 1.0}
        confidence = _share(answer.get(confidence_field))
        match question.type:
            case "noul":
                values, alarm = _noul(answer, escalate_threshold)
            case "choice":
                values, alarm = _choice(question, answer, confidence, choice_min_confidence)
                alarm = alarm or question.qid in unsure
            case "score":
                values, alarm = _score(question, answer)
        flagged = alarm or confidence is None
        items.append(
            {
                "qid": question.qid,
                "type": question.type,
                "flagged": flagged,
                "confidence": confidence,
                **values,
            }
        )
    return Signals(
        tuple(item["qid"] for item in items),
        tuple(items),
        any(item["flagged"] for item in items),
        input_tokens,
    )


def _noul(answer: Mapping[str, Any], threshold: float) -> tuple[dict[str, Any], bool]:
    p = _share(answer.get("noul"))
    return {"p": p}, p is None or p >= threshold


def _choice(
    question: Question, answer: Mapping[str, Any], confidence: float | None, least: float
) -> tuple[dict[str, Any], bool]:
    selected = answer.get("choice")
    known = isinstance(selected, str) and selected in question.labels
    sure = known and (question.settled or (confidence is not None and confidence >= least))
    return {"selected": selected if known else None}, not sure


def _score(question: Question, answer: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    top = len(question.labels) - 1
    expected = _number(answer.get("score"))
    if expected is None:
        return {"expected": None, "level": None, "label": None}, True
    level = min(max(math.floor(expected + 0.5), 0), top)
    values = {"expected": expected, "level": level, "label": question.labels[level]}
    return values, expected >= top * SCORE_ARM


def _share(value: Any) -> float | None:
    """A number from 0 to 1, None for anything else."""
    number = _number(value)
    return number if number is not None and 0.0 <= number <= 1.0 else None


def _number(value: Any) -> float | None:
    """A finite number, None for anything else; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None
