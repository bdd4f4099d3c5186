"""What stands in the chat and command pane: who said it, and how it is laid out. Pure; one thread.

Only replies of the model are read as Markdown. What the user said, notices and commands are plain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from stt_daemon.apps.tui.markdown import Paragraph, paragraphs, plain_paragraphs
from stt_daemon.apps.tui.text import cells, shown
from stt_daemon.apps.tui.wrap import Piece, Row, wrap
from stt_daemon.domain.text import plain
from stt_daemon.messages import CommandChanged

ChatKind = Literal["user", "assistant", "notice", "command", "trouble"]

_NAMES = {"user": "You", "assistant": "Assistant"}
_STYLES = {"user": "you", "assistant": "assistant", "notice": "quiet", "command": "quiet", "trouble": "flag"}
_INDENT = 2
_CUT = {
    "length": "cut off at the token limit",
    "withdrawn": "withdrawn",
}


@dataclass(frozen=True, eq=False)
class ChatEntry:
    """One contribution, compared by identity. `text` is whole; `said` is how it is shown."""

    kind: ChatKind
    text: str
    said: tuple[Paragraph, ...]
    exchange: int = 0
    note: str = ""
    growing: bool = False


def user(text: str, exchange: int) -> ChatEntry:
    return ChatEntry("user", text, tuple(plain_paragraphs(text)), exchange)


def reply(text: str, exchange: int, finish_reason: str = "") -> ChatEntry:
    """A finished reply."""
    note = _CUT.get(finish_reason, "")
    if not text and not note:
        note = "no reply"
    return ChatEntry("assistant", text, tuple(paragraphs(text)) if text else (), exchange, note)


def growing(text: str, said: Sequence[Paragraph], exchange: int) -> ChatEntry:
    """A reply of which more is to come."""
    return ChatEntry("assistant", text, tuple(said), exchange, growing=True)


def notice(text: str) -> ChatEntry:
    return ChatEntry("notice", text, tuple(plain_paragraphs(text, "quiet")))


def command(message: CommandChanged) -> ChatEntry:
    """What became of a command, in one line."""
    kind: ChatKind = "trouble" if message.state in ("refused", "failed", "asked", "proposed") else "command"
    text = plain(f"/{message.id} {message.state}" + (f": {message.reason}" if message.reason else ""))
    return ChatEntry(kind, text, tuple(plain_paragraphs(text, _STYLES[kind])))


def of_records(records: Iterable[Mapping[str, Any]]) -> list[ChatEntry]:
    """The chat as `chat.jsonl` holds it; records of another form are left out."""
    entries = []
    for record in records:
        kind, text, number = record.get("type"), record.get("text"), record.get("n")
        if record.get("carried") or not isinstance(text, str):
            continue
        exchange = number if isinstance(number, int) else 0
        if kind == "user":
            entries.append(user(text, exchange))
        elif kind == "assistant" and text:
            entries.append(reply(text, exchange, str(record.get("finish_reason", ""))))
    return entries


def extent(entry: ChatEntry, width: int = 80) -> int:
    """Counted in rows of about the usual width, since a line of a reply begins a row of its own."""
    lines = entry.text.count("\n") + 1
    return cells(entry.text) + lines * width // 2


def layout(entry: ChatEntry, width: int) -> list[Row]:
    rows: list[Row] = []
    if entry.kind in _NAMES:
        rows += [Row(()), *wrap((Piece(_NAMES[entry.kind], _STYLES[entry.kind]),), width)]
        for paragraph in entry.said:
            rows += _indented(paragraph).rows(width)
        if entry.growing:
            rows += wrap((Piece("…", "quiet"),), width, indent=_INDENT, hang=_INDENT)
        elif entry.note:
            rows += wrap((Piece(f"({shown(entry.note)})", "quiet"),), width, indent=_INDENT, hang=_INDENT)
        return rows
    for number, paragraph in enumerate(entry.said):
        first = Piece("› " if number == 0 else "  ", _STYLES[entry.kind])
        rows += wrap((first, *paragraph.pieces), width, hang=_INDENT)
    return rows


def _indented(paragraph: Paragraph) -> Paragraph:
    return Paragraph(paragraph.pieces, paragraph.indent + _INDENT, paragraph.hang + _INDENT, paragraph.code)
