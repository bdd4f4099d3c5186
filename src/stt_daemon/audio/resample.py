"""Any rate to 16 kHz mono int16, piece by piece, through FFmpeg's resampler. Used by one thread.

The resampler keeps its phase between pieces, so hours of blocks give as many samples as one long array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stt_daemon.domain import SAMPLE_RATE


class Resampler:
    """Streaming conversion of mono int16. At 16 kHz it hands everything through untouched."""

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self._resampler: Any = None

    def push(self, samples: NDArray[np.int16]) -> NDArray[np.int16]:
        """What is ready after these samples, shape (n,); up to 2 ms stays inside until more come."""
        if self.rate == SAMPLE_RATE:
            return samples
        if len(samples) == 0:
            return np.zeros(0, dtype=np.int16)
        # Only here: a device at 16 kHz never pays for importing FFmpeg.
        import av

        if self._resampler is None:
            self._resampler = av.AudioResampler(format="s16", layout="mono", rate=SAMPLE_RATE)
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(samples, dtype=np.int16)[None, :], format="s16", layout="mono"
        )
        frame.sample_rate = self.rate
        return self._joined(self._resampler.resample(frame))

    def flush(self) -> NDArray[np.int16]:
        """The last samples, once nothing follows; the next `push` begins anew."""
        if self._resampler is None:
            return np.zeros(0, dtype=np.int16)
        rest = self._joined(self._resampler.resample(None))
        self._resampler = None
        return rest

    @staticmethod
    def _joined(frames: list[Any]) -> NDArray[np.int16]:
        if not frames:
            return np.zeros(0, dtype=np.int16)
        return np.concatenate(
            [np.asarray(frame.to_ndarray(), dtype=np.int16).reshape(-1) for frame in frames]
        )
