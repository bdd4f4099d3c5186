"""What the LLM lane does for the chat: plan a request, stream the reply, condense what no longer fits.

Everything here runs in the lane's thread, on immutable snapshots; what the loop should know at once is
posted. Counting tokens may ask the server, which is why planning happens here.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from stt_daemon.apps.assistant.inference import TextGenerator
from stt_daemon.conversation import (
    CachedCounter,
    ChatSnapshot,
    Citation,
    CompactionAccepted,
    CompactionRejected,
    PromptMessage,
    ReplyFigures,
    RequestPlan,
    RequestRefused,
    TokenCounter,
    TranscriptMaterial,
    accept_compaction,
    check_citations,
    scaled,
)
from stt_daemon.domain import Clock
from stt_daemon.domain.text import plain
from stt_daemon.errors import LlmError
from stt_daemon.llm import ChatMessage, ChatReply, ChatRequest, LlmContextError, unfence

log = logging.getLogger(__name__)

Post = Callable[[object], None]

UNKNOWN_WINDOW = 8192
"""Tokens assumed when neither server nor configuration tells: what common local servers start with."""

PIECE_S = 0.1
"""Pieces of a reply are told at most this often; a person reads no faster, and every piece is a message."""

TRIES = 3
"""So often a request is made smaller when the server says that it is too long."""

GROW = 1.25
"""By so much counts are raised when the server refuses and does not say how long the prompt was."""

CONDENSE_TEMPERATURE = 0.2


@dataclass(frozen=True)
class ChatSettings:
    """The parts of `[llm]` that every call needs. `timeout_s` covers a whole job, retries included."""

    temperature: float
    max_tokens: int
    timeout_s: float
    slot_id: int | None = None


@dataclass(frozen=True)
class PlanMade:
    """Posted before the call: what exchange `number` shows the model. `window` was assumed if `guessed`."""

    number: int
    plan: RequestPlan
    guessed: bool


@dataclass(frozen=True)
class Piece:
    """Posted while a reply streams: its next characters, citations checked. `reset`: replacing all so far."""

    number: int
    text: str
    reset: bool = False


@dataclass(frozen=True)
class Answer:
    """The whole checked reply, what it cites, and what it cost."""

    text: str
    cites: tuple[Citation, ...]
    figures: ReplyFigures
    plan: RequestPlan


@dataclass(frozen=True)
class Condensed:
    """What came of a call to condense."""

    result: CompactionAccepted | CompactionRejected
    figures: ReplyFigures


class Measure:
    """How far estimated token counts have been off; lane thread only.

    Where the server counts tokens itself nothing is corrected. Where they are estimated and it reports more
    than was planned, later plans leave more out.
    """

    def __init__(self) -> None:
        self.factor = 1.0
        self.estimated = False

    def counter(self, engine: TextGenerator) -> TokenCounter:
        def count(text: str, /) -> int:
            counted = engine.count_tokens(text)
            self.estimated = self.estimated or counted.estimated
            return counted.count

        cached = CachedCounter(count)
        return scaled(cached, self.factor) if self.factor > 1 else cached

    def learn(self, plan: RequestPlan, reply: ChatReply) -> None:
        if self.estimated and not reply.usage.estimated and reply.usage.prompt_tokens > plan.prompt_tokens:
            self.raise_by(reply.usage.prompt_tokens / plan.prompt_tokens)

    def raise_by(self, share: float) -> None:
        self.factor = min(8.0, self.factor * max(1.0, share))


class Deadline:
    """The time one job has, spread over its calls."""

    def __init__(self, clock: Clock, timeout_s: float) -> None:
        self._clock = clock
        self._end = clock.monotonic() + timeout_s

    @property
    def left_s(self) -> float:
        """Never 0, so that the call itself says that it ran out; in whole seconds, since it may be shown."""
        return max(0.05, round(self._end - self._clock.monotonic()))


class Pieces:
    """Gathers what streams in and posts it in portions; lane thread only."""

    def __init__(self, number: int, plan: RequestPlan, post: Post, clock: Clock) -> None:
        self._number = number
        self._plan = plan
        self._post = post
        self._clock = clock
        self._posted = self._void = False
        self._begin()

    def _begin(self) -> None:
        self._filter = self._plan.citation_filter()
        self._held = ""
        self._told_at = float("-inf")

    def add(self, delta: str) -> None:
        self._held += self._filter.feed(readable(delta))
        if self._held and self._clock.monotonic() - self._told_at >= PIECE_S:
            self._flush()

    def reset(self) -> None:
        """What came so far was not the reply after all."""
        self._void = self._posted
        self._begin()

    def finish(self) -> None:
        self._held += self._filter.finish()
        if self._held:
            self._flush()

    def _flush(self) -> None:
        self._post(Piece(self._number, self._held, reset=self._void))
        self._held = ""
        self._posted, self._void = True, False
        self._told_at = self._clock.monotonic()


@dataclass
class Asking:
    """The job that answers one exchange."""

    snapshot: ChatSnapshot
    number: int
    material: TranscriptMaterial | None
    settings: ChatSettings
    measure: Measure
    post: Post
    clock: Clock

    def __call__(self, engine: TextGenerator, stop: threading.Event) -> Answer:
        deadline = Deadline(self.clock, self.settings.timeout_s)
        smallest: int | None = None
        for last in (False,) * (TRIES - 1) + (True,):
            window, guessed = window_of(engine, stop, deadline)
            window = min(window, smallest) if smallest else window
            plan = self._plan(engine, window)
            self.post(PlanMade(self.number, plan, guessed))
            try:
                return self._call(engine, plan, stop, deadline)
            except LlmContextError as error:
                if last:
                    raise
                if error.n_ctx is None or error.n_ctx >= window:
                    share = error.n_prompt / plan.prompt_tokens if error.n_prompt else GROW
                    self.measure.raise_by(max(share, 1.0) * 1.02)
                smallest = min(window, error.n_ctx or window)
                log.info("the server holds less than was planned for; once more with %d tokens", smallest)
        raise AssertionError("the last try returns or raises")

    def _plan(self, engine: TextGenerator, window: int) -> RequestPlan:
        plan = self.snapshot.plan(
            self.number,
            window=window,
            count=self.measure.counter(engine),
            transcript=self.material,
        )
        if isinstance(plan, RequestRefused):
            raise LlmError(plan.message, code=plan.code)
        return plan

    def _call(
        self, engine: TextGenerator, plan: RequestPlan, stop: threading.Event, deadline: Deadline
    ) -> Answer:
        pieces = Pieces(self.number, plan, self.post, self.clock)
        reply = engine.chat(
            ChatRequest(
                messages=messages_of(plan.messages),
                temperature=self.settings.temperature,
                max_tokens=max(1, min(self.settings.max_tokens, plan.room)),
                timeout_s=deadline.left_s,
                slot_id=self.settings.slot_id,
                purpose="chat",
            ),
            on_delta=pieces.add,
            on_reset=pieces.reset,
            cancelled=stop,
        )
        pieces.finish()
        self.measure.learn(plan, reply)
        checked = check_citations(readable(unfence(reply.text)), plan.index)
        if checked.dropped:
            log.info("citations of lines that do not exist were removed: %s", ", ".join(checked.dropped))
        for what, cites in (("loose", checked.loose), ("missing", checked.found)):
            if cites:
                log.info("%s citations: %s", what, ", ".join(cite.form(plan.index.current) for cite in cites))
        text = checked.text.strip()
        if not text:
            raise LlmError("the reply holds nothing but citations of lines that do not exist", code="empty")
        return Answer(text, checked.cites, figures_of(reply), plan)


@dataclass
class Condensing:
    """The job that turns the oldest exchanges into a summary."""

    snapshot: ChatSnapshot
    plan: RequestPlan
    settings: ChatSettings
    measure: Measure
    clock: Clock

    def __call__(self, engine: TextGenerator, stop: threading.Event) -> Condensed:
        deadline = Deadline(self.clock, self.settings.timeout_s)
        window, _ = window_of(engine, stop, deadline)
        count = self.measure.counter(engine)
        request = self.snapshot.compaction(self.plan, window=window, count=count)
        if isinstance(request, RequestRefused):
            raise LlmError(request.message, code=request.code)
        reply = engine.chat(
            ChatRequest(
                messages=messages_of(request.messages),
                temperature=min(CONDENSE_TEMPERATURE, self.settings.temperature),
                max_tokens=request.max_tokens,
                timeout_s=deadline.left_s,
                purpose="compaction",
            ),
            cancelled=stop,
        )
        result = accept_compaction(request, readable(unfence(reply.text)), reply.finish_reason, count)
        return Condensed(result, figures_of(reply))


def window_of(engine: TextGenerator, stop: threading.Event, deadline: Deadline) -> tuple[int, bool]:
    """The model's context in tokens, and whether it had to be assumed."""
    told = engine.facts(timeout_s=deadline.left_s, cancelled=stop).context_tokens
    return (told, False) if told else (UNKNOWN_WINDOW, True)


def messages_of(messages: Iterable[PromptMessage]) -> tuple[ChatMessage, ...]:
    return tuple(ChatMessage(message.role, message.content) for message in messages)


def figures_of(reply: ChatReply) -> ReplyFigures:
    return ReplyFigures(
        model=reply.model,
        finish_reason=reply.finish_reason,
        prompt_tokens=reply.usage.prompt_tokens,
        completion_tokens=reply.usage.completion_tokens,
        cached_tokens=reply.usage.cached_tokens,
        estimated=reply.usage.estimated,
        first_token_s=round(reply.first_token_s, 3),
        duration_s=round(reply.duration_s, 3),
    )


def readable(text: str) -> str:
    """A model's words without control and escape characters; its line breaks stay."""
    return "\n".join(plain(line) for line in text.split("\n"))
