"""Counting what a request costs: texts, the marks around each message, and a memory for counts.

Pure except for `CachedCounter`, which is safe from any thread.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Iterable

from stt_daemon.conversation.ports import PromptMessage, TokenCounter

MESSAGE_OVERHEAD = 8
"""Tokens a chat template puts around one message. ChatML, Llama 3 and Gemma put 5; the rest is margin."""

REQUEST_OVERHEAD = 8
"""Tokens around the whole: the start token and the opening of the reply, 4 in those templates, doubled."""


def text_cost(text: str, count: TokenCounter) -> int:
    """Tokens of one message that holds `text`. A counter that answers below zero counts as zero."""
    return max(0, count(text)) + MESSAGE_OVERHEAD


def prompt_cost(messages: Iterable[PromptMessage], count: TokenCounter) -> int:
    """Tokens of a whole request."""
    return REQUEST_OVERHEAD + sum(text_cost(message.content, count) for message in messages)


class CachedCounter:
    """Remembers the counts of the texts it saw last, because a history is counted at every request."""

    def __init__(self, count: TokenCounter, size: int = 2048) -> None:
        self._count = count
        self._size = size
        self._lock = threading.Lock()
        self._known: OrderedDict[str, int] = OrderedDict()

    def __call__(self, text: str, /) -> int:
        with self._lock:
            if text in self._known:
                self._known.move_to_end(text)
                return self._known[text]
        tokens = self._count(text)  # outside the lock: it may wait for a server
        with self._lock:
            self._known[text] = tokens
            while len(self._known) > self._size:
                self._known.popitem(last=False)
        return tokens

    def clear(self) -> None:
        """Forget all counts, as when the model behind the counter changes."""
        with self._lock:
            self._known.clear()


def scaled(count: TokenCounter, factor: float) -> TokenCounter:
    """A counter whose answers are `factor` times higher, rounded up.

    For a server that reports more prompt tokens than were estimated: the next plan then leaves more out.
    """

    def counted(text: str, /) -> int:
        return math.ceil(count(text) * factor)

    return counted
