"""What the core decides and says: mode, toggles, marks, chat, commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from stt_daemon.messages.base import Message

Mode = Literal["idle", "chat", "command"]
CommandState = Literal["proposed", "confirmed", "done", "refused", "asked", "failed"]


@dataclass(frozen=True, kw_only=True)
class ModeChanged(Message):
    """The core is in another mode. `why`: the phrase, key or line that changed it, in a few words."""

    topic: ClassVar[str] = "mode"
    public: ClassVar[bool] = True
    sticky: ClassVar[tuple[str, ...] | None] = ()

    mode: Mode
    why: str


@dataclass(frozen=True, kw_only=True)
class ToggleChanged(Message):
    """A switch of the core: "send_transcripts" or "send_to_triage"."""

    topic: ClassVar[str] = "toggle"
    public: ClassVar[bool] = True
    sticky: ClassVar[tuple[str, ...] | None] = ("name",)

    name: str
    on: bool


@dataclass(frozen=True, kw_only=True)
class Marked(Message):
    """The user marked the moment `t` (session seconds), or noted something at it."""

    topic: ClassVar[str] = "mark"
    public: ClassVar[bool] = True

    t: float
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class ChatSaid(Message):
    """A piece of the conversation.

    While a reply streams, `delta` carries its next piece and `final` is false; a `text` that is not final
    replaces all that was streamed so far. The final message carries the whole `text`; `usage`,
    `finish_reason` and `cites` (utterance ids) belong to it. `exchange` numbers the question and its answer;
    0: a notice about a message that never became one.
    """

    topic: ClassVar[str] = "chat"
    public: ClassVar[bool] = True

    role: Literal["user", "assistant", "notice"]
    exchange: int
    text: str = ""
    delta: str = ""
    final: bool = True
    usage: dict[str, Any] | None = None
    finish_reason: str = ""
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CommandChanged(Message):
    """What became of a command. `reason` is what the user reads: a question, a result, a refusal."""

    topic: ClassVar[str] = "command"
    public: ClassVar[bool] = True

    id: str
    state: CommandState
    args: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
