"""What the classifier noticed, as lines of the brief request: hints where to look, no facts. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from stt_daemon.domain.text import plain
from stt_daemon.triage.gate import GATE_QUESTION

INSTRUCTION_CHARS = 160
"""An instruction, or a list of options, is clipped to this."""

LOWEST_P = 0.30
"""A yes-or-no answer below this is noise; only the gate's question is told all the same."""


def focus_lines(
    questions: Mapping[str, Any], items: Iterable[Mapping[str, Any]], *, escalated: bool
) -> tuple[str, ...]:
    """One line for each item worth a hint. `questions`: the validated file; `items`: see TriageChanged."""
    lines = []
    for item in items:
        question = questions.get(str(item["qid"]))
        if isinstance(question, dict) and _is_worth_it(item):
            mark = " [escalated]" if escalated and item.get("flagged") else ""
            lines.append(f"- {_LINES[item['type']](item, question)}{mark}")
    return tuple(lines)


def _is_worth_it(item: Mapping[str, Any]) -> bool:
    p = item.get("p")
    if item["type"] != "noul" or item["qid"] == GATE_QUESTION or not _is_number(p):
        return True
    return bool(p >= LOWEST_P)


def _noul(item: Mapping[str, Any], question: Mapping[str, Any]) -> str:
    values = [f"p={_number(item.get('p'))}", *_flag(item), f"gate={_number(item.get('confidence'))}"]
    return f"{item['qid']} ({', '.join(values)}): {_clip(question['instructions'])}"


def _choice(item: Mapping[str, Any], question: Mapping[str, Any]) -> str:
    sure = ", ".join([f"conf {_number(item.get('confidence'))}", *_flag(item)])
    selected = plain(str(item.get("selected"))) if item.get("selected") is not None else "nothing"
    options = _clip(_options(question.get("criteria")))
    about = f"{_clip(question['instructions'])} Options: {options}."
    return f"{item['qid']} (choice): selected {selected} ({sure}) — {about}"


def _score(item: Mapping[str, Any], question: Mapping[str, Any]) -> str:
    sure = ", ".join([f"conf {_number(item.get('confidence'))}", *_flag(item)])
    label = plain(str(item.get("label") or ""))
    level = "unknown" if item.get("level") is None else item["level"]
    value = f"expected {_number(item.get('expected'))}, level {level}" + (f" {label}" if label else "")
    return f"{item['qid']} (score): {value} ({sure}) — {_clip(question['instructions'])}"


_LINES = {"noul": _noul, "choice": _choice, "score": _score}


def _options(criteria: Any) -> str:
    if isinstance(criteria, dict):
        return "; ".join(str(text or label) for label, text in criteria.items())
    return "; ".join(str(label) for label in criteria or ())


def _flag(item: Mapping[str, Any]) -> list[str]:
    return ["flagged"] if item.get("flagged") else []


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _number(value: Any) -> str:
    return f"{value:.2f}" if _is_number(value) else "unknown"


def _clip(text: Any) -> str:
    words = " ".join(plain(str(text)).split())
    return words if len(words) <= INSTRUCTION_CHARS else words[: INSTRUCTION_CHARS - 1].rstrip() + "…"
