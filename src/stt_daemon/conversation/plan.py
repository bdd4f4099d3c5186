"""Deciding what a chat request holds, so that it never exceeds the context. Pure; any thread.

`plan_request` is what the lane's worker calls: the counter may ask a server. All sizes are tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stt_daemon.conversation.alerts import ContextAlert, approaching, truncating
from stt_daemon.conversation.cascade import CITE, assemble, reply_text, summary_block, user_text
from stt_daemon.conversation.counting import MESSAGE_OVERHEAD, prompt_cost, text_cost
from stt_daemon.conversation.history import Exchange, HistoryView
from stt_daemon.conversation.neutral import written
from stt_daemon.conversation.ports import PromptMessage, TokenCounter
from stt_daemon.conversation.transcript import TranscriptBlock, TranscriptMaterial
from stt_daemon.domain.citations import CitationFilter, CitationIndex, citations_in

CONDENSE_TO = 0.5
"""When something falls out, condense until the rest fills this share of the budget.

Condensing only what fell out would change the summary, and so nearly the whole prompt, with every turn;
a server would read it all again each time (12 to 39 s for 900 tokens on two cores).
"""

TRANSCRIPT_SHARE = 0.5
"""The share of the free room that a transcript may claim before the history is placed."""


@dataclass(frozen=True)
class Limits:
    """The configured sizes, in tokens; `context_alert` is a share of the history's budget."""

    output_reserve: int = 1024
    history_max_tokens: int = 16_384
    context_alert: float = 0.8


@dataclass(frozen=True)
class RequestRefused:
    """No request can be made: what was asked is gone, or even the least of it does not fit."""

    code: str
    message: str


@dataclass(frozen=True)
class RequestPlan:
    """A request that fits, and what it leaves undone.

    `prompt_tokens` is its counted size, `room` what the window leaves for the reply (never below
    `output_reserve`). `left_out` are live exchanges the request does not show; `condense` those that should
    now be turned into a summary, oldest first: send the messages or condense first and plan again.
    `block` is the transcript it shows (None: none was asked for or fit). `index` knows what may be cited.
    """

    messages: tuple[PromptMessage, ...]
    prompt_tokens: int
    room: int
    history_tokens: int
    history_budget: int
    left_out: tuple[Exchange, ...]
    condense: tuple[Exchange, ...]
    alert: ContextAlert | None
    block: TranscriptBlock | None
    index: CitationIndex

    def citation_filter(self) -> CitationFilter:
        """A reader for the reply to this request."""
        return CitationFilter(self.index)


def plan_request(
    view: HistoryView,
    number: int,
    *,
    system: str,
    window: int,
    limits: Limits,
    count: TokenCounter,
    session: str,
    transcript: TranscriptMaterial | None = None,
    condense_problem: str = "",
) -> RequestPlan | RequestRefused:
    """Plan the request for exchange `number`.

    The newest exchanges before it go in word for word until the budget is used: the smaller of
    `history_max_tokens` and what `window` leaves beside everything fixed and the reserve. `condense_problem`
    says why the last attempt to condense failed; the alert then repeats it.
    """
    asked = view.exchange(number)
    if asked is None:
        return RequestRefused("withdrawn", "The question was taken back before it was sent.")
    planner = _Planner(view, asked, system, window - limits.output_reserve, count, session)
    least = planner.cost((), None, with_summary=False)
    if least > planner.limit:
        return RequestRefused(
            "too_long",
            f"The question needs {least} tokens and {limits.output_reserve} are kept for the reply; "
            f"the model holds {window}.",
        )
    with_summary = bool(planner.summary)
    if with_summary and planner.cost((), None, with_summary=True) > planner.limit:
        with_summary = False
    free = planner.limit - planner.cost((), None, with_summary=with_summary)
    if transcript:
        free = max(0, free - text_cost(CITE, count))

    costs = [planner.exchange_cost(e) for e in planner.earlier]
    block = transcript.block(int(free * TRANSCRIPT_SHARE), count) if transcript else None
    budget = _budget(limits, free, block, count)
    first = _first_that_fits(costs, budget)
    if transcript and (block is None or not block.complete):
        block = transcript.block(free - sum(costs[first:]) - MESSAGE_OVERHEAD, count) or block

    first, block, with_summary = planner.shrink(first, transcript, block, with_summary)
    shown, left_out = planner.earlier[first:], planner.earlier[:first]
    messages = planner.messages(shown, block, with_summary=with_summary)
    tokens = prompt_cost(messages, count)
    total = sum(costs)
    condense = _to_condense(planner.earlier, costs, first, budget) if limits.history_max_tokens else ()
    alert = None
    if limits.history_max_tokens and (left_out or (planner.summary and not with_summary)):
        alert = truncating(
            left_out, summary_lost=bool(planner.summary) and not with_summary, problem=condense_problem
        )
    elif budget and total >= limits.context_alert * budget:
        alert = approaching(shown, total / budget)
    return RequestPlan(
        messages=messages,
        prompt_tokens=tokens,
        room=window - tokens,
        history_tokens=total,
        history_budget=budget,
        left_out=left_out,
        condense=condense,
        alert=alert,
        block=block,
        index=planner.index(shown, block, with_summary=with_summary),
    )


