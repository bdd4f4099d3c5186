"""Whether Laya's answers can be believed: a choice is asked twice, a checkpoint gets two opposite statements.

Pure functions; any thread.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

PROBE_LINES = ("- The release is finished, it went out to every customer this morning.",)

PROBES: dict[str, Any] = {
    "finished": {"type": "noul", "instructions": "The release is finished and was sent to the customers."},
    "unfinished": {"type": "noul", "instructions": "The release is not finished and no customer has it."},
}
"""A statement and its opposite, about the lines above."""

FULL_CONFIDENCE = 0.99


def suspicion(answers: Mapping[str, Any]) -> str:
    """Why the answers to the probes give the checkpoint away, "" if they do not."""
    both = [answers.get(qid, {}).get("noul") for qid in PROBES]
    shares = [p for p in both if isinstance(p, (int, float)) and math.isfinite(p)]
    if len(shares) < len(both):
        return "its answers are no numbers"
    if min(shares) >= FULL_CONFIDENCE or max(shares) <= 1 - FULL_CONFIDENCE:
        return "it gives a statement and its opposite the same answer, with full confidence"
    return ""


def with_twins(questions: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The questions and, for each choice, a twin with its options in reverse; and which twin is whose."""
    asked = dict(questions)
    twins: dict[str, str] = {}
    for qid, definition in questions.items():
        if definition["type"] != "choice":
            continue
        twin = f"{qid} (reversed)"
        while twin in asked:
            twin += "'"
        criteria = definition["criteria"]
        turned = dict(reversed(criteria.items())) if isinstance(criteria, dict) else criteria[::-1]
        asked[twin] = {**definition, "criteria": turned}
        twins[qid] = twin
    return asked, twins


def changed_by_order(answers: Mapping[str, Any], twins: Mapping[str, str]) -> tuple[str, ...]:
    """The choices that chose another option when they were asked in reverse."""
    return tuple(
        qid
        for qid, twin in twins.items()
        if answers.get(qid, {}).get("choice") != answers.get(twin, {}).get("choice")
    )


def plain_response(response: Mapping[str, Any]) -> dict[str, Any]:
    """What a call returned as data that any JSON reader takes: None for NaN and infinities.

    Each answer's advice on whether to act is left out: it rests on nothing that was calibrated.
    """
    answers = {
        qid: {key: value for key, value in answer.items() if key != "action"}
        for qid, answer in response.get("answers", {}).items()
    }
    plain: dict[str, Any] = _plain({**response, "answers": answers})
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
