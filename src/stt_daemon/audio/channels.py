"""Several channels become one without losing a voice. Pure state; used by the one thread that reads a source.

A blind average turns an inverted pair into silence and halves a microphone whose other channel is dead.
So channels that carry nothing are left out, one that mirrors the loudest is left out, and the rest is
averaged, which keeps two people who each have a channel of their own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stt_daemon.audio.blocks import Interleaved

LIVE_WITHIN_DB = 40.0
"""Quieter than the loudest by more than this is hum: a soft voice beside a loud one lies at -30 dB."""

RELEASE_DB_PER_S = 15.0
"""How fast the memory of a channel's loudness fades, so that nobody is cut off in a breath."""

MIRRORED_BELOW = -0.5
MIRROR_ENDS_ABOVE = -0.2
"""Correlation with the loudest channel. Two voices stay near 0, a stereo pair is positive, a wrongly wired
balanced input is -1."""

STEP_S = 0.032
_CORRELATION_S = 0.5
_SWITCH_DB = 6.0


class ChannelMixer:
    """Mixes blocks of shape (frames, channels) down to (frames,); weights glide, so nothing clicks."""

    def __init__(self, channels: int, rate: int) -> None:
        self._channels = channels
        self._step = max(1, int(rate * STEP_S))
        self._step_s = self._step / rate
        self._envelope = np.zeros(channels)
        self._cross = np.zeros((channels, channels))
        self._mirrored = np.zeros(channels, dtype=bool)
        self._leader = 0
        self._weights: NDArray[np.float64] | None = None

    def mix(self, block: Interleaved) -> NDArray[np.int16]:
        """One channel of the same length. Raises nothing; an empty block stays empty."""
        if self._channels == 1 or len(block) == 0:
            return np.ascontiguousarray(block[:, 0])
        values = block.astype(np.float64)
        parts = [self._mix_step(values[at : at + self._step]) for at in range(0, len(values), self._step)]
        mixed = np.rint(np.concatenate(parts))
        return np.clip(mixed, -32768, 32767).astype(np.int16)

    def _mix_step(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        heard_before = bool(self._envelope.any())
        self._observe(values)
        target = self._target()
        # Out of utter silence nothing can click: the first word comes at its full level.
        before = self._weights if heard_before and self._weights is not None else target
        self._weights = target
        if np.array_equal(before, target):
            return np.asarray(values @ target)
        ramp = np.linspace(0.0, 1.0, len(values), endpoint=False)[:, None]
        return np.asarray(np.sum(values * (before + (target - before) * ramp), axis=1))

    def _observe(self, values: NDArray[np.float64]) -> None:
        share = len(values) / self._step
        cross = values.T @ values / len(values)
        release = 10 ** (-RELEASE_DB_PER_S * self._step_s * share / 20)
        self._envelope = np.maximum(np.sqrt(np.diag(cross)), self._envelope * release)
        keep = 0.5 ** (self._step_s * share / _CORRELATION_S)
        self._cross = self._cross * keep + cross * (1 - keep)
        loudest = int(np.argmax(self._envelope))
        # Only a clearly louder one takes the lead: between a mirrored pair each change flips the sign.
        if self._envelope[loudest] > self._envelope[self._leader] * 10 ** (_SWITCH_DB / 20):
            self._leader = loudest
        power = np.diag(self._cross)
        scale = np.sqrt(power * power[self._leader])
        correlation = np.divide(
            self._cross[self._leader], scale, out=np.zeros(self._channels), where=scale > 0
        )
        limit = np.where(self._mirrored, MIRROR_ENDS_ABOVE, MIRRORED_BELOW)
        self._mirrored = correlation < limit

    def _target(self) -> NDArray[np.float64]:
        live = self._envelope > self._envelope[self._leader] * 10 ** (-LIVE_WITHIN_DB / 20)
        live &= ~self._mirrored
        live[self._leader] = True
        weights: NDArray[np.float64] = live / np.float64(live.sum())
        return weights
