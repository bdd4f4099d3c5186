"""From frames as they were captured to blocks on the session's axis: clipping seen, mixed, resampled, timed.

Used by the one thread that reads a source.
"""

from __future__ import annotations

from stt_daemon.audio.blocks import Block, Interleaved, Samples
from stt_daemon.audio.channels import ChannelMixer
from stt_daemon.audio.levels import is_clipped
from stt_daemon.audio.resample import Resampler
from stt_daemon.domain import SAMPLE_RATE


class SoundPath:
    """One connected stream of frames; `t` is the session time of the next frame to come.

    Times are counted in samples from the last anchor, so they add up exactly over hours.
    """

    def __init__(self, channels: int, rate: int, t: float) -> None:
        self.rate = rate
        self._mixer = ChannelMixer(channels, rate)
        self._resampler = Resampler(rate)
        self._anchor(t)

    @property
    def t(self) -> float:
        return self._t0 + self._frames / self.rate

    def push(self, frames: Interleaved, *, late_s: float = 0.0) -> Block | None:
        """The block for frames of shape (n, channels); None while the resampler still holds all of it."""
        clipped = is_clipped(frames)
        self._frames += len(frames)
        return self._block(self._resampler.push(self._mixer.mix(frames)), clipped, late_s)

    def flush(self) -> Block | None:
        """The last samples, once nothing follows."""
        return self._block(self._resampler.flush(), False, 0.0)

    def skip(self, frames: int) -> None:
        """These frames were heard by nobody; time goes on."""
        self.jump(self.t + frames / self.rate)

    def jump(self, t: float) -> None:
        """What comes next begins at `t`; never earlier than where the path is."""
        self._resampler = Resampler(self.rate)
        self._anchor(max(t, self.t))

    def _anchor(self, t: float) -> None:
        self._t0, self._frames, self._samples = t, 0, 0

    def _block(self, samples: Samples, clipped: bool, late_s: float) -> Block | None:
        if len(samples) == 0:
            return None
        block = Block(samples, self._t0 + self._samples / SAMPLE_RATE, clipped, late_s)
        self._samples += len(samples)
        return block
