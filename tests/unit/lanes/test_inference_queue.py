"""The language model's queue: who may displace whom, and how a job at work is stopped."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stt_daemon.errors import LlmError
from stt_daemon.lanes.inference_queue import (
    EVICTED,
    InferenceJob,
    InferenceOutcome,
    InferenceQueue,
    JobKind,
)
from stt_daemon.lanes.outcomes import Cancelled, Done, Failed, Refused
from stt_daemon.messages import LaneChanged
from tests.fakes.clock import FakeClock

WAIT_S = 10

Job = InferenceJob[str, str]


class Bench:
    """A queue before an engine named "model", and everything it said."""

    def __init__(self, size: int = 2, load: Callable[[], str] = lambda: "model") -> None:
        self.clock = FakeClock()
        self.outcomes: queue.Queue[InferenceOutcome[str]] = queue.Queue()
        self.states: queue.Queue[LaneChanged] = queue.Queue()
        self.entered: queue.Queue[str] = queue.Queue()
        self.gate = threading.Event()
        self.queue: InferenceQueue[str] = InferenceQueue(
            load, size=size, on_outcome=self.outcomes.put, on_state=self.states.put, clock=self.clock,
            describe=lambda engine: f"asks {engine}",
        )  # fmt: skip

    def job(self, kind: JobKind, name: str) -> Job:
        def do(engine: str, stop: threading.Event) -> str:
            self.entered.put(name)
            assert self.gate.wait(WAIT_S)
            return f"{engine} on {name}"

        return InferenceJob(kind, name, do)

    def obedient(self, name: str) -> Job:
        """Works until it is asked to stop."""

        def do(engine: str, stop: threading.Event) -> str:
            self.entered.put(name)
            assert stop.wait(WAIT_S)
            raise LlmError("the call was cancelled", code="cancelled")

        return InferenceJob("chat", name, do)

    def busy(self) -> Job:
        """Start the worker and give it something to do."""
        job = self.job("chat", "first")
        self.queue.start()
        self.queue.submit(job)
        assert self.entered.get(timeout=WAIT_S) == "first"
        return job

    def outcome(self) -> InferenceOutcome[str]:
        return self.outcomes.get(timeout=WAIT_S)


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.gate.set()
    bench.queue.stop(drain=False)
    bench.queue.join(WAIT_S)


def test_a_job_gets_the_engine_and_its_result_comes_back(bench: Bench) -> None:
    job = bench.busy()
    bench.gate.set()
    assert bench.outcome() == Done(job, "model on first")


def test_a_full_queue_lets_its_oldest_chat_go_for_a_new_one(bench: Bench) -> None:
    bench.busy()
    old, middle, new = (bench.job("chat", name) for name in ("old", "middle", "new"))
    for job in (old, middle, new):
        bench.queue.submit(job)
    assert bench.outcome() == Cancelled(old, EVICTED)
    bench.gate.set()
    assert [bench.outcome().job.name for _ in range(3)] == ["first", "middle", "new"]


def test_a_chat_displaces_no_command_brief_or_summary(bench: Bench) -> None:
    bench.busy()
    bench.queue.submit(bench.job("command", "command"))
    assert bench.queue.submit_if_room(bench.job("brief", "brief"))
    chat = bench.job("chat", "chat")
    bench.queue.submit(chat)
    assert bench.outcome() == Refused(chat, "the queue is full (2 wait)")


def test_a_command_displaces_nobody(bench: Bench) -> None:
    bench.busy()
    for name in ("a", "b"):
        bench.queue.submit(bench.job("chat", name))
    command = bench.job("command", "command")
    bench.queue.submit(command)
    assert bench.outcome() == Refused(command, "the queue is full (2 wait)")


@pytest.mark.parametrize("kind", ["brief", "summary", "chat"])
def test_what_needs_room_displaces_nobody_and_leaves_no_outcome(bench: Bench, kind: JobKind) -> None:
    bench.busy()
    assert bench.queue.submit_if_room(bench.job("chat", "a"))
    bench.queue.submit(bench.job("chat", "b"))
    assert not bench.queue.submit_if_room(bench.job(kind, "c"))
    assert bench.outcomes.empty()
    assert bench.queue.depth == 2


@pytest.mark.parametrize("kind", ["brief", "summary"])
def test_background_work_has_one_way_in(bench: Bench, kind: JobKind) -> None:
    with pytest.raises(ValueError, match="submit_if_room"):
        bench.queue.submit(bench.job(kind, "b"))


def test_background_work_goes_after_what_people_wait_for() -> None:
    bench = Bench(size=9)
    bench.busy()
    assert bench.queue.submit_if_room(bench.job("brief", "brief"))
    assert bench.queue.submit_if_room(bench.job("summary", "summary"))
    for kind in ("chat", "command", "chat"):
        bench.queue.submit(bench.job(kind, kind))  # type: ignore[arg-type]
    bench.gate.set()
    order = [bench.outcome().job.name for _ in range(6)]
    assert order == ["first", "chat", "command", "chat", "brief", "summary"]
    bench.queue.stop(drain=True)
    assert bench.queue.join(WAIT_S)


def test_a_waiting_job_is_cancelled_at_once(bench: Bench) -> None:
    bench.busy()
    job = bench.job("chat", "second")
    bench.queue.submit(job)
    assert bench.queue.cancel(job, "the user changed their mind")
    assert bench.outcome() == Cancelled(job, "the user changed their mind")
    assert not bench.queue.cancel(job, "again")
    assert bench.queue.depth == 0


def test_a_job_at_work_that_obeys_is_cancelled_with_the_first_reason(bench: Bench) -> None:
    job = bench.obedient("long")
    bench.queue.start()
    bench.queue.submit(job)
    bench.entered.get(timeout=WAIT_S)
    assert bench.queue.cancel(job, "enough")
    bench.queue.cancel(job, "really enough")
    assert bench.outcome() == Cancelled(job, "enough")


def test_a_result_that_came_in_spite_of_the_cancel_counts(bench: Bench) -> None:
    job = bench.busy()
    assert bench.queue.cancel(job, "enough")
    bench.gate.set()
    assert bench.outcome() == Done(job, "model on first")


def test_a_kind_is_cancelled_as_a_whole_and_others_stay() -> None:
    bench = Bench(size=9)
    first = bench.obedient("first")
    bench.queue.start()
    bench.queue.submit(first)
    bench.entered.get(timeout=WAIT_S)
    chat, command = bench.job("chat", "chat"), bench.job("command", "command")
    bench.queue.submit(command)
    bench.queue.submit(chat)
    assert bench.queue.cancel_kind("chat", "cleared")
    bench.gate.set()
    ended = [bench.outcome() for _ in range(3)]
    assert Cancelled(chat, "cleared") in ended
    assert Cancelled(first, "cleared") in ended
    assert Done(command, "model on command") in ended
    assert not bench.queue.cancel_kind("brief", "cleared")
    bench.queue.stop(drain=True)
    assert bench.queue.join(WAIT_S)


def test_trouble_with_the_server_fails_the_job_and_keeps_its_code(bench: Bench) -> None:
    def do(engine: str, stop: threading.Event) -> Any:
        raise LlmError("nobody answers", code="unreachable")

    bench.queue.start()
    bench.queue.submit(InferenceJob("chat", "hopeless", do))
    failed = bench.outcome()
    assert isinstance(failed, Failed)
    assert failed.error.code == "unreachable"


def test_a_stop_without_draining_interrupts_the_job_at_work(bench: Bench) -> None:
    job = bench.obedient("long")
    bench.queue.start()
    bench.queue.submit(job)
    bench.entered.get(timeout=WAIT_S)
    bench.queue.stop(drain=False)
    assert bench.outcome() == Cancelled(job, "the lane is stopping")
    assert bench.queue.join(WAIT_S)


def test_a_job_that_outlives_the_join_is_told_so(bench: Bench) -> None:
    job = bench.obedient("long")
    bench.queue.start()
    bench.queue.submit(job)
    bench.entered.get(timeout=WAIT_S)
    bench.queue.stop(drain=True)
    assert not bench.queue.join(0)
    assert bench.outcome() == Cancelled(job, "still at work when the time was up")
    assert bench.queue.join(WAIT_S)
    assert bench.outcomes.empty()


def test_draining_finishes_what_was_taken_in(bench: Bench) -> None:
    bench.busy()
    assert bench.queue.submit_if_room(bench.job("brief", "brief"))
    bench.queue.stop(drain=True)
    assert not bench.queue.submit_if_room(bench.job("brief", "late"))
    bench.gate.set()
    assert [type(bench.outcome()) for _ in range(2)] == [Done, Done]
    assert bench.queue.join(WAIT_S)


def test_without_an_engine_the_queue_answers_and_says_why() -> None:
    def load() -> str:
        raise LlmError("base_url is no address", mend="set [llm].base_url")

    bench = Bench(load=load)
    early, late = bench.job("chat", "early"), bench.job("command", "late")
    bench.queue.submit(early)
    bench.queue.start()
    why = "base_url is no address (set [llm].base_url)"
    assert bench.outcome() == Refused(early, why)
    bench.queue.submit(late)
    assert bench.outcome() == Refused(late, why)
    assert not bench.queue.submit_if_room(bench.job("brief", "brief"))
    assert (bench.queue.state.name, bench.queue.state.state, bench.queue.state.reason) == (
        "llm",
        "unavailable",
        why,
    )


def test_depth_busy_and_state_follow_the_work(bench: Bench) -> None:
    began = bench.clock.monotonic()
    bench.busy()
    bench.clock.advance(30)
    bench.queue.submit(bench.job("chat", "second"))
    assert (bench.queue.busy_since, bench.queue.depth) == (began, 1)
    assert bench.queue.state == LaneChanged(name="llm", state="busy", depth=1, reason="asks model")
    bench.gate.set()
    bench.outcome()
    bench.outcome()
    assert bench.queue.busy_since is None
    while bench.states.get(timeout=WAIT_S) != LaneChanged(name="llm", state="ready", reason="asks model"):
        pass
