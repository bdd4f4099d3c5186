"""Judging an answer that arrived whole: what it cost, and whether it is one. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stt_daemon.llm.chat import ChatMessage, Usage
from stt_daemon.llm.failures import LlmEmptyError, LlmShortenedError
from stt_daemon.llm.reply import Answer
from stt_daemon.llm.tokens import MESSAGE_OVERHEAD, PROMPT_OVERHEAD, estimate_tokens, fewest_tokens

# A prompt that is shortened loses whole messages; two ways of counting differ by less than this share and
# number.
SHORTENED_SHARE = 0.8
SHORTENED_SLACK = 64


def usage_of(answer: Answer, messages: Sequence[ChatMessage]) -> Usage:
    """The server's counts, with estimates for what it does not tell."""
    prompt = _count(answer.usage.get("prompt_tokens"))
    completion = _count(answer.usage.get("completion_tokens"))
    details = answer.usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    if cached is None:
        cached = answer.timings.get("cache_n")
    estimated = not prompt or completion is None
    if not prompt:
        prompt = PROMPT_OVERHEAD + sum(estimate_tokens(m.content) + MESSAGE_OVERHEAD for m in messages)
    if completion is None:
        completion = max(estimate_tokens(answer.text), answer.raw_chars // 4)
    return Usage(prompt, completion, _count(cached), estimated)


def refuse_empty(answer: Answer, shown: str) -> None:
    """Raise LlmEmptyError for an answer without text."""
    if answer.text:
        return
    why, mend = "nothing", "ask again, or differently"
    if answer.tool_call:
        why = "a tool call nobody asked for"
    elif answer.reasoned:
        why, mend = "reasoning only", "raise the limit of tokens, or turn the model's reasoning off"
    raise LlmEmptyError(
        f"{shown} answered with {why} ({answer.finish_reason or 'no finish reason'})", mend=mend
    )


def refuse_shortened(
    answer: Answer, messages: Sequence[ChatMessage], known: Callable[[str], int | None], shown: str
) -> None:
    """Raise LlmShortenedError when the server read far fewer tokens than the prompt has at the very least.

    `known` gives the server's own count of a text, where it was asked for.
    """
    told = _count(answer.usage.get("prompt_tokens"))
    if not told:
        return
    sent = fewest_in(messages, known)
    if told < SHORTENED_SHARE * sent and sent - told > SHORTENED_SLACK:
        raise LlmShortenedError(
            f"{shown} read only {told} of {sent} or more tokens: it shortened the prompt without a word",
            mend="give the model a larger context, or set [llm].context_tokens to the one it has",
            n_prompt=sent,
            partial=answer.text,
        )


def fewest_in(messages: Sequence[ChatMessage], known: Callable[[str], int | None]) -> int:
    """Tokens the messages have at the very least, template not counted."""
    counts = ((message.content, known(message.content)) for message in messages)
    return sum(fewest_tokens(content) if count is None else count for content, count in counts)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
