"""The chat as the core sees it: one object for its state, immutable snapshots for the lane.

Threads: `Conversation` belongs to the core's loop; none of its methods waits, counts tokens or touches a
file. A `ChatSnapshot` may go to the lane's worker, which plans and condenses there, since counting tokens
may ask the server.

One chat turn: `ask` -> `snapshot` -> in the worker: `snapshot.plan(number, ...)`; if it has `condense`:
`snapshot.compaction(plan, ...)`, the call, `accept_compaction`; stream the reply through
`plan.citation_filter()` -> back in the loop: `condensed` or `condensing_failed`, `answered` or `unanswered`.
Every method that changes what must survive returns the records to append to `chat.jsonl`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stt_daemon.conversation.alerts import ContextAlert
from stt_daemon.conversation.cascade import system_prompt
from stt_daemon.conversation.compaction import CompactionAccepted, CompactionRequest, build_compaction
from stt_daemon.conversation.history import Checkpoint, Exchange, History, HistoryView, Kind
from stt_daemon.conversation.plan import Limits, RequestPlan, RequestRefused, plan_request
from stt_daemon.conversation.ports import TokenCounter
from stt_daemon.conversation.records import (
    Record,
    ReplyFigures,
    forget_record,
    rebuild,
    reply_record,
    rewind_record,
    summary_record,
    user_record,
)
from stt_daemon.conversation.transcript import DEFAULT_SCOPE, Scope, TranscriptMaterial
from stt_daemon.domain.citations import Citation
from stt_daemon.domain.text import spoken as neutral_spoken


@dataclass(frozen=True)
class ChatSnapshot:
    """All that planning needs, at one moment."""

    view: HistoryView
    system: str
    compaction_system: str
    limits: Limits
    session: str
    condense_problem: str

    def plan(
        self,
        number: int,
        *,
        window: int,
        count: TokenCounter,
        transcript: TranscriptMaterial | None = None,
    ) -> RequestPlan | RequestRefused:
        """The request for exchange `number`, with `window` the model's context in tokens."""
        return plan_request(
            self.view,
            number,
            system=self.system,
            window=window,
            limits=self.limits,
            count=count,
            session=self.session,
            transcript=transcript,
            condense_problem=self.condense_problem,
        )

    def compaction(
        self, plan: RequestPlan, *, window: int, count: TokenCounter
    ) -> CompactionRequest | RequestRefused:
        """The request that condenses what `plan` wants condensed, or the oldest part of it that fits."""
        return build_compaction(
            self.view,
            plan.condense,
            system=self.compaction_system,
            window=window,
            limits=self.limits,
            count=count,
            session=self.session,
        )


@dataclass(frozen=True)
class Restored:
    """What a restart finds: `skipped` unusable lines, and the exchanges whose reply was `lost` with the one
    who waited for it. `records` say of those that no reply came."""

    skipped: int
    lost: tuple[Exchange, ...]
    records: list[Record]


class Conversation:
    """Chat and command turns, what stands for the oldest of them, and the scope of questions."""

    def __init__(
        self,
        *,
        role: str,
        prompt: str,
        compaction_prompt: str,
        limits: Limits,
        session: str,
        scope: Scope = DEFAULT_SCOPE,
    ) -> None:
        self._system = system_prompt(role, prompt)
        self._compaction_system = compaction_prompt
        self._limits = limits
        self._session = session
        self._history = History()
        self._condense_problem = ""
        self._alerted: ContextAlert | None = None
        self.scope = scope

    def snapshot(self) -> ChatSnapshot:
        return ChatSnapshot(
            self._history.view(),
            self._system,
            self._compaction_system,
            self._limits,
            self._session,
            self._condense_problem,
        )

    def ask(
        self, text: str, *, wall: str, kind: Kind = "chat", spoken: bool = False
    ) -> tuple[Exchange, list[Record]]:
        """Add what the user typed or said. Spoken words lose their brackets: see `domain.text`."""
        said = neutral_spoken(text) if spoken else text
        exchange = self._history.ask(said, session=self._session, kind=kind)
        return exchange, [user_record(exchange, wall)]

    def answered(
        self,
        number: int,
        reply: str,
        *,
        wall: str,
        cites: Sequence[Citation] = (),
        figures: ReplyFigures | None = None,
    ) -> list[Record]:
        """Add the checked reply. No record: the exchange was rewound or forgotten meanwhile."""
        exchange = self._history.settle(number, reply)
        if exchange is None:
            return []
        return [reply_record(exchange, wall, session=self._session, cites=cites, figures=figures)]

    def unanswered(self, number: int, *, wall: str, figures: ReplyFigures | None = None) -> list[Record]:
        """No reply will come (failed, evicted, cancelled). What was said stays in the memory."""
        return self.answered(number, "", wall=wall, figures=figures)

    def condensed(
        self, accepted: CompactionAccepted, *, wall: str, figures: ReplyFigures | None = None
    ) -> list[Record]:
        """Let an accepted summary replace its turns. No record: it came too late, and nothing changed."""
        self._condense_problem = ""
        if not self._history.cover(accepted.covers, accepted.summary, accepted.session):
            return []
        checkpoint = Checkpoint(accepted.covers[-1], accepted.summary, accepted.session)
        return [summary_record(checkpoint, wall, figures=figures)]

    def condensing_failed(self, reason: str) -> None:
        """The old summary stays and the turns wait; the next alert says so."""
        self._condense_problem = reason

    def rewind(self, count: int, *, wall: str) -> tuple[tuple[Exchange, ...], list[Record]]:
        """Take back the last `count` exchanges. They stay in the file; the record says that they ended."""
        dropped = self._history.rewind(count)
        if not dropped:
            return (), []
        return dropped, [rewind_record(dropped[0].number - 1, wall)]

    def forget(self, *, wall: str) -> tuple[int, list[Record]]:
        """Empty the memory; returns how many exchanges it held."""
        self._condense_problem, self._alerted = "", None
        return self._history.forget(), [forget_record(wall)]

    def change_session(self, session: str, *, wall: str) -> list[Record]:
        """A new session folder is in use; the chat goes on. The records open the new `chat.jsonl`.

        They repeat the memory, so that a restart in the new session still has it, and a rewind after that
        restart still has what to go back to.
        """
        self._session = session
        records = []
        for part in self._history.timeline():
            if isinstance(part, Checkpoint):
                records.append(summary_record(part, wall, carried=True))
                continue
            records.append(user_record(part, wall, carried=True))
            if part.settled:
                records.append(reply_record(part, wall, session=part.session, carried=True))
        return records

    def restore(self, records: Iterable[Mapping[str, Any]], *, wall: str) -> Restored:
        """Take the memory from the lines of a `chat.jsonl`."""
        rebuilt = rebuild(records)
        self._history = rebuilt.history
        unanswered = [reply_record(exchange, wall, session=self._session) for exchange in rebuilt.lost]
        return Restored(rebuilt.skipped, rebuilt.lost, unanswered)

    def new_alert(self, plan: RequestPlan) -> ContextAlert | None:
        """The plan's alert if its level is news: each level is told once until the memory has room again."""
        before, self._alerted = self._alerted, plan.alert
        if plan.alert is None or (before is not None and before.level == plan.alert.level):
            return None
        return plan.alert
