"""What a person reads of a chat.jsonl: who said what and when, and what was taken back. Pure; any thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

NO_REPLY = "(no reply)"


@dataclass(frozen=True)
class ChatTurn:
    """One message or reply. `clock` is HH:MM:SS, `cites` are line ids; `taken_back`: the chat forgot it."""

    who: str
    clock: str
    text: str
    number: int
    cites: tuple[str, ...] = ()
    taken_back: bool = False


def chat_turns(records: Iterable[Mapping[str, Any]]) -> list[ChatTurn]:
    """The messages and replies in order, without carried and damaged records and those of other kinds."""
    turns: list[ChatTurn] = []
    for record in records:
        kind, number = record.get("type"), record.get("n")
        if record.get("carried"):
            continue
        if kind == "rewind" and isinstance(to := record.get("to"), int):
            turns = [replace(turn, taken_back=turn.taken_back or turn.number > to) for turn in turns]
        if kind not in ("user", "assistant") or not isinstance(number, int):
            continue
        text, cites = record.get("text"), record.get("cites")
        turns.append(
            ChatTurn(
                "You" if kind == "user" else "Assistant",
                str(record.get("wall", ""))[11:19],
                str(text) if text else NO_REPLY,
                number,
                tuple(str(cite) for cite in cites) if isinstance(cites, list) else (),
            )
        )
    return turns
