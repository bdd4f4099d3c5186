"""marks.jsonl: the moments a user marked, and notes. The core alone writes it; the log belongs to one thread.

A line is `{"type": "mark" or "note", "t", "wall", "note"}`. See `line_file` for what an append promises.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stt_daemon.domain.text import plain
from stt_daemon.sessions.json_lines import decode_object, encode_object, read_lines
from stt_daemon.sessions.line_file import LineFile, Write

_LATEST_S = 1e9
"""No session lasts thirty years, and a larger whole number may not even fit a float."""


@dataclass(frozen=True)
class Mark:
    """A moment worth finding again. `t`: session seconds; `wall`: ISO with offset; `note` may be empty."""

    t: float
    wall: str
    note: str = ""


class MarkLog:
    """The open marks of one session."""

    def __init__(self, file: LineFile) -> None:
        self._file = file

    @classmethod
    def open(cls, path: Path, *, write: Write = os.write) -> MarkLog:
        """Open or make the file and repair its end. Raises SessionError."""
        return cls(LineFile.open(path, decode_mark, write=write))

    @property
    def repairs(self) -> tuple[str, ...]:
        """What `open` found broken, one readable line each."""
        return self._file.repairs

    def append(self, t: float, wall: str, note: str = "") -> Mark:
        """Write down a mark, with a note if there is one, and return it as it will be read.

        Raises SessionError, and ValueError for a `t` that is no time.
        """
        mark = Mark(round(float(t), 3), plain(wall), plain(note).strip())
        self._file.append(encode_object(mark_object(mark)))
        return mark

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._file.close()


def mark_object(mark: Mark) -> dict[str, Any]:
    """A mark as its line says it."""
    return {"type": "note" if mark.note else "mark", "t": mark.t, "wall": mark.wall, "note": mark.note}


def read_marks(path: Path) -> list[Mark]:
    """All marks in the order in which they were made; none when there is no file.

    Any process, also while the core appends. Unreadable lines are left out. Raises SessionError.
    """
    return [mark for mark in read_lines(path, decode_mark) if mark is not None]


def decode_mark(raw: bytes) -> Mark | None:
    """What a line says; None for a type this version does not know. Raises ValueError for what is no line."""
    body = decode_object(raw)
    if body.get("type") not in ("mark", "note"):
        return None
    t, wall, note = body.get("t"), body.get("wall"), body.get("note", "")
    if isinstance(t, bool) or not isinstance(t, int | float) or not abs(t) < _LATEST_S:
        raise ValueError("a mark without a time")
    if not isinstance(wall, str) or not isinstance(note, str):
        raise ValueError("a mark without its words")  # noqa: TRY004 - a property of the line
    return Mark(float(t), plain(wall), plain(note))
