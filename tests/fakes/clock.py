"""A clock that stands still until a test moves it."""

from __future__ import annotations

import threading


class FakeClock:
    """Monotonic and wall time that move together with `advance`; `step_wall` moves the label alone."""

    def __init__(self, monotonic: float = 1000.0, wall: float = 1_764_500_000.0) -> None:
        self._lock = threading.Lock()
        self._monotonic = monotonic
        self._wall = wall

    def monotonic(self) -> float:
        with self._lock:
            return self._monotonic

    def wall(self) -> float:
        with self._lock:
            return self._wall

    def advance(self, seconds: float) -> None:
        with self._lock:
            self._monotonic += seconds
            self._wall += seconds

    def step_wall(self, seconds: float) -> None:
        with self._lock:
            self._wall += seconds
