"""The nouns of a conversation with a language model: plain frozen data, free of any HTTP library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

ServerKind = Literal["llama.cpp", "ollama", "other"]


@dataclass(frozen=True)
class ChatMessage:
    """One message of a prompt; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """One call.

    `timeout_s` is the deadline of the whole call, waiting for a loading model and every retry included.
    `max_tokens` of 0 leaves the length to the server. `slot_id`, `grammar` (GBNF) and `cache_prompt` reach a
    llama.cpp server only. `purpose` is a word for logs.
    """

    messages: tuple[ChatMessage, ...]
    temperature: float
    max_tokens: int
    timeout_s: float
    slot_id: int | None = None
    grammar: str = ""
    cache_prompt: bool = True
    purpose: str = "chat"


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; `cached_tokens` is None when the server does not tell, `estimated` when we
    counted.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int | None
    estimated: bool


@dataclass(frozen=True)
class ChatReply:
    """A whole answer, free of reasoning and special tokens.

    `finish_reason` is the server's word ("stop", "length", ...; "" when it gave none but closed properly).
    `first_token_s` and `duration_s` count from the start of the call; the first token may be a reasoning
    token.
    """

    text: str
    finish_reason: str
    usage: Usage
    first_token_s: float
    duration_s: float
    model: str


@dataclass(frozen=True)
class ChatExchange:
    """One request as it went out and what came back, for whoever keeps a record of both.

    `response` is the server's own envelope, put together again when it was streamed; None when nothing came.
    `duration_s` is the time in transport alone. Holds no key.
    """

    url: str
    body: dict[str, Any]
    response: dict[str, Any] | None
    error: str
    duration_s: float


@dataclass(frozen=True)
class ServerFacts:
    """What the server told about itself; `context_tokens` is the room of one slot, prompt and answer
    together.
    """

    kind: ServerKind
    context_tokens: int | None
    slots: int | None
    model: str


@dataclass(frozen=True)
class TokenCount:
    """Tokens of a text; an `estimated` count is meant to lie above the truth, not below."""

    count: int
    estimated: bool
