"""What waits for the interface's loop: everything that happened, but of values only the latest. Pure.

Levels, partials and the like replace what waits of their kind; pieces of the same reply are joined. So a loop
that is late has less to catch up with, not more.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from stt_daemon.messages import ChatSaid, Message


class Coalescer:
    """In order of arrival; not safe between threads by itself."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[object, object] = OrderedDict()
        self._next = 0
        self._last: int = -1

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, item: object) -> None:
        if isinstance(item, Message) and item.keep == "latest":
            self._waiting.pop(item.topic, None)
            self._waiting[item.topic] = item
            return
        if isinstance(item, ChatSaid) and self._joins(item):
            return
        self._waiting[self._next] = item
        self._last = self._next
        self._next += 1

    def take(self, most: int) -> list[object]:
        """The oldest items, at most so many."""
        return [self._waiting.popitem(last=False)[1] for _ in range(min(most, len(self._waiting)))]

    def _joins(self, piece: ChatSaid) -> bool:
        """Whether the piece could be added to the one that waits before it."""
        before = self._waiting.get(self._last)
        if not (isinstance(before, ChatSaid) and _is_piece(before) and _is_piece(piece)):
            return False
        if before.exchange != piece.exchange:
            return False
        self._waiting[self._last] = replace(before, delta=before.delta + piece.delta)
        return True


def _is_piece(message: ChatSaid) -> bool:
    return message.role == "assistant" and not message.final and not message.text