@dataclass(frozen=True)
class _Planner:
    """The fixed inputs of one plan, and what each choice would cost."""

    view: HistoryView
    asked: Exchange
    system: str
    limit: int
    count: TokenCounter
    session: str

    @property
    def earlier(self) -> tuple[Exchange, ...]:
        return self.view.before(self.asked.number)

    @property
    def summary(self) -> str:
        return summary_block(self.view.checkpoint, self.session)

    def messages(
        self, shown: Sequence[Exchange], block: TranscriptBlock | None, *, with_summary: bool
    ) -> tuple[PromptMessage, ...]:
        return assemble(
            self.system,
            summary=self.summary if with_summary else "",
            exchanges=shown,
            transcript=block.text if block else "",
            question=written(self.asked.user),
            session=self.session,
            cite=block is not None and bool(block.shown),
        )

    def cost(self, shown: Sequence[Exchange], block: TranscriptBlock | None, *, with_summary: bool) -> int:
        return prompt_cost(self.messages(shown, block, with_summary=with_summary), self.count)

    def exchange_cost(self, exchange: Exchange) -> int:
        cost = text_cost(user_text(exchange, self.session), self.count)
        return cost + (text_cost(reply_text(exchange, self.session), self.count) if exchange.reply else 0)

    def shrink(
        self,
        first: int,
        material: TranscriptMaterial | None,
        block: TranscriptBlock | None,
        with_summary: bool,
    ) -> tuple[int, TranscriptBlock | None, bool]:
        """Leave out more until the finished request fits: the sum of its parts is only an estimate.

        Oldest exchanges go first, then transcript lines, then the summary; the question alone always fits.
        """
        earlier = self.earlier
        while self.cost(earlier[first:], block, with_summary=with_summary) > self.limit:
            if first < len(earlier):
                first += 1
            elif block is not None:
                smaller = material.block(self.count(block.text) // 2, self.count) if material else None
                block = smaller if smaller and len(smaller.shown) < len(block.shown) else None
            else:
                with_summary = False
        return first, block, with_summary

    def index(
        self, shown: Sequence[Exchange], block: TranscriptBlock | None, *, with_summary: bool
    ) -> CitationIndex:
        """What may be cited: the lines shown now, and those that earlier, checked replies cite."""
        texts = [reply_text(e, self.session) for e in shown]
        if with_summary:
            texts.append(self.summary)
        known = citations_in(texts, self.session)
        if block is None:
            return CitationIndex(self.session, known)
        return CitationIndex(self.session, known | block.shown, block.aliases, block.said)


def _budget(limits: Limits, free: int, block: TranscriptBlock | None, count: TokenCounter) -> int:
    taken = text_cost(block.text, count) if block else 0
    return max(0, min(limits.history_max_tokens, free - taken))


def _first_that_fits(costs: Sequence[int], budget: int) -> int:
    """The place from which on, newest first, everything fits. Nothing is skipped over."""
    first, used = len(costs), 0
    while first and used + costs[first - 1] <= budget:
        first -= 1
        used += costs[first]
    return first


def _to_condense(
    earlier: Sequence[Exchange], costs: Sequence[int], left_out: int, budget: int
) -> tuple[Exchange, ...]:
    """The oldest exchanges to condense when some are left out; stops at one whose reply is still coming."""
    if not left_out:
        return ()
    end = max(left_out, _first_that_fits(costs, int(budget * CONDENSE_TO)))
    for place, exchange in enumerate(earlier[:end]):
        if not exchange.settled:
            return tuple(earlier[:place])
    return tuple(earlier[:end])
