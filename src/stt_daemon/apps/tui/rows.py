"""What can be known of rows without a widget: what differs, where they lead, how they look. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.style import Style
from rich.text import Text
from textual.selection import Selection

from stt_daemon.apps.tui.wrap import Row

ROWS_AN_ENTRY = 1 << 20
"""A row's place for the mouse selection is `entry * ROWS_AN_ENTRY + row`: other heights do not move it."""


@dataclass(frozen=True)
class Span:
    """Characters of a row that are drawn differently."""

    start: int
    end: int
    style: str


def alike(before: Sequence[Row], now: Sequence[Row]) -> int:
    """How many rows at the beginning are the same."""
    same = 0
    for old, new in zip(before, now, strict=False):
        if old != new:
            break
        same += 1
    return same


def jumps(rows: Sequence[Row]) -> list[str]:
    """The utterances that the rows lead to, each once."""
    return list(dict.fromkeys(piece.jump for row in rows for piece in row.pieces if piece.jump))


def citation(row: Row, jump: str) -> Iterator[Span]:
    """Where a row leads to an utterance."""
    at = 0
    for piece in row.pieces:
        if piece.jump == jump:
            yield Span(at, at + len(piece.text), "cite-here")
        at += len(piece.text)


def drawn(row: Row, spans: Iterable[Span], base: Style, style: Callable[[str], Style]) -> Text:
    """A row in its styles; `style` knows them by name. What leads somewhere says so to a click."""
    text = Text(end="", no_wrap=True)
    for piece in row.pieces:
        look = base + style(piece.style) if piece.style else base
        if piece.jump:
            look += Style(meta={"jump": piece.jump})
        text.append(piece.text, look)
    for span in spans:
        text.stylize(style(span.style), span.start, span.end)
    return text


def selected(
    selection: Selection, entries: int, whole: Callable[[int], str], rows_of: Callable[[int], Sequence[Row]]
) -> str:
    """What the mouse has selected: entries as they are copied, but of the first and last only the part."""
    start, end = selection
    first, first_row = divmod(start.y, ROWS_AN_ENTRY) if start else (0, 0)
    last, last_row = divmod(end.y, ROWS_AN_ENTRY) if end else (entries, 0)
    last = min(last, entries - 1)
    if end is None or end.y >= entries * ROWS_AN_ENTRY:
        end, last_row = None, 0
    parts = []
    for position in range(first, last + 1):
        from_row = (first_row, start.x) if start and position == first else None
        to_row = (last_row, end.x) if end and position == last else None
        if from_row is None and to_row is None:
            parts.append(whole(position))
        else:
            parts.append(_between(rows_of(position), from_row, to_row))
    return "\n".join(parts)


def _between(rows: Sequence[Row], start: tuple[int, int] | None, end: tuple[int, int] | None) -> str:
    """The text between two places in an entry, each a row and a character of it, without padding."""
    first, first_x = start or (0, 0)
    last, last_x = end or (len(rows) - 1, len(rows[-1].text))
    parts = []
    for number in range(first, min(last, len(rows) - 1) + 1):
        row = rows[number]
        low = max(row.indent, first_x if number == first else 0)
        high = last_x if number == last else len(row.text)
        parts.append(("" if number == first else row.glue) + row.text[low:high])
    return "".join(parts)
