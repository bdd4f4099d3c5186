"""Searching in the lines of the transcript. Pure; one thread.

Case does not matter, nor does what a terminal cannot show. Lines that come later are searched as they come.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from stt_daemon.apps.tui.text import shown
from stt_daemon.apps.tui.transcript_lines import TranscriptLine


class Search:
    """What is searched for, the positions of the lines that have it, and the one the user is at."""

    def __init__(self) -> None:
        self.query = ""
        self.here: int | None = None
        self._pattern: re.Pattern[str] | None = None
        self._found: list[int] = []

    def __len__(self) -> int:
        return len(self._found)

    def start(self, query: str, lines: Sequence[TranscriptLine], *, before: int) -> None:
        """Search all lines, and stand at the last match before a position, else at the first one."""
        self.query = shown(query).strip()
        self._pattern = re.compile(re.escape(self.query), re.IGNORECASE) if self.query else None
        self._collect(lines)
        behind = bisect_left(self._found, before)
        self.here = self._found[max(0, behind - 1)] if self._found else None

    def clear(self) -> None:
        self.start("", (), before=0)

    def reset(self, lines: Sequence[TranscriptLine]) -> None:
        """The same search in other lines."""
        self._collect(lines)
        self.here = self._found[-1] if self._found else None

    def move(self, step: int) -> None:
        if not self._found:
            return
        at = bisect_left(self._found, self.here if self.here is not None else 0)
        self.here = self._found[(at + step) % len(self._found)]

    def inserted(self, position: int, line: TranscriptLine) -> None:
        """A line came at a position; those from there on moved by one."""
        if self._pattern is None:
            return
        at = bisect_left(self._found, position)
        self._found[at:] = [found + 1 for found in self._found[at:]]
        if self.here is not None and self.here >= position:
            self.here += 1
        if self._has(line):
            self._found.insert(at, position)

    def spans(self, text: str) -> Iterable[tuple[int, int]]:
        """Where a shown text has it."""
        return (match.span() for match in self._pattern.finditer(text)) if self._pattern else ()

    def told(self) -> str:
        """Where the user is among the matches, for a border."""
        if not self._found or self.here is None:
            return f"no “{self.query}”"
        return f"{bisect_left(self._found, self.here) + 1}/{len(self._found)} “{self.query}”"

    def _collect(self, lines: Sequence[TranscriptLine]) -> None:
        has = self._has
        self._found = [at for at, line in enumerate(lines) if has(line)] if self._pattern else []

    def _has(self, line: TranscriptLine) -> bool:
        assert self._pattern is not None
        return bool(self._pattern.search(shown(line.text)) or self._pattern.search(line.head))
