"""Finals before partials, behind the real lane."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from stt_daemon.domain import Segment
from stt_daemon.errors import AudioError
from stt_daemon.lanes.outcomes import Cancelled, Done, Failed, Refused
from stt_daemon.lanes.speech_engine import Samples
from stt_daemon.lanes.transcriber import Hypothesis, Recognition, Transcriber
from stt_daemon.lanes.whisper import FinalJob, PartialJob, WhisperLane, WhisperOutcome
from stt_daemon.messages import LaneChanged
from tests.fakes.clock import FakeClock
from tests.fakes.engine import FakeEngine, heard, speechlike

WAIT_S = 10
SPEECH = speechlike(3.0)


def final(number: int) -> FinalJob:
    start = 10.0 * number
    segment = Segment(f"{number}.wav", "speech", start, start + 3, start + 0.3, start + 2.7, 2.4, -20.0, 0.0)
    return FinalJob(segment, lambda: SPEECH)


def partial(t0: float, t1: float) -> PartialJob:
    return PartialJob(t0, t1, lambda: SPEECH)


@dataclass
class Room:
    engine: FakeEngine = field(default_factory=lambda: FakeEngine(heard("Text.")))
    outcomes: queue.Queue[WhisperOutcome] = field(default_factory=queue.Queue)
    states: queue.Queue[LaneChanged] = field(default_factory=queue.Queue)

    def __post_init__(self) -> None:
        self.lane = WhisperLane(
            lambda: self.engine,
            transcriber=Transcriber(),
            on_outcome=self.outcomes.put,
            on_state=self.states.put,
            clock=FakeClock(),
            niceness=0,
            max_waiting=3,
        )

    def outcome(self) -> WhisperOutcome:
        return self.outcomes.get(timeout=WAIT_S)

    def occupy(self) -> None:
        """Keep the worker at a first final until `release`."""
        self.engine.hold()
        self.lane.start()
        self.lane.submit_final(final(0))
        assert self.engine.entered.wait(WAIT_S)


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.engine.release()
    room.lane.stop(drain=False)
    room.lane.join(WAIT_S)


def test_a_final_becomes_a_recognition(room: Room) -> None:
    room.lane.start()
    room.lane.submit_final(final(1))
    outcome = room.outcome()
    assert isinstance(outcome, Done)
    assert isinstance(outcome.result, Recognition)
    assert outcome.result.text == "Text."


def test_a_partial_becomes_a_hypothesis(room: Room) -> None:
    room.lane.start()
    room.lane.submit_partial(partial(1.0, 2.0))
    outcome = room.outcome()
    assert isinstance(outcome, Done)
    assert isinstance(outcome.result, Hypothesis)
    assert outcome.result.words == ("Text.",)


def test_only_the_worker_touches_the_engine(room: Room) -> None:
    room.lane.start()
    room.lane.submit_final(final(1))
    room.lane.submit_partial(partial(1.0, 2.0))
    room.outcome()
    room.outcome()
    assert room.engine.threads <= {"whisper-lane"}


def test_a_newer_partial_replaces_the_one_that_waits(room: Room) -> None:
    room.occupy()
    room.lane.submit_partial(partial(1.0, 2.0))
    room.lane.submit_partial(partial(1.0, 3.0))
    outcome = room.outcome()
    assert isinstance(outcome, Cancelled)
    assert outcome.job == partial(1.0, 2.0) or (outcome.job.t0, outcome.job.t1) == (1.0, 2.0)


def test_a_final_drops_the_partial_that_waits(room: Room) -> None:
    room.occupy()
    room.lane.submit_partial(partial(1.0, 2.0))
    room.lane.submit_final(final(1))
    outcome = room.outcome()
    assert isinstance(outcome, Cancelled)
    assert isinstance(outcome.job, PartialJob)
    assert outcome.reason == "overtaken by a final"


def test_no_partial_waits_behind_a_final(room: Room) -> None:
    room.occupy()
    room.lane.submit_final(final(1))
    room.lane.submit_partial(partial(1.0, 2.0))
    outcome = room.outcome()
    assert isinstance(outcome, Refused)
    assert outcome.reason == "finals wait"


def test_finals_keep_their_order(room: Room) -> None:
    room.occupy()
    for number in (1, 2, 3):
        room.lane.submit_final(final(number))
    room.engine.release()
    assert [room.outcome().job.key for _ in range(4)] == ["0.wav", "1.wav", "2.wav", "3.wav"]


def test_a_full_lane_refuses_a_final_instead_of_forgetting_it(room: Room) -> None:
    room.occupy()
    for number in (1, 2, 3, 4):
        room.lane.submit_final(final(number))
    outcome = room.outcome()
    assert isinstance(outcome, Refused)
    assert outcome.job == final(4) or outcome.job.segment.wav == "4.wav"


def test_audio_that_cannot_be_read_fails_its_job_alone(room: Room) -> None:
    def gone() -> Samples:
        raise AudioError("1.wav is gone")

    room.lane.start()
    room.lane.submit_final(FinalJob(final(1).segment, gone))
    room.lane.submit_final(final(2))
    failed = room.outcome()
    assert isinstance(failed, Failed)
    assert failed.error.message == "1.wav is gone"
    assert isinstance(room.outcome(), Done)


def test_an_engine_error_fails_its_job_alone() -> None:
    room = Room(FakeEngine(RuntimeError("decoder broke"), heard("Text.")))
    room.lane.start()
    room.lane.submit_final(final(1))
    room.lane.submit_final(final(2))
    assert [type(room.outcome()) for _ in range(2)] == [Failed, Done]
    room.lane.stop(drain=False)
    assert room.lane.join(WAIT_S)


def test_the_state_names_the_engine(room: Room) -> None:
    room.lane.start()
    while (state := room.states.get(timeout=WAIT_S)).state != "ready":
        pass
    assert state.reason == "fake, int8 on cpu"
