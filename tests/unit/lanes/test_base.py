"""The lane itself: one worker, one engine, one outcome for each job."""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from stt_daemon.errors import ModelError
from stt_daemon.lanes.base import Lane
from stt_daemon.lanes.outcomes import Cancelled, Done, Failed, Outcome, Refused
from stt_daemon.lanes.queueing import JobQueue, PriorityJobs
from stt_daemon.messages import LaneChanged
from tests.fakes.clock import FakeClock

WAIT_S = 10


@dataclass
class Bench:
    """A lane over integers whose work is their double, and everything it said."""

    clock: FakeClock = field(default_factory=FakeClock)
    outcomes: queue.Queue[Outcome[int, int]] = field(default_factory=queue.Queue)
    states: queue.Queue[LaneChanged] = field(default_factory=queue.Queue)
    entered: threading.Event = field(default_factory=threading.Event)
    gate: threading.Event = field(default_factory=threading.Event)
    lane: Lane[int, int, str] | None = None

    def build(
        self,
        load: Callable[[], str] = lambda: "engine",
        jobs: JobQueue[int] | None = None,
        on_outcome: Callable[[Outcome[int, int]], None] | None = None,
        niceness: int = 0,
    ) -> Lane[int, int, str]:
        self.lane = Lane(
            "whisper",
            load=load,
            work=self.work,
            queue=PriorityJobs(100) if jobs is None else jobs,
            on_outcome=on_outcome or self.outcomes.put,
            on_state=self.states.put,
            clock=self.clock,
            describe=lambda engine: f"an {engine}",
            niceness=niceness,
        )
        return self.lane

    def work(self, engine: str, job: int) -> int:
        self.entered.set()
        assert self.gate.wait(WAIT_S)
        if job < 0:
            raise ModelError("no negative numbers")
        return 2 * job

    def outcome(self) -> Outcome[int, int]:
        return self.outcomes.get(timeout=WAIT_S)

    def until(self, state: str, depth: int | None = None) -> LaneChanged:
        while True:
            seen = self.states.get(timeout=WAIT_S)
            if seen.state == state and depth in (None, seen.depth):
                return seen


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    bench.gate.set()
    yield bench
    bench.gate.set()
    if bench.lane is not None:
        bench.lane.stop(drain=False)
        bench.lane.join(WAIT_S)


def test_a_job_is_done_by_the_worker(bench: Bench) -> None:
    lane = bench.build()
    lane.start()
    lane.submit(21)
    assert bench.outcome() == Done(21, 42)


def test_a_failing_job_fails_alone_and_the_lane_works_on(bench: Bench) -> None:
    lane = bench.build()
    lane.start()
    lane.submit(-1)
    lane.submit(1)
    failed = bench.outcome()
    assert isinstance(failed, Failed)
    assert failed.error.message == "no negative numbers"
    assert bench.outcome() == Done(1, 2)


