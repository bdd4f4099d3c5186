"""Noticing a model that says the same thing for ever. Pure; one thread at a time."""

from __future__ import annotations

# "No, no, no." and a table with a few equal rows are meant; a model in a loop does not stop at sixteen lines.
SAME_LINES = 16
SAME_LINES_CHARS = 240
# For loops inside one line or over several lines: a stretch with a period of at most this many characters ...
LONGEST_PERIOD = 512
# ... that goes on for so many characters and so many times.
SHORTEST_LOOP = 1024
FEWEST_ROUNDS = 8
_WINDOW = LONGEST_PERIOD * (FEWEST_ROUNDS + 1) + SHORTEST_LOOP
_CHECK_EVERY = 256
_PROBE = 48


class RepetitionGuard:
    """Feed the text as it arrives; `feed` answers True once the text has become a loop."""

    def __init__(self) -> None:
        self._tail = ""
        self._unchecked = 0
        self._line = ""
        self._last_line = ""
        self._count = 0

    def feed(self, text: str) -> bool:
        """Whether the text has become a loop with this piece."""
        return self._lines_repeat(text) or self._tail_repeats(text)

    def _lines_repeat(self, text: str) -> bool:
        *whole, rest = text.split("\n")
        for part in whole:
            line = (self._line + part).strip()
            self._line = ""
            if not line:
                continue
            self._count = self._count + 1 if line == self._last_line else 1
            self._last_line = line
            if self._count >= SAME_LINES and self._count * len(line) >= SAME_LINES_CHARS:
                return True
        # Longer than any line worth comparing: the period below sees loops in it.
        self._line = (self._line + rest)[-8192:]
        return False

    def _tail_repeats(self, text: str) -> bool:
        self._tail = (self._tail + text)[-_WINDOW:] if len(text) < _WINDOW else text[-_WINDOW:]
        self._unchecked += len(text)
        if self._unchecked < _CHECK_EVERY or len(self._tail) < SHORTEST_LOOP:
            return False
        self._unchecked = 0
        tail = self._tail
        before = tail.rfind(tail[-_PROBE:], 0, len(tail) - 1)
        if before < 0:
            return False
        period = len(tail) - _PROBE - before
        if not 0 < period <= LONGEST_PERIOD:
            return False
        length = max(SHORTEST_LOOP, FEWEST_ROUNDS * period)
        return len(tail) >= length + period and tail[-length:] == tail[-length - period : -period]
