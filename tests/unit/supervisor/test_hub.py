from __future__ import annotations

from stt_daemon.channels import Frame
from stt_daemon.messages import (
    CaptureChanged,
    ChildChanged,
    ControlReceived,
    LagChanged,
    Message,
    MuteRequested,
    SessionChanged,
)
from stt_daemon.supervisor.hub import Hub
from tests.fakes.child_apps import utterance
from tests.fakes.clock import FakeClock

LIVE = CaptureChanged(state="live", device="fake", rate=16000)
OPENED = SessionChanged(state="opened", id="s", dir="/s")


class Reader:
    def __init__(self) -> None:
        self.frames: list[Frame] = []

    @property
    def messages(self) -> list[Message]:
        return [frame.message() for frame in self.frames]


def hub_after(*said: Message) -> Hub:
    hub = Hub(FakeClock())
    for message in said:
        hub.relay("transcription", Frame.of(message))
    return hub


def test_a_frame_reaches_all_its_readers_with_the_bytes_it_came_with() -> None:
    hub = hub_after()
    core, output = Reader(), Reader()
    hub.attach("assistant", core.frames.append)
    hub.attach("output", output.frames.append)
    frame = Frame("utterance", b"never decoded")
    hub.relay("transcription", frame)
    assert core.frames == output.frames == [frame]
    assert core.frames[0].body == b"never decoded"


def test_a_late_reader_gets_each_last_state_and_no_old_news() -> None:
    hub = hub_after(utterance(1), LagChanged(seconds=1), LagChanged(seconds=2), LIVE)
    core = Reader()
    hub.attach("assistant", core.frames.append)
    assert core.messages == [LagChanged(seconds=2), LIVE]


def test_states_of_several_subjects_are_all_repeated() -> None:
    hub = Hub(FakeClock())
    for name in ("transcription", "assistant"):
        hub.publish(ChildChanged(at=1.0, name=name, state="ready"))  # type: ignore[arg-type]
    late = Reader()
    hub.attach("output", late.frames.append)
    assert len(late.messages) == 2


def test_what_a_dead_worker_said_of_itself_is_forgotten_but_not_its_session() -> None:
    hub = hub_after(LIVE, OPENED, LagChanged(seconds=3))
    hub.forget("transcription")
    core = Reader()
    hub.attach("assistant", core.frames.append)
    assert core.messages == [OPENED]
    assert hub.state(LagChanged) is None


def test_a_request_outlives_who_made_it() -> None:
    hub = Hub(FakeClock())
    hub.relay("assistant", Frame.of(MuteRequested(on=True)))
    hub.forget("assistant")
    worker = Reader()
    hub.attach("transcription", worker.frames.append)
    assert worker.messages == [MuteRequested(on=True)]


def test_what_a_user_typed_waits_for_the_core() -> None:
    hub = Hub(FakeClock(wall=7.0))
    hub.publish(ControlReceived(line="one"))
    hub.publish(ControlReceived(line="two"))
    core = Reader()
    hub.attach("assistant", core.frames.append)
    assert core.messages == [ControlReceived(at=7.0, line="one"), ControlReceived(at=7.0, line="two")]
    again = Reader()
    hub.attach("assistant", again.frames.append)
    assert again.messages == []


def test_a_detached_reader_hears_no_more() -> None:
    hub = hub_after()
    core = Reader()
    hub.attach("assistant", core.frames.append)
    hub.detach("assistant", core.frames.append)
    hub.relay("transcription", Frame.of(utterance(1)))
    assert core.frames == []
