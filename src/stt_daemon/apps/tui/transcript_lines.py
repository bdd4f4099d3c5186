"""The lines of the transcript as the pane keeps and lays them out. Pure; one thread.

A line looks like `10:42:07 Anna: what she said`, its further rows hang below the speaker.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from stt_daemon.apps.tui.text import cells, shown
from stt_daemon.apps.tui.wrap import Piece, Row, fitting, wrap
from stt_daemon.domain import Gap, Utterance
from stt_daemon.domain.text import plain
from stt_daemon.messages import GapMarked, Marked, PartialHeard, UtteranceFinished
from stt_daemon.sessions.marks import Mark
from stt_daemon.sessions.text import iso_local

LineKind = Literal["said", "gap", "mark", "rule"]
Source = Utterance | Gap | Mark | UtteranceFinished | GapMarked | Marked

_CLOCK_COLUMNS = 9


@dataclass(frozen=True, eq=False)
class TranscriptLine:
    """One line, compared by identity. `text` is the whole text, not what a terminal can show of it."""

    __slots__ = ("clock", "id", "kind", "seq", "speaker", "t", "text")

    kind: LineKind
    clock: str
    t: float
    text: str
    speaker: str
    id: str
    seq: int

    @property
    def head(self) -> str:
        """What stands between the clock and the text."""
        return {"said": f"{self.speaker}: ", "gap": "── ", "mark": "◆ ", "rule": "── "}[self.kind]


def line_of(source: Source) -> TranscriptLine:
    """The line for something said, a gap or a mark, be it read from the disk or just heard of."""
    if isinstance(source, Utterance | UtteranceFinished):
        text, speaker = plain(source.text), plain(source.speaker)
        return TranscriptLine("said", clock_of(source.wall), source.t0, text, speaker, source.id, source.seq)
    if isinstance(source, Gap | GapMarked):
        text = f"nothing recorded for {_duration(source.t1 - source.t0)}: {plain(source.reason)}"
        return TranscriptLine("gap", clock_of(source.wall), source.t0, text, "", "", source.seq)
    wall = source.wall if isinstance(source, Mark) else iso_local(source.at)
    return TranscriptLine("mark", clock_of(wall), source.t, plain(source.note) or "marked", "", "", 0)


def rule(session: str) -> TranscriptLine:
    """The line between two sessions."""
    return TranscriptLine("rule", "", 0.0, f"session {plain(session)}", "", "", 0)


def clock_of(wall: str) -> str:
    """HH:MM:SS of an ISO time; blank where there is none."""
    return shown(wall[11:19]).ljust(8)[:8]


def extent(line: TranscriptLine) -> int:
    return _CLOCK_COLUMNS + len(line.head) + cells(line.text)


def copied(line: TranscriptLine) -> str:
    """The line as stdout and a plain text export write it."""
    return f"{line.clock} {line.head}{line.text}".strip()


def layout(line: TranscriptLine, width: int) -> Sequence[Row]:
    style = {"said": "", "gap": "gap", "mark": "mark", "rule": "quiet"}[line.kind]
    head = Piece(shown(line.head), "speaker" if line.kind == "said" else style)
    clock = (Piece(f"{line.clock} ", "time"),) if line.clock else ()
    return wrap((*clock, head, Piece(shown(line.text), style)), width, hang=_CLOCK_COLUMNS if clock else 2)


def layout_partial(partial: PartialHeard, width: int) -> Sequence[Row]:
    """What is being said: words that stay, then words that may still change."""
    committed, tentative = shown(partial.committed), shown(partial.tentative)
    between = " " if committed and tentative else ""
    pieces = (
        Piece(" " * (fitting(_CLOCK_COLUMNS, width) - 2)),
        Piece("› ", "tentative"),
        Piece(committed + between),
        Piece(tentative, "tentative"),
    )
    return wrap(pieces, width, hang=_CLOCK_COLUMNS)


def ordered(sources: Iterable[Utterance | Gap], marks: Iterable[Mark]) -> list[TranscriptLine]:
    """Lines read from the disk, with each mark before the first line that begins after it."""
    waiting = sorted((line_of(mark) for mark in marks), key=lambda line: line.t, reverse=True)
    lines: list[TranscriptLine] = []
    for source in sources:
        line = line_of(source)
        while waiting and waiting[-1].t < line.t:
            lines.append(waiting.pop())
        lines.append(line)
    return [*lines, *reversed(waiting)]


def place_of(lines: Sequence[TranscriptLine], line: TranscriptLine) -> int:
    """Where a new line belongs: what is said stays in the order of `seq`, only marks go by time."""
    position = len(lines)
    while position > 0:
        before = lines[position - 1]
        if before.kind == "rule" or before.t <= line.t or (line.kind != "mark" and before.kind != "mark"):
            break
        position -= 1
    return position


def _duration(seconds: float) -> str:
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
