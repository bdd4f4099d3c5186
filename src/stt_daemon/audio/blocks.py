"""What a source of sound hands to the listener: blocks, gaps, states, warnings, an end.

Owns no state. A source is read by one thread, the listener's; `mute`, `pause` and `close` may be called from
any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stt_daemon.messages import CaptureState

Samples: TypeAlias = NDArray[np.int16]
"""Mono, 16 kHz, shape (n,)."""

Interleaved: TypeAlias = NDArray[np.int16]
"""As a device or decoder delivers it: shape (frames, channels), native rate."""


@dataclass(frozen=True)
class Block:
    """Consecutive samples; `t` is the session time of the first.

    `clipped`: samples were flat-topped before they were mixed and resampled, where it can still be seen.
    `late_s`: how long after its due moment a paced source handed it out (0 for the others).
    """

    samples: Samples
    t: float
    clipped: bool = False
    late_s: float = 0.0


@dataclass(frozen=True)
class SourceGap:
    """Nothing was recorded from `t0` to `t1` (session seconds), and nobody asked for that."""

    t0: float
    t1: float
    reason: str


@dataclass(frozen=True)
class SourceState:
    """The source is in another state. After "muted", "paused" and "lost" the next block may start later."""

    state: CaptureState
    reason: str = ""


@dataclass(frozen=True)
class SourceWarning:
    """Recording goes on, but not as it should. `code` is a stable word."""

    code: str
    message: str


@dataclass(frozen=True)
class SourceEnd:
    """There is nothing more to read."""

    reason: str = ""


SourceItem: TypeAlias = Block | SourceGap | SourceState | SourceWarning | SourceEnd


class Source(Protocol):
    """A microphone, a file, or raw samples on a descriptor.

    Blocks join without a hole, except after a `SourceGap` or a `SourceState`; session time never runs
    backwards. Name and rate are final once `open` has returned, and may change with a "live" state.
    """

    @property
    def live(self) -> bool:
        """Its time runs by itself; a file's or raw stream's follows what has been read."""

    @property
    def name(self) -> str:
        """A device or file name a person recognises."""

    @property
    def rate(self) -> int:
        """Native rate in hertz; 0 while unknown."""

    def open(self) -> None:
        """Make ready. Raises AudioError for what the user must change; a missing microphone is a state."""

    def read(self) -> SourceItem | None:
        """The next item, after waiting at most about 0.1 s; None when there is nothing yet."""

    def mute(self, on: bool) -> None:
        """Go on, but discard every sample (`on`), or hear again."""

    def pause(self, on: bool) -> None:
        """Let go of the device or stop reading (`on`), or take it up again."""

    def close(self) -> None:
        """Stop capturing. What was captured before can still be read, then comes `SourceEnd`."""
