"""A language model as a script: replies that a test queues, seen requests, and a gate to hold it.

Stands for `LlmClient` behind the lane. One token is one word.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from stt_daemon.errors import LlmError
from stt_daemon.llm import (
    ChatExchange,
    ChatReply,
    ChatRequest,
    LlmCancelledError,
    ServerFacts,
    TokenCount,
    Usage,
)

Scripted = str | LlmError | Callable[[ChatRequest], "str | LlmError"]


@dataclass
class FakeGenerator:
    """`replies` are given out in order; without one the `standing` reply is. `held` makes calls wait."""

    window: int | None = 8192
    standing: Scripted = "All right."
    finish_reason: str = "stop"
    replies: deque[Scripted] = field(default_factory=deque)
    requests: list[ChatRequest] = field(default_factory=list)
    seen: queue.Queue[ChatRequest] = field(default_factory=queue.Queue)
    address: str = "scripted"

    def __post_init__(self) -> None:
        self._open = threading.Event()
        self._open.set()

    def say(self, *replies: Scripted) -> FakeGenerator:
        self.replies.extend(replies)
        return self

    def hold(self) -> None:
        """From now on a call waits until `release`, or until it is cancelled."""
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    def facts(self, *, timeout_s: float = 15.0, cancelled: threading.Event | None = None) -> ServerFacts:
        return ServerFacts("other", self.window, None, "scripted")

    def count_tokens(self, text: str) -> TokenCount:
        return TokenCount(len(text.split()), False)

    def chat(
        self,
        request: ChatRequest,
        *,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
        on_exchange: Callable[[ChatExchange], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> ChatReply:
        self.requests.append(request)
        self.seen.put(request)
        while not self._open.wait(0.01):
            if cancelled is not None and cancelled.is_set():
                raise LlmCancelledError("the call was cancelled")
        script: Scripted = self.replies.popleft() if self.replies else self.standing
        reply = script(request) if callable(script) else script
        if on_exchange is not None:
            on_exchange(_exchange(request, reply))
        if isinstance(reply, LlmError):
            raise reply
        for place in range(0, len(reply), 7):
            if on_delta is not None:
                on_delta(reply[place : place + 7])
        prompt = sum(len(message.content.split()) for message in request.messages)
        usage = Usage(prompt, len(reply.split()), None, False)
        return ChatReply(reply, self.finish_reason, usage, 0.1, 0.2, "scripted")


def _exchange(request: ChatRequest, reply: str | LlmError) -> ChatExchange:
    body = {"messages": [{"role": m.role, "content": m.content} for m in request.messages]}
    if isinstance(reply, LlmError):
        return ChatExchange("scripted", body, None, str(reply), 0.2)
    return ChatExchange("scripted", body, {"choices": [{"message": {"content": reply}}]}, "", 0.2)
