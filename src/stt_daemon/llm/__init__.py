"""Talking to one OpenAI-compatible server: requests, streamed answers, and failures with names.

Importing this package loads nouns and pure functions only; `stt_daemon.llm.client` brings httpx with it.
"""

from __future__ import annotations

from stt_daemon.llm.chat import (
    ChatExchange,
    ChatMessage,
    ChatReply,
    ChatRequest,
    ServerFacts,
    TokenCount,
    Usage,
)
from stt_daemon.llm.cleaning import unfence
from stt_daemon.llm.failures import (
    LlmAuthError,
    LlmBadReplyError,
    LlmCancelledError,
    LlmContextError,
    LlmEmptyError,
    LlmInterruptedError,
    LlmLoadingError,
    LlmRepetitionError,
    LlmServerError,
    LlmShortenedError,
    LlmTimeoutError,
    LlmUnreachableError,
)
from stt_daemon.llm.tokens import estimate_tokens

__all__ = [
    "ChatExchange",
    "ChatMessage",
    "ChatReply",
    "ChatRequest",
    "LlmAuthError",
    "LlmBadReplyError",
    "LlmCancelledError",
    "LlmContextError",
    "LlmEmptyError",
    "LlmInterruptedError",
    "LlmLoadingError",
    "LlmRepetitionError",
    "LlmServerError",
    "LlmShortenedError",
    "LlmTimeoutError",
    "LlmUnreachableError",
    "ServerFacts",
    "TokenCount",
    "Usage",
    "estimate_tokens",
    "unfence",
]
