"""Where time comes from: durations from `monotonic`, labels from `wall`."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Time as a dependency, so that a test can move it."""

    def monotonic(self) -> float:
        """Seconds that never step back; only differences mean anything."""

    def wall(self) -> float:
        """Seconds since the epoch; may step in both directions."""


class SystemClock:
    """The real clock. Safe from any thread."""

    def monotonic(self) -> float:
        return time.monotonic()

    def wall(self) -> float:
        return time.time()
