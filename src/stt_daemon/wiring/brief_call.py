"""One update of the brief as the lane of the language model does it: a request, and perhaps one more.

Runs in the lane's thread on immutable data. A llama.cpp server is held to the two sections by a grammar; any
other that leaves them out is asked once more. Whether the reply is a brief is decided elsewhere.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from stt_daemon.errors import LlmError
from stt_daemon.llm import ChatExchange, ChatReply, ChatRequest, LlmContextError, ServerFacts
from stt_daemon.llm.chat import ServerKind
from stt_daemon.triage.brief_engine import BriefRequest

log = logging.getLogger(__name__)

FACTS_TIMEOUT_S = 5.0
"""The server has just answered; it is known already as a rule."""

NOBODY_THERE = frozenset({"unreachable", "loading", "auth"})
"""Errors that say nothing about the request: no model has seen it."""


class Generator(Protocol):
    """What is asked of the lane's engine."""

    def facts(self, *, timeout_s: float = ..., cancelled: threading.Event | None = None) -> ServerFacts: ...

    def chat(
        self,
        request: ChatRequest,
        *,
        on_exchange: Callable[[ChatExchange], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> ChatReply: ...


class Reask(Protocol):
    def __call__(self, request: BriefRequest, reply: str, finish_reason: str, /) -> BriefRequest | None:
        """The request that restates the form; None when the reply can be used as it is."""


@dataclass(frozen=True)
class BriefReply:
    """What came back in the end."""

    text: str
    finish_reason: str


@dataclass
class BriefCall:
    """The job. On the lane's thread `tell` hears of each request that went out, and `tell_context` of how
    many tokens the model holds."""

    request: BriefRequest
    reask: Reask
    tell: Callable[[ChatExchange], None]
    tell_context: Callable[[int], None] = lambda _tokens: None

    def __call__(self, engine: Generator, stop: threading.Event) -> BriefReply:
        reply = self._ask(engine, self.request, stop)
        kind = self._server_kind(engine, stop)
        again = self.reask(self.request, reply.text, reply.finish_reason)
        if again is not None and kind != "llama.cpp":  # the grammar did there what asking again is for
            log.info("the reply has not the two sections; asking once more")
            reply = self._ask(engine, again, stop)
        return BriefReply(reply.text, reply.finish_reason)

    def _server_kind(self, engine: Generator, stop: threading.Event) -> ServerKind:
        """What kind it is, "other" if it does not tell; a good reply is not given up for that."""
        try:
            facts = engine.facts(timeout_s=FACTS_TIMEOUT_S, cancelled=stop)
        except LlmError as error:
            log.info("the server tells nothing about itself: %s", error)
            return "other"
        if facts.context_tokens is not None:
            self.tell_context(facts.context_tokens)
        return facts.kind

    def _ask(self, engine: Generator, request: BriefRequest, stop: threading.Event) -> ChatReply:
        asked = ChatRequest(
            messages=request.messages,
            temperature=request.temperature,
            max_tokens=request.max_tokens,
            timeout_s=request.timeout_s,
            slot_id=request.slot_id,
            grammar=request.grammar,
            purpose="brief",
        )
        try:
            return engine.chat(asked, on_exchange=self.tell, cancelled=stop)
        except LlmContextError as error:
            if error.n_ctx is not None:
                self.tell_context(error.n_ctx)
            raise
