"""How good the classifier's answers were, measured against what a person wrote into `labels.json`. Pure.

A label belongs to an utterance and is looked for in the first classification that saw it. A yes-or-no
question that is labelled anywhere counts as labelled "no" wherever it says nothing: one lists what is there.
A choice, or a level, counts only where it is labelled.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stt_daemon.triage.gate import GATE_QUESTION

BINS = 10
"""Bins of equal width for the calibration error: the usual number."""

Labels = Mapping[str, Mapping[str, Any]]
"""Utterance id to question id to what is true of it."""


@dataclass(frozen=True)
class Judged:
    """One classification: the utterances it was the first to see, and its items (see TriageChanged)."""

    utterances: tuple[str, ...]
    items: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class _Sample:
    """One answer against its label. `alert`: it was marked; `due`: it should have been.

    `sure` is the probability that the answer gave to `held`, or None where it gave none.
    """

    alert: bool
    due: bool
    sure: float | None
    held: bool


def read_labels(body: Any) -> dict[str, dict[str, Any]]:
    """The labels in a parsed `labels.json`. Raises ValueError for anything else."""
    if not isinstance(body, list):
        raise ValueError("it must be a list")  # noqa: TRY004 - a property of the file
    labels: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(body, 1):
        match entry:
            case {"utterance": str(utterance), "labels": dict(of_one)}:
                labels.setdefault(utterance, {}).update(of_one)
            case _:
                raise ValueError(f'entry {number} is not {{"utterance": ID, "labels": {{...}}}}')
    return labels


def measure(judged: Sequence[Judged], labels: Labels, *, hours: float) -> dict[str, Any]:
    """Figures for each labelled question, and for each threshold the value with the best F1."""
    samples: dict[str, list[_Sample]] = {}
    kinds: dict[str, str] = {}
    labelled = {qid for of_one in labels.values() for qid in of_one}
    for one in judged:
        for item in one.items:
            qid = str(item["qid"])
            if qid in labelled and (sample := _sample(item, one.utterances, labels)) is not None:
                kinds[qid] = str(item["type"])
                samples.setdefault(qid, []).append(sample)
    yes_no = [s for qid, of_one in samples.items() if kinds[qid] == "noul" for s in of_one]
    choices = [s for qid, of_one in samples.items() if kinds[qid] == "choice" for s in of_one]
    return {
        "questions": {qid: _figures(of_one, hours) for qid, of_one in samples.items()},
        "thresholds": {
            "escalate_threshold": _best(yes_no, below=False),
            "brief_gate_threshold": _best(samples.get(GATE_QUESTION, []), below=False),
            "choice_min_confidence": _best(choices, below=True),
        },
    }


def _sample(item: Mapping[str, Any], utterances: Iterable[str], labels: Labels) -> _Sample | None:
    qid, alert = str(item["qid"]), bool(item.get("flagged"))
    said = [labels[name][qid] for name in utterances if qid in labels.get(name, {})]
    if item["type"] == "noul":
        due = any(value is True for value in said)
        return _Sample(alert, due, _finite(item.get("p")), due)
    if not said:
        return None
    if item["type"] == "choice":
        right = item.get("selected") == said[-1]
        return _Sample(alert, not right, _finite(item.get("confidence")), right)
    if isinstance(said[-1], bool):
        return _Sample(alert, said[-1], None, said[-1])
    right = said[-1] in (item.get("level"), item.get("label"))
    return _Sample(alert, not right, _finite(item.get("confidence")), right)


def _figures(samples: Sequence[_Sample], hours: float) -> dict[str, Any]:
    hits = sum(s.alert and s.due for s in samples)
    false = sum(s.alert and not s.due for s in samples)
    missed = sum(s.due and not s.alert for s in samples)
    sure = [(s.sure, s.held) for s in samples if s.sure is not None]
    return {
        "samples": len(samples),
        "precision": _ratio(hits, hits + false),
        "recall": _ratio(hits, hits + missed),
        "false_alerts_per_hour": round(false / hours, 4) if hours > 0 else None,
        "brier": round(sum((p - held) ** 2 for p, held in sure) / len(sure), 4) if sure else None,
        "calibration_error": calibration_error(sure),
    }


def calibration_error(sure: Sequence[tuple[float, bool]]) -> float | None:
    """The expected calibration error: how far, on average, the stated probability is from the truth."""
    if not sure:
        return None
    bins: dict[int, list[tuple[float, bool]]] = {}
    for p, held in sure:
        bins.setdefault(min(BINS - 1, max(0, int(p * BINS))), []).append((p, held))
    off = sum(abs(sum(p for p, _ in of_one) - sum(held for _, held in of_one)) for of_one in bins.values())
    return round(off / len(sure), 4)


def _best(samples: Sequence[_Sample], *, below: bool) -> dict[str, float] | None:
    """The limit whose alerts, those at or above it or those `below`, fit best. None when nothing was due."""
    sure = sorted(((s.sure, s.due) for s in samples if s.sure is not None), reverse=not below)
    due = sum(is_due for _, is_due in sure)
    best, value = 0.0, None
    raised = hits = 0
    for place, (p, is_due) in enumerate(sure):
        raised, hits = raised + 1, hits + is_due
        following = sure[place + 1][0] if place + 1 < len(sure) else 1.0
        limit = following if below else p
        if (place + 1 < len(sure) and following == p) or (below and limit <= p):
            continue  # no limit lies between two equal values
        f1 = 2 * hits / (raised + due)
        if f1 > best:
            best, value = f1, limit
    return None if value is None else {"value": value, "f1": round(best, 4)}


def _finite(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
