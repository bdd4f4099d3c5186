"""The lane of the language model: chat, commands, briefs and summaries before one worker.

Any thread may call it; nothing blocks but `join`. A job brings its own work: `do` gets what `load` returned
and an event that, once set, asks it to stop. See `base.Lane` for what start, stop and join promise.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from stt_daemon.domain import Clock
from stt_daemon.lanes.base import Lane
from stt_daemon.lanes.outcomes import Cancelled, Done, Failed, GivenUp, Outcome, Refused
from stt_daemon.lanes.queueing import Offer, PriorityJobs
from stt_daemon.messages import LaneChanged

log = logging.getLogger(__name__)

E = TypeVar("E")
R = TypeVar("R")

JobKind = Literal["chat", "command", "brief", "summary"]

BACKGROUND: frozenset[JobKind] = frozenset({"brief", "summary"})
"""Nobody waits for these: they go after the others, and enter only where there is room."""

EVICTED = "the queue was full and this was the oldest message in it"


@dataclass(frozen=True, eq=False)
class InferenceJob(Generic[E, R]):
    """One piece of work for the model; submitted once, known by its identity.

    `do(engine, stop)` runs in the lane's thread. When `stop` is set its result is not wanted any more: any
    exception then ends the job as cancelled. `name` is for people and logs.
    """

    kind: JobKind
    name: str
    do: Callable[[E, threading.Event], R] = field(repr=False)


InferenceOutcome = Outcome[InferenceJob[E, Any], Any]


class _Ticket(Generic[E]):
    """A job in the lane, how it came in, and the wish that it stop."""

    def __init__(self, job: InferenceJob[E, Any], *, modest: bool) -> None:
        self.job = job
        self.modest = modest
        self.stop = threading.Event()
        self.reason = ""

    def ask_to_stop(self, reason: str) -> None:
        self.reason = self.reason or reason
        self.stop.set()


class ChatGivesWay(Generic[E]):
    """Chat and commands in order of submission, then the background kinds in theirs; bounded.

    A full queue lets go of its oldest chat job for a new chat job, and of nothing else. Who came in
    modestly displaces nobody.
    """

    def __init__(self, bound: int) -> None:
        self._jobs: PriorityJobs[_Ticket[E]] = PriorityJobs(
            bound, priority=lambda ticket: 1 if ticket.job.kind in BACKGROUND else 0
        )

    def offer(self, job: _Ticket[E]) -> Offer[_Ticket[E]]:
        offer = self._jobs.offer(job)
        if not offer.refused or job.job.kind != "chat" or job.modest:
            return offer
        oldest = self._jobs.first(lambda waiting: waiting.job.kind == "chat")
        if oldest is None:
            return offer
        self._jobs.evict(lambda waiting: waiting is oldest)
        self._jobs.offer(job)
        return Offer(evicted=((oldest, EVICTED),))

    def take(self) -> _Ticket[E] | None:
        return self._jobs.take()

    def evict(self, unwanted: Callable[[_Ticket[E]], bool]) -> list[_Ticket[E]]:
        return self._jobs.evict(unwanted)

    def __len__(self) -> int:
        return len(self._jobs)


class InferenceQueue(Generic[E]):
    """One worker, one engine (whatever `load` returns), a bounded queue, one outcome for every job.

    `on_outcome` and `on_state` are called as `base.Lane` says, and must return at once. `size` bounds the
    jobs that wait, the one at work not counted. `describe(engine)` is the reason shown while ready or busy,
    asked before each job.
    """

    def __init__(
        self,
        load: Callable[[], E],
        *,
        size: int,
        on_outcome: Callable[[InferenceOutcome[E]], None],
        on_state: Callable[[LaneChanged], None],
        clock: Clock,
        describe: Callable[[E], str] = lambda _engine: "",
    ) -> None:
        self._on_outcome = on_outcome
        self._lane: Lane[_Ticket[E], Any, E] = Lane(
            "llm",
            load=load,
            work=self._work,
            queue=ChatGivesWay(size),
            on_outcome=self._tell,
            on_state=on_state,
            clock=clock,
            interrupt=lambda ticket, reason: ticket.ask_to_stop(reason),
            describe=describe,
        )

    def start(self) -> None:
        """Start the worker, which loads the engine first. Jobs may be submitted before."""
        self._lane.start()

    def submit(self, job: InferenceJob[E, Any]) -> None:
        """Queue a chat or command job; its outcome may arrive before this returns.

        Raises ValueError for a background kind: those have no right to a refusal somebody must hear of.
        """
        if job.kind in BACKGROUND:
            raise ValueError(f"a {job.kind} job enters by submit_if_room")
        self._lane.submit(_Ticket(job, modest=False))

    def submit_if_room(self, job: InferenceJob[E, Any]) -> bool:
        """Queue a job of any kind if that displaces nobody; False, without an outcome, if it does not fit
        or the lane takes no jobs (`state` says why)."""
        return self._lane.submit_if_room(_Ticket(job, modest=True))

    def cancel(self, job: InferenceJob[E, Any], reason: str) -> bool:
        """Cancel a waiting job, or ask the one at work to stop; False when it has been answered already.

        A job at work that comes to its end all the same is Done.
        """
        return self._lane.give_up(lambda ticket: ticket.job is job, reason)

    def cancel_kind(self, kind: JobKind, reason: str) -> bool:
        """The same for all jobs of a kind; False when there is none."""
        return self._lane.give_up(lambda ticket: ticket.job.kind == kind, reason)

    def stop(self, *, drain: bool, deadline: float | None = None) -> None:
        """Take no more; with `drain` do what waits until monotonic time `deadline`. Never blocks."""
        self._lane.stop(drain=drain, deadline=deadline)

    def join(self, timeout_s: float) -> bool:
        """After `stop`: wait this long at most for the worker; everything is answered afterwards."""
        return self._lane.join(timeout_s)

    @property
    def busy_since(self) -> float | None:
        """Monotonic time at which the job at work began; None when idle or loading."""
        return self._lane.busy_since

    @property
    def depth(self) -> int:
        """How many jobs wait."""
        return self._lane.depth

    @property
    def state(self) -> LaneChanged:
        """The state as it is now."""
        return self._lane.state

    def _work(self, engine: E, ticket: _Ticket[E]) -> Any:
        try:
            return ticket.job.do(engine, ticket.stop)
        except Exception as error:
            if not ticket.stop.is_set():
                raise
            log.info("%s stopped: %s (%s)", ticket.job.name, ticket.reason, error)
            raise GivenUp(ticket.reason) from error

    def _tell(self, outcome: Outcome[_Ticket[E], Any]) -> None:
        job = outcome.job.job
        match outcome:
            case Done(result=result):
                self._on_outcome(Done(job, result))
            case Failed(error=error):
                self._on_outcome(Failed(job, error))
            case Refused(reason=reason):
                self._on_outcome(Refused(job, reason))
            case Cancelled(reason=reason):
                self._on_outcome(Cancelled(job, reason))
