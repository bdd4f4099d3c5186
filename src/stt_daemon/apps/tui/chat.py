"""The chat and command pane: what was said to the model and what it said, commands, and the line to type in.

Owned by the interface's loop. Each reply that streams is one entry that grows; nothing here decides what a
line means: it goes upwards as it was typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message as TextualMessage
from textual.widgets import Input

from stt_daemon.apps.tui import chat_lines
from stt_daemon.apps.tui.chat_lines import ChatEntry
from stt_daemon.apps.tui.inference import Inference
from stt_daemon.apps.tui.line_input import LineInput
from stt_daemon.apps.tui.lines_view import LinesView
from stt_daemon.apps.tui.markdown import GrowingReply
from stt_daemon.apps.tui.text import label
from stt_daemon.apps.tui.wrap import Row
from stt_daemon.messages import ChatSaid, CommandChanged, LaneChanged, Message, Mode, ModeChanged

_KEPT_LINES = 100
_TITLES: Mapping[Mode, str] = {"idle": "Chat", "chat": "Chatting", "command": "Command"}
_PLACEHOLDERS: Mapping[Mode, str] = {
    "idle": "type to chat, / for a command",
    "chat": "chat is on: speak or type",
    "command": "say or type a command",
}


class ChatView(LinesView[ChatEntry]):
    """The conversation."""

    def layout_entry(self, entry: ChatEntry, width: int) -> Sequence[Row]:
        return chat_lines.layout(entry, width)

    def extent(self, entry: ChatEntry) -> int:
        return chat_lines.extent(entry)

    def copied(self, entry: ChatEntry) -> str:
        return entry.text


@dataclass
class _Streaming:
    """A reply on its way and where it stands."""

    entry: ChatEntry
    reply: GrowingReply = field(default_factory=GrowingReply)


class LineEntered(TextualMessage):
    """The user entered a line: a command if it starts with `/`, else something to say to the model."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class EntryLine(LineInput):
    """The input of the chat; up and down bring back what was entered before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "recall(-1)", "Line before", show=False),
        Binding("down", "recall(1)", "Line after", show=False),
    ]

    def __init__(self) -> None:
        # Selecting all on focus would let the first letter replace a "/" that is there already.
        super().__init__(placeholder=_PLACEHOLDERS["idle"], compact=True, select_on_focus=False, id="entry")
        self._entered: list[str] = []
        self._at = 0

    def take(self) -> str:
        """The line, which is then gone from the input."""
        text = self.value.strip()
        if text and self._entered[-1:] != [text]:
            self._entered = [*self._entered, text][-_KEPT_LINES:]
        self._at = len(self._entered)
        self.value = ""
        return text

    def action_recall(self, step: int) -> None:
        self._at = max(0, min(len(self._entered), self._at + step))
        self.value = self._entered[self._at] if self._at < len(self._entered) else ""
        self.cursor_position = len(self.value)


class ChatPane(Vertical):
    """The pane with its border and its input line."""

    DEFAULT_CSS = """
    ChatPane {
        border: round $panel;
        border-title-color: $text-muted;
        border-subtitle-color: $text-warning;
        padding: 0 0 0 1;
        &:focus-within { border: round $primary; border-title-color: $text; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.view = ChatView()
        self.entry = EntryLine()
        self._inference = Inference()
        self._streaming: dict[int, _Streaming] = {}
        self._mode: Mode = "idle"
        self._set_title()

    def compose(self) -> ComposeResult:
        yield self.view
        yield self.entry

    def load(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Begin with what `chat.jsonl` holds."""
        self._streaming.clear()
        self.view.set_entries(chat_lines.of_records(records))

    def show(self, message: Message) -> None:
        """Take in a message; those that are not about chat, commands or the LLM lane change nothing."""
        if isinstance(message, ChatSaid):
            self._said(message)
        elif isinstance(message, CommandChanged):
            self.view.append(chat_lines.command(message))
        elif isinstance(message, ModeChanged):
            self._mode = message.mode
            self.entry.placeholder = _PLACEHOLDERS[message.mode]
            self._set_title()
        elif isinstance(message, LaneChanged) and self._inference.follow(message):
            self._set_title()

    def line_text(self) -> str:
        """What `y` copies."""
        return self.view.line_text()

    def open_entry(self, start: str = "") -> None:
        """Let the user type; `start` is put there when nothing has been typed yet."""
        self.entry.focus()
        if start and not self.entry.value:
            self.entry.value = start
            self.entry.cursor_position = len(start)

    # Inside

    def _said(self, message: ChatSaid) -> None:
        if message.role == "user":
            self.view.append(chat_lines.user(message.text, message.exchange))
        elif message.role == "notice":
            self.view.append(chat_lines.notice(message.text))
        elif message.final:
            self._finish(message)
        else:
            self._grow(message)

    def _grow(self, message: ChatSaid) -> None:
        stream = self._streaming.get(message.exchange)
        if stream is None:
            stream = _Streaming(chat_lines.growing("", (), message.exchange))
            self._streaming[message.exchange] = stream
            self.view.append(stream.entry)
        if message.text:
            stream.reply = GrowingReply()
            stream.reply.grow(message.text)
        stream.reply.grow(message.delta)
        said = stream.reply.paragraphs()
        self._put(stream, chat_lines.growing(stream.reply.text, said, message.exchange))

    def _finish(self, message: ChatSaid) -> None:
        stream = self._streaming.pop(message.exchange, None)
        text = message.text or (stream.reply.text if stream else "")
        entry = chat_lines.reply(text, message.exchange, message.finish_reason)
        if stream is None:
            self.view.append(entry)
        else:
            self._put(stream, entry)

    def _put(self, stream: _Streaming, entry: ChatEntry) -> None:
        self.view.replace(self.view.entries.index(stream.entry), entry)
        stream.entry = entry

    def _set_title(self) -> None:
        self.border_title = label(f"{_TITLES[self._mode]} {self._inference.told()}")

    @on(LinesView.UnseenChanged)
    def _unseen_changed(self, event: LinesView.UnseenChanged) -> None:
        event.stop()
        self.border_subtitle = label(f"{event.count} new ↓") if event.count else None

    @on(Input.Submitted, "#entry")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if text := self.entry.take():
            self.post_message(LineEntered(text))

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape" and self.entry.has_focus:
            event.stop()
            self.view.focus()