def test_foreseen_trouble_is_one_line_in_the_log_and_anything_else_brings_its_traceback(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    lane = bench.build()
    lane.start()
    lane.submit(-1)
    bench.outcome()
    (line,) = caplog.records
    assert line.getMessage() == "a job of the whisper lane failed: no negative numbers"
    assert line.exc_info is None
    lane.submit("odd")  # type: ignore[arg-type]
    bench.outcome()
    assert caplog.records[-1].exc_info is not None


def test_an_engine_that_is_missing_as_foreseen_is_one_line_in_the_log(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    def load() -> str:
        raise ModelError("there is no model", mend="fetch one")

    bench.build(load).start()
    bench.until("unavailable")
    (line,) = caplog.records
    assert line.getMessage() == "the whisper lane has no engine: there is no model (fetch one)"
    assert line.exc_info is None


def test_jobs_wait_while_the_engine_loads(bench: Bench) -> None:
    loading = threading.Event()

    def load() -> str:
        assert loading.wait(WAIT_S)
        return "engine"

    lane = bench.build(load)
    lane.start()
    lane.submit(1)
    assert lane.depth == 1
    assert lane.state.state == "loading"
    assert bench.outcomes.empty()
    loading.set()
    assert bench.outcome() == Done(1, 2)


def test_states_are_told_in_order_with_a_reason(bench: Bench) -> None:
    lane = bench.build()
    lane.start()
    assert bench.until("loading").reason == ""
    assert bench.until("ready").reason == "an engine"
    bench.gate.clear()
    lane.submit(1)
    bench.until("busy", depth=0)
    lane.submit(2)
    bench.until("busy", depth=1)
    bench.gate.set()
    assert bench.until("ready").depth == 0


def test_without_an_engine_every_job_is_refused_with_the_reason(bench: Bench) -> None:
    def load() -> str:
        raise ModelError("model.bin is empty", mend="fetch it again")

    lane = bench.build(load)
    lane.submit(1)
    lane.start()
    early = bench.outcome()
    lane.submit(2)
    late = bench.outcome()
    assert [early, late] == [Refused(n, "model.bin is empty (fetch it again)") for n in (1, 2)]
    assert bench.until("unavailable").reason == "model.bin is empty (fetch it again)"
    lane.stop(drain=True)
    assert lane.join(WAIT_S)
    assert lane.state.reason == "model.bin is empty (fetch it again)"


def test_busy_since_is_the_start_of_the_job_at_work(bench: Bench) -> None:
    lane = bench.build()
    bench.gate.clear()
    lane.start()
    assert lane.busy_since is None
    began = bench.clock.monotonic()
    lane.submit(1)
    assert bench.entered.wait(WAIT_S)
    bench.clock.advance(60)
    assert lane.busy_since == began
    bench.gate.set()
    bench.outcome()
    assert lane.busy_since is None


def test_submitting_does_not_wait_for_a_busy_worker(bench: Bench) -> None:
    lane = bench.build(jobs=PriorityJobs(2))
    bench.gate.clear()
    lane.start()
    lane.submit(0)
    assert bench.entered.wait(WAIT_S)
    for job in (1, 2, 3):
        lane.submit(job)
    assert bench.outcome() == Refused(3, "the queue is full (2 wait)")
    assert lane.depth == 2


def test_a_replaced_job_is_cancelled(bench: Bench) -> None:
    lane = bench.build(jobs=PriorityJobs(9, slot=lambda job: job % 2))
    bench.gate.clear()
    lane.start()
    lane.submit(0)
    assert bench.entered.wait(WAIT_S)
    for job in (1, 2, 3):
        lane.submit(job)
    assert bench.outcome() == Cancelled(1, "replaced by a newer one")


def test_a_draining_stop_does_what_waits_and_takes_no_more(bench: Bench) -> None:
    lane = bench.build()
    bench.gate.clear()
    lane.start()
    lane.submit(1)
    lane.submit(2)
    assert bench.entered.wait(WAIT_S)
    lane.stop(drain=True, deadline=bench.clock.monotonic() + 10)
    lane.submit(3)
    assert bench.outcome() == Refused(3, "the lane has stopped")
    bench.gate.set()
    assert [bench.outcome(), bench.outcome()] == [Done(1, 2), Done(2, 4)]
    assert lane.join(WAIT_S)
    assert lane.state.state == "unavailable"


def test_draining_ends_at_its_deadline(bench: Bench) -> None:
    lane = bench.build()
    bench.gate.clear()
    lane.start()
    lane.submit(1)
    lane.submit(2)
    assert bench.entered.wait(WAIT_S)
    lane.stop(drain=True, deadline=bench.clock.monotonic() + 10)
    bench.clock.advance(11)
    bench.gate.set()
    assert bench.outcome() == Done(1, 2)
    assert bench.outcome() == Cancelled(2, "stopped before its turn")


def test_a_stop_without_draining_cancels_at_once_what_waits(bench: Bench) -> None:
    lane = bench.build()
    bench.gate.clear()
    lane.start()
    lane.submit(1)
    lane.submit(2)
    assert bench.entered.wait(WAIT_S)
    lane.stop(drain=False)
    assert bench.outcome() == Cancelled(2, "stopped before its turn")
    bench.gate.set()
    assert bench.outcome() == Done(1, 2)


def test_a_stop_while_loading_does_not_wait_for_the_model(bench: Bench) -> None:
    loading = threading.Event()

    def load() -> str:
        loading.wait(WAIT_S)
        return "engine"

    lane = bench.build(load)
    lane.start()
    lane.submit(1)
    lane.stop(drain=True, deadline=bench.clock.monotonic() + 10)
    assert bench.outcome() == Cancelled(1, "stopped before its turn")
    assert lane.join(WAIT_S)
    assert not loading.is_set()
    loading.set()


def test_a_lane_stopped_while_loading_never_becomes_ready(bench: Bench) -> None:
    loading = threading.Event()

    def load() -> str:
        assert loading.wait(WAIT_S)
        return "engine"

    lane = bench.build(load)
    lane.start()
    lane.stop(drain=True)
    loading.set()
    lane._thread.join(WAIT_S)
    assert [state.state for state in list(bench.states.queue)] == ["loading", "unavailable"]


def test_a_job_that_outlives_the_join_is_cancelled_and_its_result_thrown_away(bench: Bench) -> None:
    lane = bench.build()
    bench.gate.clear()
    lane.start()
    lane.submit(1)
    lane.submit(2)
    assert bench.entered.wait(WAIT_S)
    lane.stop(drain=True)
    assert not lane.join(0)
    assert bench.outcome() == Cancelled(1, "still at work when the time was up")
    assert bench.outcome() == Cancelled(2, "stopped before its turn")
    bench.gate.set()
    assert lane.join(WAIT_S)
    assert bench.outcomes.empty()


def test_a_stop_before_the_start_answers_everybody(bench: Bench) -> None:
    lane = bench.build()
    lane.submit(1)
    lane.stop(drain=True)
    assert bench.outcome() == Cancelled(1, "stopped before its turn")
    assert lane.join(0)


def test_a_callback_may_submit(bench: Bench) -> None:
    seen: queue.Queue[int] = queue.Queue()

    def again(outcome: Outcome[int, int]) -> None:
        assert isinstance(outcome, Done)
        seen.put(outcome.result)
        if outcome.result < 8:
            lane.submit(outcome.result)

    lane = bench.build(on_outcome=again)
    lane.start()
    lane.submit(1)
    assert [seen.get(timeout=WAIT_S) for _ in range(3)] == [2, 4, 8]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_lane_whose_callback_breaks_does_not_look_alive(bench: Bench) -> None:
    def broken(outcome: Outcome[int, int]) -> None:
        if outcome.job == 1:
            raise RuntimeError("inbox gone")
        bench.outcomes.put(outcome)

    lane = bench.build(on_outcome=broken)
    lane.start()
    bench.until("ready")
    lane.submit(1)
    assert "inbox gone" in bench.until("unavailable").reason
    lane.submit(2)
    assert isinstance(bench.outcome(), Refused)
    # The exception leaves the thread, as it must; it has to do so inside this test.
    lane._thread.join(WAIT_S)


@pytest.mark.skipif(sys.platform != "linux", reason="niceness belongs to a thread on Linux only")
def test_only_the_worker_thread_becomes_nicer_and_does_so_before_loading(bench: Bench) -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    seen: queue.Queue[int] = queue.Queue()

    def load() -> str:
        seen.put(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return "engine"

    bench.build(load, niceness=5).start()
    assert seen.get(timeout=WAIT_S) == 5
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
