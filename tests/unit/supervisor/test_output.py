from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from stt_daemon.channels import Frame
from stt_daemon.domain import Gap, Utterance
from stt_daemon.errors import SessionError, UsageError
from stt_daemon.messages import (
    CaptureChanged,
    ChatSaid,
    ChildChanged,
    CommandChanged,
    Failed,
    GapMarked,
    LevelMeasured,
    Message,
    ModeChanged,
    SessionChanged,
    SourceAdvanced,
    TranscriptMissed,
    UtteranceFinished,
    Warned,
)
from stt_daemon.supervisor.output import EventLines, NoticeLines, Sender, TranscriptLines, open_events
from stt_daemon.supervisor.transcript_order import TranscriptOrder
from tests.fakes.child_apps import utterance
from tests.fakes.clock import FakeClock

PATIENCE_S = 10.0
GAP = GapMarked(seq=2, t0=1.0, t1=3.5, reason="device lost", wall="")


def opened(name: str = "s") -> SessionChanged:
    return SessionChanged(state="opened", id=name, dir=f"/{name}")


class Journal:
    """What the worker wrote down, by session folder."""

    def __init__(self, **sessions: list[Utterance | Gap]) -> None:
        self._sessions = sessions

    def read_from(self, folder: Path, seq: int) -> Iterator[Utterance | Gap]:
        return (line for line in self._sessions.get(folder.name, []) if line.seq >= seq)


def written(*seqs: int) -> list[Utterance | Gap]:
    return [utterance(seq).utterance() for seq in seqs]


def ids(order: TranscriptOrder, *messages: Message) -> list[object]:
    seen = [seen for message in messages for seen in order.follow(Frame.of(message))]
    return [message.seq if isinstance(message, UtteranceFinished) else type(message) for message in seen]


def test_utterances_in_order_pass_as_they_are() -> None:
    order = TranscriptOrder(Journal().read_from)
    assert ids(order, opened(), utterance(1), utterance(2)) == [SessionChanged, 1, 2]


def test_a_hole_is_filled_from_the_journal_and_nothing_comes_twice() -> None:
    order = TranscriptOrder(Journal(s=written(1, 2, 3, 4, 5)).read_from)
    assert ids(order, opened(), utterance(1), utterance(4), utterance(5)) == [SessionChanged, 1, 2, 3, 4, 5]


def test_a_mark_of_forgotten_utterances_has_them_read_at_once() -> None:
    order = TranscriptOrder(Journal(s=written(1, 2, 3)).read_from)
    assert ids(order, opened(), TranscriptMissed(from_seq=1), utterance(3)) == [SessionChanged, 1, 2, 3]


def test_what_a_killed_worker_had_no_time_to_announce_comes_with_its_successor() -> None:
    order = TranscriptOrder(Journal(s=written(1, 2)).read_from)
    again = SessionChanged(state="resumed", id="s", dir="/s")
    assert ids(order, opened(), utterance(1), again) == [SessionChanged, 1, 2, SessionChanged]


def test_of_a_continued_session_only_the_new_is_news() -> None:
    order = TranscriptOrder(Journal(s=written(1, 2, 3)).read_from)
    resumed = SessionChanged(state="resumed", id="s", dir="/s")
    assert ids(order, resumed, utterance(3)) == [SessionChanged, 3]


def test_the_old_session_is_completed_before_the_new_one_begins_at_one() -> None:
    order = TranscriptOrder(Journal(s=written(1, 2), z=written(1, 2)).read_from)
    assert ids(order, opened(), utterance(1), opened("z"), utterance(2)) == [
        SessionChanged,
        1,
        2,
        SessionChanged,
        1,
        2,
    ]


def test_a_journal_that_cannot_be_read_costs_no_later_utterance() -> None:
    def broken(folder: Path, seq: int) -> Iterable[Utterance | Gap]:
        raise SessionError("cannot be read")

    assert ids(TranscriptOrder(broken), opened(), utterance(1), utterance(5)) == [SessionChanged, 1, 5]


def lines_of(lines: TranscriptLines | NoticeLines | EventLines, *messages: Message) -> list[str]:
    return [line for message in messages for line in lines.render(Frame.of(message))]


def test_a_transcript_line_has_time_speaker_and_text() -> None:
    assert lines_of(TranscriptLines(Journal().read_from), opened(), utterance(1, "Hello, world.")) == [
        "09:30:00 Speaker: Hello, world."
    ]


