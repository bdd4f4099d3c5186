"""Whether a device delivers as many frames a second as it claims. Pure; used by the reading thread."""

from __future__ import annotations

from stt_daemon.audio.capture import Progress

WINDOW_S = 8.0
"""Callbacks come up to 0.2 s late while the interpreter is held: over 8 s that is 2.5 %, below the limit."""

TOLERANCE = 0.05
"""The closest pair of common rates, 44,100 and 48,000, lies 8 % apart; real clocks lie within 0.1 %."""

COMMON_RATES = (8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000)


class RateMeter:
    """Compares frames with the clock over windows that follow one another."""

    def __init__(self, nominal: int) -> None:
        self._nominal = nominal
        self._start: tuple[int, float] | None = None

    def restart(self) -> None:
        """Frames were lost and accounted for: measure from the next callback on."""
        self._start = None

    def mismatch(self, progress: Progress) -> float | None:
        """The measured rate when a window has just ended and it is off by more than 5 %, else None."""
        if progress.last_monotonic is None:
            return None
        if self._start is None:
            self._start = (progress.frames, progress.last_monotonic)
            return None
        frames, elapsed = progress.frames - self._start[0], progress.last_monotonic - self._start[1]
        if elapsed < WINDOW_S:
            return None
        self._start = (progress.frames, progress.last_monotonic)
        measured = frames / elapsed
        return measured if abs(measured / self._nominal - 1.0) > TOLERANCE else None


def nearest_rate(measured: float) -> int | None:
    """The common rate within 2 % of a measured one: then the device runs well and was only misnamed."""
    best = min(COMMON_RATES, key=lambda rate: abs(rate - measured))
    return best if abs(best / measured - 1.0) < 0.02 else None
