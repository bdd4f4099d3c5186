"""Which window is with the classifier, and which wait for it. Pure; one thread.

One is at work and a few wait, so that every turn gets its signals although several may end at once: when a
file is read at full speed, or while the classifier still loads. Where it is slower than the talk for long the
oldest of those that wait are given up; the windows behind them hold their words too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from stt_daemon.triage.ports import Pass

BACKLOG = 8
"""So many wait at most: more would be signals of minutes ago."""


class Passes:
    """Windows by the number of their newest entry. `begin` hands one over; None when nobody takes it."""

    def __init__(self, begin: Callable[[int], Pass | None]) -> None:
        self._begin = begin
        self._at_work: Pass | None = None
        self._waiting: deque[int] = deque(maxlen=BACKLOG)

    def want(self, number: int) -> bool:
        """Have a window classified; whether it will be."""
        if self._at_work is not None:
            self._waiting.append(number)
            return True
        self._at_work = self._begin(number)
        return self._at_work is not None

    def ended(self, done: Pass) -> None:
        """One came to its end; the next begins."""
        assert self._at_work is done, "another pass ended than the one at work"
        self._at_work = None
        while self._waiting and self._at_work is None:
            self._at_work = self._begin(self._waiting.popleft())

    def drop_waiting(self) -> None:
        """Let go of those that wait."""
        self._waiting.clear()
