"""Which session folder is in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from stt_daemon.messages.base import Message


@dataclass(frozen=True, kw_only=True)
class SessionChanged(Message):
    """A session was opened, resumed or closed by the transcription worker."""

    topic: ClassVar[str] = "session"
    public: ClassVar[bool] = True
    sticky: ClassVar[tuple[str, ...] | None] = ()

    state: Literal["opened", "resumed", "closed"]
    id: str
    dir: str


@dataclass(frozen=True, kw_only=True)
class SessionRequested(Message):
    """The core asks the supervisor for a new session folder."""

    topic: ClassVar[str] = "session_wanted"


@dataclass(frozen=True, kw_only=True)
class SessionAssigned(Message):
    """The supervisor made a folder; the worker changes to it at the next segment boundary."""

    topic: ClassVar[str] = "session_assigned"

    id: str
    dir: str
