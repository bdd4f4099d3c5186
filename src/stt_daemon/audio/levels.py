"""Loudness, clipping and digital silence of int16 samples. Pure functions; any thread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FLOOR_DB = -120.0
"""What silence is called; one step of 16 bits is -90 dBFS, so nothing measured lies below."""

FULL_SCALE = 32768.0

CLIP_RUN = 3
"""So many neighbours at the rail make a flat top. A single full-scale sample is a legal peak."""


def level_db(samples: NDArray[np.int16]) -> float:
    """RMS of any int16 array in dB relative to full scale, at least `FLOOR_DB`."""
    if samples.size == 0:
        return FLOOR_DB
    values = samples.astype(np.float32).ravel() / FULL_SCALE
    return _decibels(float(np.dot(values, values)) / values.size)


def frame_levels_db(frames: NDArray[np.float32]) -> NDArray[np.float32]:
    """RMS in dBFS of each row of float frames (-1 to 1), shape (n, width) to (n,)."""
    power = np.einsum("ij,ij->i", frames, frames) / max(1, frames.shape[1])
    levels: NDArray[np.float32] = 10.0 * np.log10(np.maximum(power, 1e-12))
    return np.maximum(levels, np.float32(FLOOR_DB))


def loud_level_db(samples: NDArray[np.int16], rate: int) -> float:
    """Level of the loud parts: 95th percentile of the RMS of 30 ms frames, dBFS.

    Unlike the mean it does not sink with the pauses in a segment, unlike the peak it ignores a click.
    """
    width = int(rate * 0.03)
    whole = samples.size // width
    if whole == 0:
        return level_db(samples)
    frames = samples[: whole * width].reshape(whole, width).astype(np.float32) / FULL_SCALE
    return float(np.percentile(frame_levels_db(frames), 95))


def is_clipped(samples: NDArray[np.int16]) -> bool:
    """Whether a run of `CLIP_RUN` samples sits at either rail; shape (n,) or (frames, channels)."""
    at_rail = (samples >= 32767) | (samples <= -32767)
    if not at_rail.any() or len(samples) < CLIP_RUN:
        return False
    runs = at_rail[: len(samples) - CLIP_RUN + 1].copy()
    for offset in range(1, CLIP_RUN):
        runs &= at_rail[offset : len(samples) - CLIP_RUN + 1 + offset]
    return bool(runs.any())


def is_digital_silence(samples: NDArray[np.int16]) -> bool:
    """Every sample exactly zero: no microphone with power sounds like that, however quiet the room."""
    return not samples.any()


def _decibels(power: float) -> float:
    return max(FLOOR_DB, 10.0 * float(np.log10(power))) if power > 0 else FLOOR_DB
