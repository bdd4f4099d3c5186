"""What was said and no brief has read yet: the pending deltas. Pure; one thread.

Bounded by characters: beyond the budget the oldest leave, and whoever adds is told which. Of one that is
alone too long the oldest words go; the newest words are never the ones to be lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from stt_daemon.domain.cuts import word_start
from stt_daemon.triage.evidence import Delta

CUT = "… "
"""Stands for the words that were cut off the front of a delta."""


@dataclass(frozen=True)
class Pending:
    """A delta that waits: its `number` among the recent entries, and in how many failed updates it was."""

    delta: Delta
    number: int
    failures: int = 0

    @property
    def size(self) -> int:
        """Characters it takes of the budget: who spoke, and what."""
        return len(self.delta.speaker) + len(self.delta.text)


class PendingDeltas:
    """In order of arrival, at most `budget` characters together."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._waiting: deque[Pending] = deque()
        self._size = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def size(self) -> int:
        """How many characters wait."""
        return self._size

    @property
    def newest(self) -> int:
        """The number of the newest that waits; 0 when none does."""
        return self._waiting[-1].number if self._waiting else 0

    def add(self, pending: Pending) -> list[Pending]:
        """Append one; those that had to leave for it."""
        pending = self._fitted(pending)
        self._waiting.append(pending)
        self._size += pending.size
        return self._shrink()

    def put_back(self, pending: Iterable[Pending]) -> list[Pending]:
        """Put what was taken in front again; those that no longer fit."""
        taken = list(pending)
        self._waiting.extendleft(reversed(taken))
        self._size += sum(one.size for one in taken)
        return self._shrink()

    def take(self) -> tuple[Pending, ...]:
        """Remove and return all of it."""
        taken = tuple(self._waiting)
        self.clear()
        return taken

    def clear(self) -> None:
        self._waiting.clear()
        self._size = 0

    def _fitted(self, pending: Pending) -> Pending:
        over = pending.size - self._budget
        if over <= 0:
            return pending
        text = pending.delta.text
        kept = text[word_start(text, over + len(CUT)) :].lstrip()
        return replace(pending, delta=replace(pending.delta, text=CUT + kept))

    def _shrink(self) -> list[Pending]:
        gone = []
        while self._size > self._budget and len(self._waiting) > 1:
            oldest = self._waiting.popleft()
            self._size -= oldest.size
            gone.append(oldest)
        return gone
