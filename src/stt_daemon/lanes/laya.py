"""The lane of the classifier: one classification at a time, and only the newest of those that wait.

Any thread may call it; nothing blocks but `join`. See `base.Lane` for what start, stop and join promise. The
reason of its state is "" while nothing is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from stt_daemon.domain import Clock
from stt_daemon.lanes.base import Lane
from stt_daemon.lanes.outcomes import Outcome
from stt_daemon.lanes.queueing import PriorityJobs
from stt_daemon.messages import LaneChanged

# A thread of the process it shares with the core: words are written down first, then judged.
NICENESS = 10


@dataclass(frozen=True, eq=False)
class LayaJob:
    """One window to classify; known by its identity.

    `lines` are the state's lines, oldest first. `questions` are as Laya takes them, without those that need
    no asking. `language` is a code such as "de", "" if unknown. `generation` is the asker's: the lane hands
    it back with the job.
    """

    lines: tuple[str, ...] = field(repr=False)
    questions: dict[str, Any] = field(repr=False)
    language: str
    generation: int


@dataclass(frozen=True)
class LayaAnswers:
    """`answers` as Laya words them, by question id; a value that is no number is None.

    `unsure`: choices whose answer changed with the order of the options. `input_tokens`: what the questions
    and the state, as often as it was read for them, came to. `state` is the text that was classified.
    `request` and `response` are the call as it was made, as plain data for a dump.
    """

    answers: dict[str, dict[str, Any]]
    input_tokens: int
    state: str
    request: dict[str, Any]
    response: Any
    unsure: tuple[str, ...] = ()


LayaOutcome = Outcome[LayaJob, LayaAnswers]


class Classifying(Protocol):
    """What the lane works with; worker thread only."""

    @property
    def trouble(self) -> str:
        """What the user should know about its answers, "" if nothing."""

    def answer(self, job: LayaJob) -> LayaAnswers:
        """Classify. Whatever it raises fails the job alone."""


class LayaLane:
    """A `Lane` that classifies. `load` makes the engine in the worker thread, once."""

    def __init__(
        self,
        load: Callable[[], Classifying],
        *,
        on_outcome: Callable[[LayaOutcome], None],
        on_state: Callable[[LaneChanged], None],
        clock: Clock,
        niceness: int = NICENESS,
    ) -> None:
        self._lane: Lane[LayaJob, LayaAnswers, Classifying] = Lane(
            "laya",
            load=load,
            work=lambda engine, job: engine.answer(job),
            queue=PriorityJobs(1, slot=lambda _job: "newest"),
            on_outcome=on_outcome,
            on_state=on_state,
            clock=clock,
            describe=lambda engine: engine.trouble,
            niceness=niceness,
        )

    def start(self) -> None:
        """Start the worker; it loads the engine while jobs may already be submitted."""
        self._lane.start()

    def submit(self, job: LayaJob) -> None:
        """Hand over a job; one that waits is cancelled in its favour. Never blocks."""
        self._lane.submit(job)

    def drop_waiting(self, reason: str) -> None:
        """Cancel the job that waits. The one at work still comes to its end."""
        self._lane.give_up(lambda _job: True, reason)

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
