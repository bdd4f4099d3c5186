"""What the listener tells beside messages, and the snapshot it gives of the open segment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from stt_daemon.audio.blocks import Samples
from stt_daemon.domain import Segment
from stt_daemon.errors import ErrorRecord
from stt_daemon.messages import Message


@dataclass(frozen=True)
class SegmentClosed:
    """A segment is whole on disk. `closed_monotonic`: now, by the clock; `speech_end_monotonic`: when, by
    the same clock, its last voiced sample was spoken (exact for sources at the pace of real time)."""

    segment: Segment
    closed_monotonic: float
    speech_end_monotonic: float


@dataclass(frozen=True)
class GapHeard:
    """Nothing was recorded from `t0` to `t1`; follows the segments before it."""

    t0: float
    t1: float
    reason: str


@dataclass(frozen=True)
class PartialDue:
    """The open segment, which began at `t0`, has new speech up to `t1`; `open_audio` holds it."""

    t0: float
    t1: float


@dataclass(frozen=True)
class FolderChanged:
    """Segments from now on are written to `path`."""

    path: Path


@dataclass(frozen=True)
class ListenerEnded:
    """The last event of a listener. `source_ended`: the source had no more, nobody asked to stop."""

    reason: str
    source_ended: bool


@dataclass(frozen=True)
class ListenerFailed:
    """The last event of a listener that cannot go on; what was open has been closed as `lost`."""

    error: ErrorRecord


ListenerEvent: TypeAlias = (
    Message | SegmentClosed | GapHeard | PartialDue | FolderChanged | ListenerEnded | ListenerFailed
)


@dataclass(frozen=True)
class OpenAudio:
    """A copy of the segment that is being spoken: int16 mono at 16 kHz, from `t0` to `t1`."""

    samples: Samples
    t0: float
    t1: float
