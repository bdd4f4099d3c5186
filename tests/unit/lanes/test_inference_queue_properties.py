"""The language model's queue does what a few lines of single-threaded code say it does."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.errors import LlmError
from stt_daemon.lanes.inference_queue import (
    BACKGROUND,
    EVICTED,
    InferenceJob,
    InferenceOutcome,
    InferenceQueue,
)
from stt_daemon.lanes.outcomes import Cancelled, Done, Failed, Refused
from tests.fakes.clock import FakeClock

WAIT_S = 10

Job = InferenceJob[str, str]
Ended = tuple[str, str]

kinds = st.sampled_from(["chat", "chat", "command", "brief", "summary"])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("submit"), kinds),
        st.tuples(st.just("submit"), kinds),
        st.tuples(st.just("if_room"), kinds),
        st.tuples(st.just("cancel"), st.integers(0, 12)),
        st.tuples(st.just("cancel_kind"), kinds),
        st.tuples(st.just("finish"), st.sampled_from(["well", "badly"])),
        st.tuples(st.just("finish"), st.sampled_from(["well", "badly"])),
        st.tuples(st.just("stop"), st.booleans()),
        st.tuples(st.just("late"), st.none()),
    ),
    max_size=30,
)


@dataclass
class Model:
    """What ought to happen. A job is its number and kind, an ending its number and how."""

    bound: int
    broken: bool
    waiting: list[tuple[int, str]] = field(default_factory=list)
    running: tuple[int, str] | None = None
    asked: bool = False
    closed: bool = False
    late: bool = False
    ended: list[tuple[int, str]] = field(default_factory=list)

    def submit(self, job: tuple[int, str]) -> None:
        if self.broken or self.closed:
            self.ended.append((job[0], "refused"))
        elif len(self.waiting) < self.bound:
            self.waiting.append(job)
        elif job[1] == "chat" and (old := next((one for one in self.waiting if one[1] == "chat"), None)):
            self.waiting.remove(old)
            self.ended.append((old[0], "evicted"))
            self.waiting.append(job)
        else:
            self.ended.append((job[0], "refused"))

    def submit_if_room(self, job: tuple[int, str]) -> bool:
        room = not self.broken and not self.closed and len(self.waiting) < self.bound
        if room:
            self.waiting.append(job)
        return room

    def cancel(self, unwanted: Callable[[tuple[int, str]], bool]) -> bool:
        gone = [job for job in self._order() if unwanted(job)]
        self.waiting = [job for job in self.waiting if not unwanted(job)]
        self.ended += [(job[0], "cancelled") for job in gone]
        at_work = self.running is not None and unwanted(self.running)
        self.asked |= at_work
        return bool(gone) or at_work

    def finish(self, how: str) -> None:
        assert self.running is not None
        bad = "cancelled" if self.asked else "failed"
        self.ended.append((self.running[0], "done" if how == "well" else bad))
        self.running, self.asked = None, False

    def stop(self, drain: bool) -> None:
        self.closed = True
        if not drain:
            self.cancel(lambda _job: True)

    def work(self) -> None:
        """The worker takes who goes next; a draining one only in time."""
        if self.running is None and self.waiting:
            if self.closed and self.late:
                self.cancel(lambda _job: True)
            else:
                self.running = self._order()[0]
                self.waiting.remove(self.running)

    def _order(self) -> list[tuple[int, str]]:
        return sorted(self.waiting, key=lambda job: job[1] in BACKGROUND)


def how(outcome: InferenceOutcome[str]) -> str:
    match outcome:
        case Done():
            return "done"
        case Failed():
            return "failed"
        case Refused():
            return "refused"
        case Cancelled(reason=reason):
            return "evicted" if reason == EVICTED else "cancelled"


@settings(max_examples=200, deadline=None)
@given(
    steps=steps,
    bound=st.integers(1, 4),
    broken=st.sampled_from([False] * 5 + [True]),
)
def test_the_queue_behaves_like_its_model(steps: list[tuple[str, object]], bound: int, broken: bool) -> None:
    outcomes: queue.Queue[InferenceOutcome[str]] = queue.Queue()
    entered: queue.Queue[int] = queue.Queue()
    orders: queue.Queue[str] = queue.Queue()
    clock = FakeClock()

    def load() -> str:
        if broken:
            raise LlmError("no server")
        return "model"

    def job(number: int, kind: str) -> Job:
        def do(engine: str, stop: threading.Event) -> str:
            entered.put(number)
            if orders.get(timeout=WAIT_S) == "badly":
                raise LlmError("a bad reply")
            return engine

        return InferenceJob(kind, str(number), do)  # type: ignore[arg-type]

    ready = threading.Event()
    lane: InferenceQueue[str] = InferenceQueue(
        load, size=bound, on_outcome=outcomes.put, clock=clock,
        on_state=lambda state: ready.set() if state.state in ("ready", "unavailable") else None,
    )  # fmt: skip
    model = Model(bound, broken)
    lane.start()
    assert ready.wait(WAIT_S)
    jobs: list[Job] = []
    seen: list[tuple[int, str]] = []

    def compare() -> None:
        """Let the worker come to rest where the model is, then look at both."""
        before = model.running
        model.work()
        if model.running is not None and model.running != before:
            assert entered.get(timeout=WAIT_S) == model.running[0]
        while len(seen) < len(model.ended):
            outcome = outcomes.get(timeout=WAIT_S)
            seen.append((int(outcome.job.name), how(outcome)))
        assert sorted(seen) == sorted(model.ended)
        assert lane.depth == len(model.waiting)
        assert (lane.busy_since is not None) == (model.running is not None)
        if model.running is not None:
            assert lane.state.state == "busy"

    for step, value in [*steps, ("stop", True), *[("finish", "well")] * (bound + 1)]:
        if step in ("submit", "if_room"):
            kind = str(value)
            number = len(jobs)
            jobs.append(job(number, kind))
            if step == "if_room" or kind in BACKGROUND:
                assert lane.submit_if_room(jobs[-1]) == model.submit_if_room((number, kind))
            else:
                lane.submit(jobs[-1])
                model.submit((number, kind))
        elif step == "cancel" and isinstance(value, int) and value < len(jobs):
            said = lane.cancel(jobs[value], "unwanted")
            assert said == model.cancel(lambda waiting, number=value: waiting[0] == number)
        elif step == "cancel_kind":
            said = lane.cancel_kind(value, "unwanted")  # type: ignore[arg-type]
            assert said == model.cancel(lambda waiting, kind=value: waiting[1] == kind)
        elif step == "finish" and model.running is not None:
            model.finish(str(value))
            orders.put(str(value))
        elif step == "stop":
            lane.stop(drain=bool(value), deadline=clock.monotonic() + 5)
            model.stop(bool(value))
        elif step == "late" and model.closed:
            clock.advance(6)
            model.late = True
        compare()
    assert lane.join(WAIT_S)
    assert outcomes.empty()
    assert len({number for number, _ in seen}) == len(seen)
    assert model.waiting == []
    assert model.running is None
