"""Condensing turns that no longer fit: the request, and whether its reply may be used. Pure; any thread.

Nothing is lost by a failure: the old summary stays and the turns wait (`History.cover` is what replaces
them, and only an accepted summary reaches it).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stt_daemon.conversation.cascade import reply_text, summary_block, user_text
from stt_daemon.conversation.counting import prompt_cost
from stt_daemon.conversation.history import Exchange, HistoryView
from stt_daemon.conversation.plan import Limits, RequestRefused
from stt_daemon.conversation.ports import PromptMessage, TokenCounter
from stt_daemon.domain.citations import CitationIndex, check_citations, citations_in

SUMMARY_TOKENS = 1024
"""The longest summary, in tokens: about 700 words."""

SUMMARY_SHARE = 0.25
"""A summary may take at most this share of the history's budget, so that it never crowds out the turns."""

LEAST_SUMMARY = 32

COUNT_SLACK = 2
"""A server that ignores the limit is caught; an estimating counter that is somewhat high is not."""


@dataclass(frozen=True)
class CompactionRequest:
    """Asks for one summary of the old summary and the exchanges `covers`, the oldest live ones.

    Send it with at most `max_tokens` for the reply. `clipped` are exchanges too long to be read whole.
    """

    messages: tuple[PromptMessage, ...]
    covers: tuple[int, ...]
    clipped: tuple[int, ...]
    max_tokens: int
    index: CitationIndex


@dataclass(frozen=True)
class CompactionAccepted:
    """A summary that may take the place of `covers`; `session` is what its short citations refer to."""

    summary: str
    covers: tuple[int, ...]
    session: str


@dataclass(frozen=True)
class CompactionRejected:
    """The reply cannot be used, and why; the turns wait."""

    reason: str


def summary_limit(window: int, limits: Limits) -> int:
    """The longest summary, in tokens, for a context of `window`."""
    budget = min(limits.history_max_tokens, window - limits.output_reserve)
    return max(LEAST_SUMMARY, min(SUMMARY_TOKENS, int(budget * SUMMARY_SHARE)))


def build_compaction(
    view: HistoryView,
    condense: Sequence[Exchange],
    *,
    system: str,
    window: int,
    limits: Limits,
    count: TokenCounter,
    session: str,
) -> CompactionRequest | RequestRefused:
    """Ask for a summary of as many of `condense` as one request holds, oldest first.

    An exchange that alone is too long is shown with its middle left out, and says so.
    """
    reserve = summary_limit(window, limits)
    earlier = summary_block(view.checkpoint, session)

    def messages(turns: Sequence[str]) -> tuple[PromptMessage, ...]:
        body = "\n".join(("<turns>", *turns, "</turns>"))
        task = f"Write one summary of all of this, in at most {reserve * 2 // 3} words."
        return PromptMessage("system", system), PromptMessage(
            "user", "\n\n".join(p for p in (earlier, body, task) if p)
        )

    def fits(turns: Sequence[str]) -> bool:
        return prompt_cost(messages(turns), count) + reserve <= window

    texts = [_turn(e, session) for e in condense]
    covered = 0
    while covered < len(texts) and fits(texts[: covered + 1]):
        covered += 1
    clipped: tuple[int, ...] = ()
    if not covered and texts:
        shorter = _clip_to_fit(texts[0], lambda text: fits([text]))
        if shorter is None:
            return RequestRefused(
                "too_long", f"A context of {window} tokens leaves no room to condense the chat."
            )
        texts, covered, clipped = [shorter], 1, (condense[0].number,)
    if not covered:
        return RequestRefused("withdrawn", "There is nothing to condense.")
    return CompactionRequest(
        messages=messages(texts[:covered]),
        covers=tuple(e.number for e in condense[:covered]),
        clipped=clipped,
        max_tokens=reserve,
        index=CitationIndex(session, citations_in([earlier, *texts[:covered]], session)),
    )


def accept_compaction(
    request: CompactionRequest, reply: str, finish_reason: str, count: TokenCounter
) -> CompactionAccepted | CompactionRejected:
    """Whether a reply may stand for the turns. Citations nobody made before are taken out of it."""
    if finish_reason == "length":
        return CompactionRejected("the summary was cut off at its token limit")
    summary = check_citations(reply.strip(), request.index).text.strip()
    if not summary:
        return CompactionRejected("the summary is empty")
    if (tokens := count(summary)) > request.max_tokens * COUNT_SLACK:
        return CompactionRejected(f"the summary has {tokens} tokens, {request.max_tokens} were asked for")
    return CompactionAccepted(summary, request.covers, request.index.current)


def _turn(exchange: Exchange, session: str) -> str:
    said = f"User: {user_text(exchange, session)}"
    return f"{said}\nAssistant: {reply_text(exchange, session)}" if exchange.reply else said


def _clip_to_fit(text: str, fits: Callable[[str], bool]) -> str | None:
    """The text with as little as possible cut from its middle; None if nothing of it fits."""
    low, high = 0, len(text)
    while high - low > 1:
        keep = (low + high) // 2
        low, high = (keep, high) if fits(_clip(text, keep)) else (low, keep)
    clipped = _clip(text, low)
    return clipped if low and fits(clipped) else None


def _clip(text: str, keep: int) -> str:
    head = (keep + 1) // 2
    tail = text[len(text) - (keep - head) :] if keep > head else ""
    return f"{text[:head]} […{len(text) - keep} characters left out…] {tail}"
