"""The lines of the triage pane: signals, values, brief, coverage, and the questions. Pure; one thread.

Everything in a signal comes from a model or a user's file, so nothing about its form is taken for granted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stt_daemon.apps.tui.markdown import Paragraph, plain_paragraphs
from stt_daemon.apps.tui.text import shown
from stt_daemon.apps.tui.triage_state import Triage
from stt_daemon.apps.tui.wrap import Piece
from stt_daemon.messages import CoverageChanged, TriageChanged, ValueRead
from stt_daemon.sessions.text import local_time

BAR_CELLS = 10
_FILLED, _REST = "█", "░"
_SPACE = Piece(" ")
_DOT = Piece("·", "quiet")
_FLAG = (_SPACE, Piece("⚠", "flag"))
_BESIDE_BAR = BAR_CELLS + 1
_NAMED = 3
"""How many uncovered lines are named in the coverage; the others are counted."""

_BLANK = Paragraph(())
_STATES = {
    "loading": "triage is loading",
    "disabled": "triage is switched off",
    "no_questions": "there are no questions to ask",
    "unavailable": "triage is not available",
}
ClockOf = Callable[[str], str]


def readout(triage: Triage, clock_of: ClockOf) -> list[Paragraph]:
    """The pane: last-triage clock, why it is not at work, signals, values, then the brief and how far it
    has read. Never empty."""
    lines: list[Paragraph] = []
    if triage.ts is not None:
        lines.append(_line(Piece(local_time(triage.ts).strftime("%H:%M:%S"), "time")))
    if triage.lane.state != "ok":
        reason = triage.lane.reason or _STATES.get(triage.lane.state, triage.lane.state)
        lines.append(_line(Piece(shown(reason), "flag")))
    if triage.signals is not None:
        lines += [signal_line(item, triage.lane.questions) for item in _ordered(triage.signals)]
    lines += [value_line(value) for value in triage.values.values()]
    if not lines:
        lines.append(_line(Piece("nothing judged yet", "quiet")))
    covered = coverage_line(triage.coverage, clock_of)
    if triage.content is not None and triage.content.brief.strip():
        lines += [_BLANK, covered, *map(_headed, plain_paragraphs(triage.content.brief.strip("\n")))]
    elif triage.coverage.pending or triage.coverage.through or triage.coverage.set_aside:
        lines += [_BLANK, covered]
    return lines


def signal_line(item: Mapping[str, Any], questions: Mapping[str, Any]) -> Paragraph:
    """One answer. A choice has no bar, and begins where the text beside the bars does."""
    qid, kind = _text(item.get("qid")), item.get("type")
    flagged = bool(item.get("flagged"))
    flag = _FLAG if flagged else ()
    if kind == "noul":
        p = number(item.get("p"))
        told = Piece(f"{qid}: {two_digits(p)}")
        return Paragraph((*bar(p, flagged), _SPACE, told, *flag), hang=_BESIDE_BAR)
    if kind == "score":
        share = _level_share(number(item.get("level")), questions.get(_text(item.get("qid"))))
        told = Piece(f"{qid}: {_text(item.get('label'))}")
        return Paragraph((*bar(share, flagged), _SPACE, told, *flag), hang=_BESIDE_BAR)
    confidence = two_digits(number(item.get("confidence")))
    told = Piece(f"{qid}: {_text(item.get('selected'))} ({confidence})")
    return Paragraph((told, *flag), indent=_BESIDE_BAR, hang=_BESIDE_BAR)


def value_line(value: ValueRead) -> Paragraph:
    """A value that was read in what was said, or why none could be."""
    accepted = value.status == "accepted"
    told = value.value if accepted else value.why or value.status
    pieces = [Piece(f"{shown(value.field)}: {shown(told)}")]
    if value.span:
        pieces += [_SPACE, Piece(f"“{shown(value.span)}”", "quiet")]
    if value.utterance:
        pieces += [_SPACE, Piece(shown(value.utterance), "cite", value.utterance)]
    if not accepted:
        pieces += _FLAG
    return Paragraph(tuple(pieces), indent=_BESIDE_BAR, hang=_BESIDE_BAR)


def coverage_line(coverage: CoverageChanged, clock_of: ClockOf) -> Paragraph:
    """Up to when the brief has read, what waits, and what no fact covers."""
    through = coverage.through
    parts = [
        [Piece(f"brief read to {clock_of(through) or shown(through)}" if through else "brief not begun")]
    ]
    if coverage.pending:
        parts.append([Piece(f"{coverage.pending} waiting", "quiet")])
    if coverage.set_aside:
        parts.append([Piece(f"{len(coverage.set_aside)} set aside", "quiet")])
    if coverage.uncovered:
        parts.append([Piece(f"{len(coverage.uncovered)} in no fact", "quiet"), *_named(coverage.uncovered)])
    if coverage.unread_facts:
        parts.append([Piece(f"{coverage.unread_facts} facts left out", "quiet")])
    pieces = [piece for part in parts for piece in (_SPACE, _DOT, _SPACE, *part)]
    return Paragraph(tuple(pieces[3:]), hang=2)


def questions_view(triage: Triage) -> list[Paragraph]:
    """One block a question, in the order of the file."""
    lines: list[Paragraph] = []
    for qid, definition in triage.lane.questions.items():
        if lines:
            lines.append(_BLANK)
        known = definition if isinstance(definition, Mapping) else {}
        lines.append(
            _line(
                Piece(shown(qid), "heading"), _SPACE, _DOT, _SPACE, Piece(_text(known.get("type")), "quiet")
            )
        )
        lines += plain_paragraphs(str(known.get("instructions", "")))
        lines += _criteria(known.get("criteria"), ordered=known.get("type") == "score")
    return lines or [_line(Piece("no questions are loaded", "quiet")), *_reason(triage)]


def bar(share: float | None, flagged: bool = False) -> tuple[Piece, Piece]:
    """Ten cells of which `share` (0 to 1) are filled; none for a number that is not there."""
    filled = 0 if share is None else round(BAR_CELLS * min(1.0, max(0.0, share)))
    return Piece(_FILLED * filled, "bar-flagged" if flagged else "bar"), Piece(
        _REST * (BAR_CELLS - filled), "bar-rest"
    )


def number(value: object) -> float | None:
    """A finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def two_digits(value: float | None) -> str:
    return "?" if value is None else f"{value:.2f}"


