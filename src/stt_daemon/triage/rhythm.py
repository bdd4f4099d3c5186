"""When a classification is due although nobody paused. Pure; one thread.

Time is the source's, in session seconds, so that a file is classified at the same places however fast it is
read. A burst of speech sets the timer, each classification sets it anew.
"""

from __future__ import annotations


class Rhythm:
    """A timer of `period_s`; with 0 or less it is never due."""

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._since: float | None = None

    def heard(self, t: float) -> None:
        """Something was said: the first of a burst sets the timer."""
        if self._since is None:
            self._since = t

    def begin(self, t: float) -> None:
        """A classification was accepted: count anew."""
        self._since = t

    def rest(self) -> None:
        """The burst is over: wait for the next."""
        self._since = None

    def due(self, t: float) -> bool:
        return self._period_s > 0 and self._since is not None and t - self._since >= self._period_s
