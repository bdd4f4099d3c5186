"""What the classifier noticed, as lines of the brief request: hints where to look, no facts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from stt_daemon.domain.text import plain
from stt_daemon.triage.gate import GATE_QUESTION
from stt_daemon.triage.questions import Question
from stt_daemon.triage.signals import Signals

INSTRUCTION_CHARS = 160
"""An instruction, or a list of options, is clipped to this."""

LOWEST_P = 0.30
"""A yes-or-no answer below this is noise; only the gate's question is told all the same."""


def focus_lines(questions: Iterable[Question], signals: Signals) -> tuple[str, ...]:
    """One line for each answer worth a hint, in the order of the file."""
    by_id = {question.qid: question for question in questions}
    lines = []
    for item in signals.items:
        if _is_worth_it(item):
            mark = " [escalated]" if signals.escalated and item["flagged"] else ""
            lines.append(f"- {_LINES[item['type']](item, by_id[item['qid']])}{mark}")
    return tuple(lines)


def _is_worth_it(item: Mapping[str, Any]) -> bool:
    p = item.get("p")
    return item["type"] != "noul" or item["qid"] == GATE_QUESTION or p is None or p >= LOWEST_P


def _noul(item: Mapping[str, Any], question: Question) -> str:
    values = [f"p={_number(item['p'])}", *_flag(item), f"gate={_number(item['confidence'])}"]
    return f"{item['qid']} ({', '.join(values)}): {_clip(question.instructions)}"


def _choice(item: Mapping[str, Any], question: Question) -> str:
    selected = "nothing" if item["selected"] is None else plain(item["selected"])
    told = zip(question.labels, question.descriptions, strict=True)
    options = _clip("; ".join(meaning or label for label, meaning in told))
    about = f"{_clip(question.instructions)} Options: {options}."
    return f"{item['qid']} (choice): selected {selected} ({_sure(item)}) — {about}"


def _score(item: Mapping[str, Any], question: Question) -> str:
    value = "expected unknown"
    if item["level"] is not None:
        value = f"expected {_number(item['expected'])}, level {item['level']}, label {plain(item['label'])}"
    return f"{item['qid']} (score): {value} ({_sure(item)}) — {_clip(question.instructions)}"


_LINES = {"noul": _noul, "choice": _choice, "score": _score}


def _sure(item: Mapping[str, Any]) -> str:
    return ", ".join([f"conf {_number(item['confidence'])}", *_flag(item)])


def _flag(item: Mapping[str, Any]) -> list[str]:
    return ["flagged"] if item["flagged"] else []


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"


def _clip(text: str) -> str:
    words = " ".join(plain(text).split())
    return words if len(words) <= INSTRUCTION_CHARS else words[: INSTRUCTION_CHARS - 1].rstrip() + "…"
