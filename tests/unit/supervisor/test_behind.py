"""What is written while the interface has the terminal, and afterwards."""

from __future__ import annotations

from stt_daemon.channels import Frame
from stt_daemon.messages import ChildChanged, Failed, Message, SessionChanged, Warned
from stt_daemon.supervisor.behind import BehindInterface
from stt_daemon.supervisor.output import NoticeLines, TranscriptLines
from tests.fakes.child_apps import utterance

OPENED = SessionChanged(state="opened", id="s", dir="/s")


def tui(state: str) -> ChildChanged:
    return ChildChanged(name="tui", state=state)  # type: ignore[arg-type]


def lines(behind: BehindInterface, *messages: Message) -> list[str]:
    return [
        line
        for message in messages
        if behind.wants(message.topic)
        for line in behind.render(Frame.of(message))
    ]


def notices() -> BehindInterface:
    return BehindInterface(NoticeLines(), kept=(SessionChanged.topic, Failed.topic))


def transcript() -> BehindInterface:
    return BehindInterface(TranscriptLines(lambda folder, seq: ()))


def test_nothing_is_written_over_the_interface_not_even_between_two_starts_of_it() -> None:
    warned = Warned(where="x", code="y", message="z")
    failed = Failed(where="x", code="y", message="z")
    states = [tui(state) for state in ("starting", "ready", "backoff", "starting", "draining")]
    assert lines(notices(), OPENED, *states, warned, failed) == []
    assert lines(transcript(), OPENED, *states, utterance(1)) == []


def test_afterwards_come_the_session_and_what_failed_meanwhile() -> None:
    failed = Failed(where="audio", code="y", message="no such device")
    warned = Warned(where="x", code="y", message="seen in the interface already")
    assert lines(notices(), OPENED, failed, warned, tui("stopped")) == [
        "session s: /s",
        "error: audio: no such device",
    ]


def test_without_the_interface_lines_come_as_ever_and_old_ones_do_not_come_again() -> None:
    one = transcript()
    assert lines(one, OPENED, utterance(1, "before"), tui("failed"), utterance(2, "after")) == [
        "09:30:00 Speaker: after"
    ]
    assert list(one.rest()) == []


def test_what_is_still_owed_at_the_end_is_not_written_over_an_interface_that_is_stuck() -> None:
    journal = [utterance(seq).utterance() for seq in (1, 2)]
    one = BehindInterface(TranscriptLines(lambda folder, seq: journal[seq - 1 :]))
    assert lines(one, OPENED, utterance(1)) == []
    assert list(one.rest()) == []


def test_states_of_other_children_lift_nothing() -> None:
    gone = ChildChanged(name="transcription", state="stopped")
    assert lines(transcript(), OPENED, gone, utterance(1)) == []
