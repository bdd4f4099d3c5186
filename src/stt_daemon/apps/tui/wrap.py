"""Breaks styled text into rows of a given width. Pure; any thread.

Widths are columns. A row ends at a blank, or beside a wide character, and inside a word only when the word
alone is wider than the row. No character is lost but the blanks at the breaks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import get_character_cell_size

_MOST_INDENT = 0.4
"""An indent that takes a larger part of the row becomes a small one."""

_SMALL_INDENT = 2


class Piece(NamedTuple):
    """Text in one style. `style`: a name from `styles`; `jump`: the utterance it leads to."""

    text: str
    style: str = ""
    jump: str = ""


class Row(NamedTuple):
    """One screen line. `indent`: how many characters of it are padding; `glue`: what stood before it."""

    pieces: tuple[Piece, ...]
    indent: int = 0
    glue: str = "\n"

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def wrap(
    pieces: Sequence[Piece], width: int, *, indent: int = 0, hang: int = 0, fold: bool = False
) -> list[Row]:
    """One paragraph as rows, at least one.

    The first row begins after `indent` blanks, the others after `hang`. With `fold` words do not matter, as
    in code, where every blank counts.
    """
    width = max(1, width)
    indent, hang = fitting(indent, width), fitting(hang, width)
    text = "".join(piece.text for piece in pieces)
    rows: list[Row] = []
    previous = 0
    for start, end in _rows(text, width - indent, width - hang, fold):
        blanks = hang if rows else indent
        padding = (Piece(" " * blanks),) if blanks else ()
        glue = text[previous:start] if rows else "\n"
        rows.append(Row((*padding, *_cut(pieces, start, end)), blanks, glue))
        previous = end
    return rows


def fitting(blanks: int, width: int) -> int:
    """How many of these blanks may begin a row of this width."""
    if blanks <= width * _MOST_INDENT:
        return blanks
    return min(_SMALL_INDENT, width // 4)


def _rows(text: str, first: int, others: int, fold: bool) -> Iterator[tuple[int, int]]:
    """Start and end of each row in the text."""
    start, width = 0, first
    measure = _fit_ascii if text.isascii() else _fit
    while True:
        stop = measure(text, start, width)
        if stop >= len(text):
            yield start, len(text)
            return
        end, following = (stop, stop) if fold else _break(text, start, stop)
        yield start, end
        start, width = following, others
        if start >= len(text):
            return


def _fit_ascii(text: str, start: int, width: int) -> int:
    return start + width


def _fit(text: str, start: int, width: int) -> int:
    """Where the text from `start` on leaves a row; what has no width stays with the character before it."""
    used = 0
    for index in range(start, len(text)):
        used += get_character_cell_size(text[index])
        if used > width and index > start:
            return index
    return len(text)


def _break(text: str, start: int, stop: int) -> tuple[int, int]:
    """The last good place to end a row that must end at `stop`, and where the next one starts."""
    blank = text.rfind(" ", start + 1, stop + 1)
    wide = _after_wide(text, start, stop)
    if wide > blank:
        return wide, wide
    if blank < 0:
        return stop, stop
    end = start + len(text[start:blank].rstrip(" "))
    if end == start:
        return stop, stop
    following = blank + 1
    while following < len(text) and text[following] == " ":
        following += 1
    return end, following


def _after_wide(text: str, start: int, stop: int) -> int:
    """The last place up to `stop` that has a wide character on either side; -1 if there is none."""
    if text.isascii():
        return -1
    for index in range(stop, start, -1):
        if get_character_cell_size(text[index - 1]) == 2 or (
            index < len(text) and get_character_cell_size(text[index]) == 2
        ):
            return index
        if text[index - 1] == " ":
            return -1
    return -1


def _cut(pieces: Sequence[Piece], start: int, end: int) -> Iterator[Piece]:
    at = 0
    for piece in pieces:
        low, high = max(start, at), min(end, at + len(piece.text))
        if low < high:
            yield piece._replace(text=piece.text[low - at : high - at])
        at += len(piece.text)
        if at >= end:
            return