def _level_share(level: float | None, definition: object) -> float | None:
    """A level as a part of the highest one; without the question, a level counts as a cell."""
    if level is None:
        return None
    criteria = definition.get("criteria") if isinstance(definition, Mapping) else None
    levels = len(criteria) if isinstance(criteria, Sequence) and not isinstance(criteria, str) else 0
    return level / (levels - 1 if levels > 1 else BAR_CELLS)


def _ordered(message: TriageChanged) -> Iterator[Mapping[str, Any]]:
    by_qid = {_text(item.get("qid")): item for item in message.items}
    for qid in message.order:
        if (item := by_qid.pop(shown(qid), None)) is not None:
            yield item
    yield from by_qid.values()


def _criteria(criteria: object, *, ordered: bool) -> Iterator[Paragraph]:
    if isinstance(criteria, Mapping):
        for name, description in criteria.items():
            yield _item(f"{_text(name)}: {_text(description)}" if description else _text(name))
    elif isinstance(criteria, Sequence) and not isinstance(criteria, str):
        for level, name in enumerate(criteria):
            yield _item(f"{level} {_text(name)}" if ordered else _text(name))


def _item(text: str) -> Paragraph:
    return Paragraph((Piece("• ", "quiet"), Piece(text)), indent=2, hang=4)


def _reason(triage: Triage) -> list[Paragraph]:
    return [_line(Piece(shown(triage.lane.reason), "flag"))] if triage.lane.reason else []


def _named(utterances: Sequence[str]) -> Iterator[Piece]:
    for utterance in utterances[:_NAMED]:
        yield _SPACE
        yield Piece(shown(utterance), "cite", utterance)
    if len(utterances) > _NAMED:
        yield from (_SPACE, Piece("…", "quiet"))


def _headed(line: Paragraph) -> Paragraph:
    """A line of the brief; one that ends with a colon and is no item is a heading."""
    text = "".join(piece.text for piece in line.pieces)
    if text.endswith(":") and not text.lstrip().startswith(("-", "*", "•")):
        return Paragraph((Piece(text, "heading"),))
    return line


def _line(*pieces: Piece) -> Paragraph:
    return Paragraph(pieces, hang=2)


def _text(value: object) -> str:
    return "?" if value is None else shown(str(value))
