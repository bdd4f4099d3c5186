"""What somebody wants done, on its way to whoever does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stt_daemon.messages.base import Message


@dataclass(frozen=True, kw_only=True)
class MuteRequested(Message):
    """Keep the device open and discard every sample (`on`), or listen again."""

    topic: ClassVar[str] = "mute"
    sticky: ClassVar[tuple[str, ...] | None] = ()

    on: bool


@dataclass(frozen=True, kw_only=True)
class PauseRequested(Message):
    """Close the device (`on`), or open it again."""

    topic: ClassVar[str] = "pause"
    sticky: ClassVar[tuple[str, ...] | None] = ()

    on: bool


@dataclass(frozen=True, kw_only=True)
class ShutdownRequested(Message):
    """The core asks the supervisor to stop the whole program cleanly."""

    topic: ClassVar[str] = "shutdown"


@dataclass(frozen=True, kw_only=True)
class ControlReceived(Message):
    """One line of `--control`, without its line end."""

    topic: ClassVar[str] = "control"

    line: str
