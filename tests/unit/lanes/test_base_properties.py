"""Whatever is submitted, stopped, drained or broken, and in whichever order: one outcome for each job."""

from __future__ import annotations

import queue
import threading
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.errors import ModelError
from stt_daemon.lanes.base import Lane
from stt_daemon.lanes.outcomes import Outcome
from stt_daemon.lanes.queueing import PriorityJobs
from tests.fakes.clock import FakeClock

Job = tuple[int, bool]

steps = st.lists(
    st.sampled_from(
        [
            "submit",
            "submit",
            "submit",
            "submit_bad",
            "start",
            "open",
            "close",
            "late",
            "drain",
            "halt",
            "join",
        ]
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(steps=steps, load_fails=st.booleans(), bound=st.integers(1, 4), replace=st.booleans())
def test_each_job_ends_in_exactly_one_outcome(
    steps: list[str], load_fails: bool, bound: int, replace: bool
) -> None:
    outcomes: queue.Queue[Outcome[Job, int]] = queue.Queue()
    gate = threading.Event()
    clock = FakeClock()

    def load() -> str:
        if load_fails:
            raise ModelError("no model")
        return "engine"

    def work(engine: str, job: Job) -> int:
        gate.wait(10)
        if job[1]:
            raise RuntimeError("bad job")
        return job[0]

    lane: Lane[Job, int, str] = Lane(
        "whisper",
        load=load,
        work=work,
        queue=PriorityJobs(
            bound, priority=lambda job: job[0] % 2, slot=lambda job: "one" if replace and job[0] % 2 else None
        ),
        on_outcome=outcomes.put,
        on_state=lambda _state: None,
        clock=clock,
    )
    started, submitted = False, 0
    for step in [*steps, "start", "drain", "open"]:
        if step.startswith("submit"):
            lane.submit((submitted, step == "submit_bad"))
            submitted += 1
        elif step == "start" and not started:
            started = True
            lane.start()
        elif step == "open":
            gate.set()
        elif step == "close":
            gate.clear()
        elif step == "late":
            clock.advance(5)
        elif step == "drain":
            lane.stop(drain=True, deadline=clock.monotonic() + 3)
        elif step == "halt":
            lane.stop(drain=False)
        elif step == "join":
            lane.stop(drain=True)
            lane.join(0)
    assert lane.join(10)
    lane._thread.join(10)
    counts = Counter(outcome.job[0] for outcome in outcomes.queue)
    assert counts == Counter(range(submitted))
