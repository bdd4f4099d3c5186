"""How recording is going."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from stt_daemon.messages.base import Keep, Message

CaptureState = Literal["starting", "live", "muted", "paused", "lost", "ended"]


@dataclass(frozen=True, kw_only=True)
class CaptureChanged(Message):
    """The source's state. `device` is a name a person recognises, `rate` its native rate in hertz."""

    topic: ClassVar[str] = "capture"
    public: ClassVar[bool] = True
    sticky: ClassVar[tuple[str, ...] | None] = ()

    state: CaptureState
    device: str
    rate: int
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class LevelMeasured(Message):
    """Loudness of the last tenth of a second (RMS, dBFS, at least -120) and whether samples clipped."""

    topic: ClassVar[str] = "level"
    public: ClassVar[bool] = True
    keep: ClassVar[Keep] = "latest"

    db: float
    clipping: bool


@dataclass(frozen=True, kw_only=True)
class SourceAdvanced(Message):
    """The source has been read up to `t` (session seconds). `live`: its time runs by itself."""

    topic: ClassVar[str] = "progress"
    keep: ClassVar[Keep] = "latest"

    t: float
    live: bool


@dataclass(frozen=True, kw_only=True)
class SourceDrained(Message):
    """Said by the worker: the source has ended and everything heard is in the journal. The supervisor repeats
    it to the core, which says it in turn when nothing that follows from it is at work any more.
    """

    topic: ClassVar[str] = "drained"
