"""What the user should know: trouble that was survived, and trouble that was not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stt_daemon.messages.base import Message


@dataclass(frozen=True, kw_only=True)
class Warned(Message):
    """Work goes on, but not as expected. `where` is a room or device, `code` a stable word."""

    topic: ClassVar[str] = "warning"
    public: ClassVar[bool] = True

    where: str
    code: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Failed(Message):
    """Something the user asked for does not happen."""

    topic: ClassVar[str] = "error"
    public: ClassVar[bool] = True

    where: str
    code: str
    message: str
