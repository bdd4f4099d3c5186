"""The chat as the loop sees it: what was asked, who waits for a reply, and what the user is told.

Owned by the loop. A message is written down before the model is asked; its reply, or that none came, when
the lane's outcome arrives. Each failure is told once: of spoken turns only the first of a kind, since they
come by themselves, until one succeeds again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

from stt_daemon.apps.assistant.chat_job import (
    UNKNOWN_WINDOW,
    Answer,
    Asking,
    ChatSettings,
    Condensed,
    Condensing,
    Measure,
    Piece,
    PlanMade,
)
from stt_daemon.apps.assistant.heard import Heard
from stt_daemon.apps.assistant.inference import Inference, Job, Waiting
from stt_daemon.conversation import (
    AllSessions,
    CompactionAccepted,
    Conversation,
    Exchange,
    PastLine,
    RecentMinutes,
    RequestPlan,
    Restored,
    Scope,
    TranscriptMaterial,
)
from stt_daemon.domain import Clock
from stt_daemon.errors import ErrorRecord
from stt_daemon.messages import ChatSaid, Message, Warned
from stt_daemon.sessions import iso_local

log = logging.getLogger(__name__)

Record = dict[str, Any]
Save = Callable[[Sequence[Record]], None]
WITHDRAWN = "the question was taken back"
STOPPING = "the program is stopping"
QUOTED_CHARS = 60


class SearchPast(Protocol):
    """Finds lines of earlier sessions off the loop; `then` is called in the loop, on trouble with none."""

    def __call__(self, question: str, then: Callable[[tuple[PastLine, ...]], None]) -> None: ...


class Overheard(Protocol):
    """Told of each message of the chat and each whole reply, with whether the message was `spoken`."""

    def __call__(self, role: Literal["user", "assistant"], text: str, spoken: bool, /) -> None: ...


@dataclass
class _Open:
    """An exchange whose reply is still to come. `job` is None while earlier sessions are searched."""

    kind: Literal["chat", "command"]
    spoken: bool
    job: Job | None = None
    streamed: bool = False
    told: Callable[[str], None] | None = None


class ChatDesk:
    """Takes messages in and brings replies out; see the module."""

    def __init__(
        self,
        conversation: Conversation,
        inference: Inference,
        *,
        publish: Callable[[Message], None],
        post: Callable[[object], None],
        save: Save,
        search: SearchPast,
        settings: ChatSettings,
        clock: Clock,
        overheard: Overheard = lambda _role, _text, _spoken: None,
    ) -> None:
        self._overheard = overheard
        self._conversation = conversation
        self._inference = inference
        self._publish = publish
        self._post = post
        self._save = save
        self._search = search
        self._settings = settings
        self._clock = clock
        self._measure = Measure()
        self._open: dict[int, _Open] = {}
        self._condensing: Job | None = None
        self._told_failure = ""
        self._told_guess = False
        self._closed = False

    def take_up(self, restored: Restored) -> None:
        """After a restart: say which questions lost their reply, and close what was shown of it."""
        self._save(restored.records)
        for exchange in restored.lost:
            self._publish(ChatSaid(role="assistant", exchange=exchange.number, finish_reason="interrupted"))
            self._notice(
                exchange.number,
                f"no reply came to “{shortened(exchange.user)}”: the assistant had to be started again",
            )

    def close(self) -> None:
        """The program stops: what is typed from now on is turned away at once.

        What was said before still goes to the model, as long as its lane takes anything.
        """
        self._closed = True

    # What the user does

    def ask(self, text: str, heard: Heard, *, spoken: bool = False) -> None:
        """A message for the model, typed or said."""
        if self._closed and not spoken:
            self._notice(0, f"not sent, {STOPPING}: “{shortened(text)}”")
            return
        self._send(text, heard, self._conversation.scope, _Open("chat", spoken), show=True)
        self._overheard("user", text, spoken)

    def summarise(self, minutes: int, heard: Heard, told: Callable[[str], None]) -> None:
        """Have the last minutes summarised; `told` hears "" when that was done, else why not."""
        if self._closed:
            told(STOPPING)
            return
        unit = "minute" if minutes == 1 else f"{minutes} minutes"
        text = f"Summarise what was said in the last {unit}. Cite the lines each point rests on."
        self._send(text, heard, RecentMinutes(minutes), _Open("command", False, told=told), show=False)

    def remember(self, asked: str, result: str) -> None:
        """Keep a command and its result as part of the conversation."""
        wall = self._wall()
        exchange, records = self._conversation.ask(asked, wall=wall, kind="command")
        self._save([*records, *self._conversation.answered(exchange.number, result, wall=wall)])

    def set_scope(self, scope: Scope) -> None:
        self._conversation.scope = scope

    def rewind(self, count: int) -> int:
        """Take back the last exchanges; how many there were."""
        dropped, records = self._conversation.rewind(count, wall=self._wall())
        self._save(records)
        for exchange in dropped:
            self._withdraw(exchange.number)
        return len(dropped)

    def forget(self) -> int:
        """Empty the memory; how many exchanges it held."""
        held, records = self._conversation.forget(wall=self._wall())
        self._save(records)
        for number in list(self._open):
            self._withdraw(number)
        return held

    # What the lane says meanwhile

    def plan_made(self, made: PlanMade) -> None:
        """Tell what the request leaves out, before the reply is read."""
        if made.number not in self._open:
            return
        if made.guessed and not self._told_guess:
            self._told_guess = True
            message = (
                f"the server does not say how much the model can hold; {UNKNOWN_WINDOW} tokens are assumed "
                "(set [llm].context_tokens)"
            )
            self._publish(Warned(where="llm", code="context_unknown", message=message))
        alert = self._conversation.new_alert(made.plan)
        if alert is not None:
            self._notice(made.number, alert.message)
        block = made.plan.block
        if block is not None and not block.complete:
            self._notice(made.number, f"The model has not seen all of it. {block.span}")

    def piece(self, piece: Piece) -> None:
        """A part of a reply that is still coming."""
        waiting = self._open.get(piece.number)
        if waiting is None:
            return
        waiting.streamed = True
        text, delta = (piece.text, "") if piece.reset else ("", piece.text)
        self._publish(ChatSaid(role="assistant", exchange=piece.number, text=text, delta=delta, final=False))

    # Inside

    def _send(self, text: str, heard: Heard, scope: Scope, waiting: _Open, *, show: bool) -> None:
        exchange, records = self._conversation.ask(
            text, wall=self._wall(), kind=waiting.kind, spoken=waiting.spoken
        )
        self._save(records)
        self._open[exchange.number] = waiting
        if show:
            self._publish(ChatSaid(role="user", exchange=exchange.number, text=exchange.user))
        if isinstance(scope, AllSessions):
            self._search(
                text, lambda past: heard.when_known(lambda: self._submit(exchange, heard, scope, past))
            )
        else:
            heard.when_known(lambda: self._submit(exchange, heard, scope, ()))

    def _submit(self, exchange: Exchange, heard: Heard, scope: Scope, past: tuple[PastLine, ...]) -> None:
        number = exchange.number
        if number not in self._open:
            return  # taken back while the earlier sessions were searched
        material = TranscriptMaterial.of(
            scope, heard.lines(), session=heard.session, now_t=heard.now_t, past=past
        )
        asking = Asking(
            self._conversation.snapshot(),
            number,
            material,
            self._settings,
            self._measure,
            self._post,
            self._clock,
        )
        waiting = Waiting(
            done=lambda answer: self._answered(number, answer),
            failed=lambda error: self._failed(number, error),
            given_up=lambda reason: self._given_up(number, reason),
        )
        kind = self._open[number].kind
        self._open[number].job = self._inference.submit(kind, f"{kind} {number}", asking, waiting)

    def _answered(self, number: int, answer: Answer) -> None:
        waiting = self._open.pop(number, None)
        if waiting is None:
            return
        self._told_failure = ""
        session = self._conversation.snapshot().session
        self._save(
            self._conversation.answered(
                number, answer.text, wall=self._wall(), cites=answer.cites, figures=answer.figures
            )
        )
        figures = asdict(answer.figures)
        self._publish(
            ChatSaid(
                role="assistant",
                exchange=number,
                text=answer.text,
                usage=figures,
                finish_reason=answer.figures.finish_reason,
                cites=tuple(cite.form(session) for cite in answer.cites),
            )
        )
        if waiting.told is not None:
            waiting.told("")
        if waiting.kind == "chat":
            self._overheard("assistant", answer.text, waiting.spoken)
        self._condense(answer.plan)

    def _failed(self, number: int, error: ErrorRecord) -> None:
        self._no_reply(number, error.line(), code=error.code)

    def _given_up(self, number: int, reason: str) -> None:
        self._no_reply(number, f"no reply: {STOPPING if self._closed else reason}", code="given_up")

    def _no_reply(self, number: int, reason: str, *, code: str) -> None:
        """What was said stays in the memory, the user learns why nothing was answered."""
        waiting = self._open.pop(number, None)
        if waiting is None:
            return  # taken back
        self._save(self._conversation.unanswered(number, wall=self._wall()))
        if waiting.streamed:
            self._publish(ChatSaid(role="assistant", exchange=number, finish_reason=code))
        if waiting.told is not None:
            waiting.told(reason)
        elif not (waiting.spoken and code == self._told_failure):
            self._notice(number, reason)
        self._told_failure = code

    def _withdraw(self, number: int) -> None:
        waiting = self._open.pop(number, None)
        if waiting is None:
            return
        if waiting.streamed:
            self._publish(ChatSaid(role="assistant", exchange=number, finish_reason="withdrawn"))
        if waiting.told is not None:
            waiting.told(WITHDRAWN)
        if waiting.job is not None:
            self._inference.cancel(waiting.job, WITHDRAWN)

    def _condense(self, plan: RequestPlan) -> None:
        """Condense in the background what no longer fits; with no room it is tried after the next reply."""
        if not plan.condense or self._condensing is not None:
            return
        condensing = Condensing(
            self._conversation.snapshot(), plan, self._settings, self._measure, self._clock
        )
        waiting = Waiting(
            done=self._condensed,
            failed=lambda error: self._not_condensed(error.line()),
            given_up=self._not_condensed,
        )
        self._condensing = self._inference.submit_if_room("summary", "condense the chat", condensing, waiting)

    def _condensed(self, condensed: Condensed) -> None:
        self._condensing = None
        if isinstance(condensed.result, CompactionAccepted):
            self._save(
                self._conversation.condensed(condensed.result, wall=self._wall(), figures=condensed.figures)
            )
        else:
            self._not_condensed(condensed.result.reason)

    def _not_condensed(self, reason: str) -> None:
        self._condensing = None
        self._conversation.condensing_failed(reason)
        message = f"older turns of the chat could not be condensed and wait: {reason}"
        self._publish(Warned(where="llm", code="not_condensed", message=message))

    def _notice(self, number: int, text: str) -> None:
        self._publish(ChatSaid(role="notice", exchange=number, text=text))

    def _wall(self) -> str:
        return iso_local(self._clock.wall())


def shortened(text: str) -> str:
    """As much of a message as is needed to know which one is meant."""
    return text if len(text) <= QUOTED_CHARS else f"{text[: QUOTED_CHARS - 1].rstrip()}…"
