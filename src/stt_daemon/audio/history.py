"""The last samples heard, by position. Not locked: its owner is."""

from __future__ import annotations

import numpy as np

from stt_daemon.audio.blocks import Samples


class SampleHistory:
    """Samples from `start` to `end`, positions counted from 0 over the life of the history."""

    def __init__(self) -> None:
        self._buffer: Samples = np.zeros(1 << 16, dtype=np.int16)
        self._from = self._to = 0
        self.start = 0

    @property
    def end(self) -> int:
        return self.start + self._to - self._from

    def append(self, samples: Samples) -> None:
        held = self._to - self._from
        if self._to + len(samples) > len(self._buffer):
            # Moving to the front is amortised: it happens once in about half a buffer of new samples.
            size = len(self._buffer)
            while held + len(samples) > size // 2:
                size *= 2
            buffer = np.zeros(size, dtype=np.int16) if size != len(self._buffer) else self._buffer
            buffer[:held] = self._buffer[self._from : self._to].copy()
            self._buffer, self._from, self._to = buffer, 0, held
        self._buffer[self._to : self._to + len(samples)] = samples
        self._to += len(samples)

    def get(self, start: int, end: int) -> Samples:
        """A copy of positions `start` to `end`, cut to what is held."""
        first = self._from + max(0, start - self.start)
        last = self._from + max(0, min(end, self.end) - self.start)
        return self._buffer[first:last].copy()

    def forget_before(self, position: int) -> None:
        count = min(max(0, position - self.start), self._to - self._from)
        self._from += count
        self.start += count
