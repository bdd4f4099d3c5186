"""One load, one classification at a time, only the newest waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

import pytest

from stt_daemon.errors import ModelError
from stt_daemon.lanes.laya import LayaAnswers, LayaJob, LayaLane, LayaOutcome
from stt_daemon.lanes.outcomes import Cancelled, Done, Failed, Refused
from stt_daemon.messages import LaneChanged
from tests.fakes.clock import FakeClock

WAIT_S = 10


def job(number: int = 1) -> LayaJob:
    return LayaJob((f"- line {number}",), {}, "en", number)


class Engine:
    """Answers with the state; `hold` makes the next job wait for `release`."""

    def __init__(self) -> None:
        self.trouble = ""
        self.failure: Exception | None = None
        self.threads: set[int] = set()
        self.entered = threading.Event()
        self._gate = threading.Event()
        self._gate.set()

    def hold(self) -> None:
        self._gate.clear()

    def release(self) -> None:
        self._gate.set()

    def answer(self, job: LayaJob) -> LayaAnswers:
        self.threads.add(threading.get_ident())
        self.entered.set()
        assert self._gate.wait(WAIT_S)
        if self.failure is not None:
            raise self.failure
        return LayaAnswers({}, 0, "\n".join(job.lines), {}, {})


class Room:
    def __init__(self) -> None:
        self.engine = Engine()
        self.outcomes: queue.Queue[LayaOutcome] = queue.Queue()
        self.states: queue.Queue[LaneChanged] = queue.Queue()
        self.loads = 0
        self.loading = threading.Event()
        self.loading.set()
        self.load_error: Exception | None = None
        self.lane = LayaLane(
            self._load,
            on_outcome=self.outcomes.put,
            on_state=self.states.put,
            clock=FakeClock(),
            niceness=0,
        )

    def _load(self) -> Engine:
        self.loads += 1
        assert self.loading.wait(WAIT_S)
        if self.load_error is not None:
            raise self.load_error
        return self.engine

    def outcome(self) -> LayaOutcome:
        return self.outcomes.get(timeout=WAIT_S)

    def state(self, wanted: str) -> LaneChanged:
        while (state := self.states.get(timeout=WAIT_S)).state != wanted:
            pass
        return state


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.loading.set()
    room.engine.release()
    room.lane.stop(drain=False)
    room.lane.join(WAIT_S)


def test_eight_threads_that_ask_while_it_loads_cause_one_load_and_one_classification(room: Room) -> None:
    room.loading.clear()
    room.lane.start()
    asking = [threading.Thread(target=room.lane.submit, args=(job(number),)) for number in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(WAIT_S)
    assert room.lane.state.state == "loading"
    room.loading.set()
    kinds = [type(room.outcome()) for _ in range(8)]
    assert kinds.count(Done) == 1
    assert kinds.count(Cancelled) == 7
    assert room.loads == 1
    assert len(room.engine.threads) == 1


def test_a_newer_job_takes_the_place_of_the_one_that_waits(room: Room) -> None:
    room.engine.hold()
    room.lane.start()
    first, second, third = job(1), job(2), job(3)
    room.lane.submit(first)
    assert room.engine.entered.wait(WAIT_S)
    room.lane.submit(second)
    room.lane.submit(third)
    cancelled = room.outcome()
    assert isinstance(cancelled, Cancelled)
    assert cancelled.job is second
    room.engine.release()
    done = [room.outcome(), room.outcome()]
    assert [outcome.job for outcome in done] == [first, third]
    assert all(isinstance(outcome, Done) for outcome in done)


def test_dropping_spares_the_job_at_work(room: Room) -> None:
    room.engine.hold()
    room.lane.start()
    at_work, waiting = job(1), job(2)
    room.lane.submit(at_work)
    assert room.engine.entered.wait(WAIT_S)
    room.lane.submit(waiting)
    room.lane.drop_waiting("cleared")
    assert room.outcome() == Cancelled(waiting, "cleared")
    room.engine.release()
    outcome = room.outcome()
    assert isinstance(outcome, Done)
    assert outcome.job.generation == 1


def test_without_a_model_the_lane_says_why_and_refuses(room: Room) -> None:
    room.load_error = ModelError("the package laya is not installed", mend='install the "triage" extra')
    room.lane.start()
    reason = room.state("unavailable").reason
    assert reason == 'the package laya is not installed (install the "triage" extra)'
    room.lane.submit(job())
    outcome = room.outcome()
    assert isinstance(outcome, Refused)
    assert outcome.reason == reason


def test_a_failed_job_leaves_the_lane_at_work_and_its_trouble_in_the_state(room: Room) -> None:
    room.lane.start()
    assert room.state("ready").reason == ""
    room.engine.failure = ValueError("no")
    room.engine.trouble = "the last classification failed"
    room.lane.submit(job())
    assert isinstance(room.outcome(), Failed)
    room.state("busy")
    assert room.state("ready").reason == "the last classification failed"
    room.engine.failure = None
    room.lane.submit(job())
    assert isinstance(room.outcome(), Done)


def test_a_stop_does_not_wait_for_the_model(room: Room) -> None:
    room.loading.clear()
    room.lane.start()
    room.lane.submit(job())
    room.lane.stop(drain=True)
    assert isinstance(room.outcome(), Cancelled)
    assert room.lane.join(0)