def test_gaps_are_notices_not_transcript() -> None:
    assert lines_of(TranscriptLines(Journal().read_from), opened(), utterance(1), GAP) == [
        "09:30:00 Speaker: hello"
    ]
    assert lines_of(NoticeLines(), GAP) == ["gap: 2.5 s not recorded (device lost)"]


def test_what_was_written_down_but_never_announced_comes_at_the_end() -> None:
    lines = TranscriptLines(Journal(s=written(1, 2)).read_from)
    lines_of(lines, opened(), utterance(1))
    assert list(lines.rest()) == ["09:30:00 Speaker: hello"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred\x07", "a[31mred"),
        ("two\r\nlines", "two lines"),
        ("a [/INST] b [/] [/usr/bin/foo]", "a [/INST] b [/] [/usr/bin/foo]"),
        ("half \udcff", "half \ufffd"),
    ],
)
def test_text_reaches_the_terminal_as_letters_only(text: str, shown: str) -> None:
    lines = lines_of(TranscriptLines(Journal().read_from), opened(), utterance(1, text))
    assert lines == [f"09:30:00 Speaker: {shown}"]
    assert lines_of(NoticeLines(), Warned(where="x", code="y", message=text)) == [f"warning: {shown}"]


def test_an_event_is_one_object_with_the_fields_of_its_message() -> None:
    lines = EventLines(Journal().read_from, FakeClock())
    first, second = (
        json.loads(line)
        for line in lines_of(
            lines,
            LevelMeasured(at=5.0, db=-20.0, clipping=False),
            CaptureChanged(state="live", device="ü", rate=1),
        )
    )
    assert first == {"v": 1, "n": 1, "at": 5.0, "type": "level", "db": -20.0, "clipping": False}
    assert (second["n"], second["type"], second["device"]) == (2, "capture", "ü")


def test_only_public_messages_are_events() -> None:
    lines = EventLines(Journal().read_from, FakeClock())
    assert lines.wants(LevelMeasured.topic)
    assert not lines.wants(SourceAdvanced.topic)


def test_an_event_from_the_journal_has_a_time_and_no_latency() -> None:
    lines = EventLines(Journal(s=written(1)).read_from, FakeClock(wall=77.0))
    event = json.loads(lines_of(lines, opened(), TranscriptMissed(from_seq=1))[1])
    assert (event["type"], event["at"], event["latency_s"]) == ("utterance", 77.0, None)


def test_notices_say_what_a_person_should_know_once() -> None:
    live = CaptureChanged(state="live", device="USB", rate=48000)
    lost = CaptureChanged(state="lost", device="USB", rate=48000, reason="unplugged")
    assert lines_of(
        NoticeLines(),
        opened("20260131-093000"),
        SessionChanged(state="resumed", id="20260131-093000", dir="/x"),
        live,
        live,
        lost,
        live,
        Warned(where="mic", code="x", message="too loud"),
        Failed(where="model", code="x", message="gone"),
        ChildChanged(name="transcription", state="ready"),
        ChildChanged(name="transcription", state="backoff", reason="killed by SIGKILL"),
    ) == [
        "session 20260131-093000: /20260131-093000",
        "listening to USB",
        "warning: nothing is recorded: USB (unplugged)",
        "listening to USB",
        "warning: too loud",
        "error: model: gone",
        "warning: transcription: killed by SIGKILL; starting it again",
    ]


@pytest.fixture
def pipe() -> Iterator[tuple[BinaryIO, int]]:
    """Where what a sender writes can be read, and the descriptor it writes to."""
    read, write = os.pipe()
    with os.fdopen(read, "rb", buffering=0) as reader:
        yield reader, write
    os.close(write)


def read_lines(reader: BinaryIO, count: int) -> bytes:
    received = b""
    while received.count(b"\n") < count:
        received += reader.read(65536)
    return received


def test_a_sender_writes_all_it_was_offered_before_it_ends(pipe: tuple[BinaryIO, int]) -> None:
    sender = Sender("test", TranscriptLines(Journal().read_from), lambda: pipe[1])
    for message in (opened(), utterance(1, "Grüße"), utterance(2)):
        sender.offer(Frame.of(message))
    sender.close()
    assert sender.wait(PATIENCE_S)
    assert read_lines(pipe[0], 2).decode() == "09:30:00 Speaker: Grüße\n09:30:00 Speaker: hello\n"


