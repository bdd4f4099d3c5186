"""Between the supervisor and its children: start, health, stop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from stt_daemon.errors import ErrorRecord
from stt_daemon.messages.base import Keep, Message

ChildName = Literal["transcription", "assistant", "tui"]
ChildState = Literal["starting", "ready", "draining", "backoff", "failed", "stopped"]
LaneName = Literal["whisper", "llm", "laya"]
LaneState = Literal["loading", "ready", "busy", "unavailable"]


@dataclass(frozen=True, kw_only=True)
class ChildConfigured(Message):
    """The first message a child receives: all it needs to run.

    `config` is the validated configuration as plain data. `source` is what `--source` said ("mic",
    "mic:NAME", a path or "-"); `resumed` tells that the session existed before this run of the program.
    `attempt` counts the starts of this child in this run, from 1; with 2 or more the child takes up where
    its predecessor was killed. `source_t` is how far (session seconds) that one is known to have read.
    """

    topic: ClassVar[str] = "configured"

    config: dict[str, Any]
    session_id: str
    session_dir: str
    resumed: bool
    source: str
    speed: Literal["realtime", "max"]
    offline: bool
    attempt: int = 1
    source_t: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ChildReady(Message):
    """Channels are up and the loop runs; models may still be loading."""

    topic: ClassVar[str] = "ready"

    name: ChildName


@dataclass(frozen=True, kw_only=True)
class ChildLoadFailed(Message):
    """The child could not start, and why; it ends after this."""

    topic: ClassVar[str] = "load_failed"

    name: ChildName
    error: ErrorRecord


@dataclass(frozen=True, kw_only=True)
class Heartbeat(Message):
    """Sent every second. `busy_s` tells for each lane how long its present job runs (0: none)."""

    topic: ClassVar[str] = "heartbeat"
    keep: ClassVar[Keep] = "latest"

    name: ChildName
    busy_s: dict[str, float] = field(default_factory=dict)
    source_t: float = 0.0


@dataclass(frozen=True, kw_only=True)
class StopRequested(Message):
    """Stop cleanly; whatever is not done after `grace_s` seconds stays listed for the next start."""

    topic: ClassVar[str] = "stop"

    grace_s: float


@dataclass(frozen=True, kw_only=True)
class ChildStopped(Message):
    """The last message of a clean stop. `waiting_s`: seconds of audio left for the next start."""

    topic: ClassVar[str] = "stopped"

    name: ChildName
    waiting_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ChildChanged(Message):
    """A child changed state, as the supervisor sees it."""

    topic: ClassVar[str] = "child"
    public: ClassVar[bool] = True
    sticky: ClassVar[tuple[str, ...] | None] = ("name",)

    name: ChildName
    state: ChildState
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class LaneChanged(Message):
    """A lane changed state. `depth` counts the jobs that wait."""

    topic: ClassVar[str] = "lane"
    public: ClassVar[bool] = True
    sticky: ClassVar[tuple[str, ...] | None] = ("name",)

    name: LaneName
    state: LaneState
    depth: int = 0
    reason: str = ""