def test_a_stalled_reader_stalls_nobody_and_gets_all_when_it_reads_on(pipe: tuple[BinaryIO, int]) -> None:
    count = 4000
    journal = Journal(s=written(*range(1, count + 1)))
    sender = Sender("test", TranscriptLines(journal.read_from), lambda: pipe[1])
    sender.offer(Frame.of(opened()))
    for seq in range(1, count + 1):
        sender.offer(Frame.of(utterance(seq)))
    sender.close()
    assert not sender.wait(0.0)
    read_lines(pipe[0], count)
    assert sender.wait(PATIENCE_S)


def test_a_reader_that_left_ends_its_sender_only(pipe: tuple[BinaryIO, int]) -> None:
    pipe[0].close()
    sender = Sender("test", TranscriptLines(Journal().read_from), lambda: pipe[1])
    sender.offer(Frame.of(opened()))
    sender.offer(Frame.of(utterance(1)))
    assert sender.wait(PATIENCE_S)
    sender.offer(Frame.of(utterance(2)))


def test_a_descriptor_that_does_not_block_is_waited_for(pipe: tuple[BinaryIO, int]) -> None:
    os.set_blocking(pipe[1], False)
    sender = Sender("test", TranscriptLines(Journal().read_from), lambda: pipe[1])
    sender.offer(Frame.of(opened()))
    for seq in range(1, 301):
        sender.offer(Frame.of(utterance(seq, "x" * 1000)))
    sender.close()
    read_lines(pipe[0], 300)
    assert sender.wait(PATIENCE_S)


def test_events_are_appended_to_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    for _ in range(2):
        sender = Sender("test", EventLines(Journal().read_from, FakeClock()), open_events(path))
        sender.offer(Frame.of(opened()))
        sender.close()
        assert sender.wait(PATIENCE_S)
    assert len(path.read_text("utf-8").splitlines()) == 2
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_named_pipe_without_a_reader_holds_up_nothing(tmp_path: Path) -> None:
    path = tmp_path / "events"
    os.mkfifo(path)
    sender = Sender("test", EventLines(Journal().read_from, FakeClock()), open_events(path))
    sender.offer(Frame.of(opened()))
    sender.close()
    reader = os.open(path, os.O_RDONLY)
    assert sender.wait(PATIENCE_S)
    assert json.loads(os.read(reader, 1000))["type"] == "session"
    os.close(reader)


def test_events_that_cannot_be_written_are_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--events .*cannot be written"):
        open_events(tmp_path / "nowhere" / "events.jsonl")


def noticed(*messages: Message) -> list[str]:
    lines = NoticeLines()
    return [line for message in messages for line in lines.render(Frame.of(message))]


def test_replies_are_shown_when_they_are_complete_and_notices_at_once() -> None:
    assert noticed(
        ChatSaid(role="user", exchange=1, text="Hello?"),
        ChatSaid(role="assistant", exchange=1, delta="Hi", final=False),
        ChatSaid(role="notice", exchange=1, text="The chat memory is 80% full."),
        ChatSaid(role="assistant", exchange=1, text="Hi.\n\n- one\x1b[31m"),
        ChatSaid(role="assistant", exchange=2, finish_reason="interrupted"),
    ) == ["notice: The chat memory is 80% full.", "assistant: Hi.", "assistant: - one[31m"]


def test_what_became_of_a_command_is_shown_line_by_line() -> None:
    assert noticed(
        CommandChanged(id="find", state="done", reason="1 found\n[u2] 09:30:01 Speaker: hello"),
        CommandChanged(id="stop", state="proposed", reason="Really stop? Yes or no."),
        CommandChanged(id="stop", state="confirmed"),
        CommandChanged(id="lamp", state="failed", reason="exit code 1"),
        CommandChanged(id="", state="asked", reason="Which one?"),
    ) == [
        "command find: 1 found",
        "command find: [u2] 09:30:01 Speaker: hello",
        "command stop: Really stop? Yes or no.",
        "command lamp failed: exit code 1",
        "command: Which one?",
    ]


def test_a_change_of_mode_is_shown_and_the_mode_at_the_start_is_not() -> None:
    assert noticed(
        ModeChanged(mode="idle", why="start"), ModeChanged(mode="chat", why="said: assistant chat")
    ) == ["mode: chat (said: assistant chat)"]
