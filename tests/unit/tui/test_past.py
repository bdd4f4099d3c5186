"""What the files of a session hold, and that nothing of it comes a second time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from stt_daemon.apps.tui.past import PastReader
from stt_daemon.messages import (
    ChatSaid,
    Marked,
    Message,
    SessionChanged,
    TranscriptMissed,
    UtteranceFinished,
    Warned,
)
from stt_daemon.sessions import Journal, MarkLog, create_session
from tests.fakes.child_apps import utterance
from tests.fakes.clock import FakeClock


def write_down(folder: Path, *texts: str) -> None:
    journal = Journal.open(folder / "transcript.jsonl")
    for number, text in enumerate(texts):
        line = utterance(1, text).utterance()
        kept = ("wall", "speaker", "source", "text", "language", "avg_logprob", "no_speech_prob")
        values = {name: getattr(line, name) for name in kept}
        journal.append_utterance(t0=float(number), t1=number + 0.5, wav=f"{number}.wav", **values)
    journal.close()


def seqs(messages: list[Message]) -> list[int]:
    return [message.seq for message in messages if isinstance(message, UtteranceFinished)]


class Reading:
    def __init__(self, root: Path) -> None:
        self.clock = FakeClock()
        self.folder = create_session(root, 1_764_500_000.0).path
        self.reader = PastReader(self.folder, self.clock)

    def gives(self, *messages: Message) -> list[Message]:
        return [new for message in messages for new in self.reader.follow(message)]


def test_a_session_without_files_has_no_past(tmp_path: Path) -> None:
    past = Reading(tmp_path).reader.read()
    assert (past.lines, past.marks, past.chat) == ([], [], [])


def test_lines_marks_and_chat_are_read_and_their_late_notices_are_let_go(tmp_path: Path) -> None:
    one = Reading(tmp_path)
    write_down(one.folder, "a", "b")
    marks = MarkLog.open(one.folder / "marks.jsonl")
    marks.append(1.5, "2026-01-31T09:30:00.000+01:00", "here")
    marks.close()
    record = {"type": "user", "n": 1, "kind": "chat", "text": "hi", "session": "s", "wall": ""}
    (one.folder / "chat.jsonl").write_text(json.dumps(record) + "\n")
    past = one.reader.read()
    assert [line.seq for line in past.lines] == [1, 2]
    assert [mark.note for mark in past.marks] == ["here"]
    assert past.chat == [record]
    now = one.clock.wall()
    late = (
        utterance(1),
        utterance(2),
        Marked(t=1.5, note="here", at=now),
        ChatSaid(role="user", exchange=1, text="hi", at=now),
    )
    assert one.gives(*late) == []


def test_what_is_said_later_under_a_known_number_is_new(tmp_path: Path) -> None:
    one = Reading(tmp_path)
    (one.folder / "chat.jsonl").write_text('{"type": "user", "n": 1, "text": "hi"}\n')
    one.reader.read()
    later = ChatSaid(role="user", exchange=1, text="after a rewind", at=one.clock.wall() + 60)
    answer = ChatSaid(role="assistant", exchange=1, text="hello", at=one.clock.wall())
    assert one.gives(later, answer) == [later, answer]


def test_lines_whose_notice_went_missing_come_from_the_journal_in_order(tmp_path: Path) -> None:
    one = Reading(tmp_path)
    one.reader.read()
    write_down(one.folder, "a", "b", "c")
    given = one.gives(utterance(3, "c"))
    assert seqs(given) == [1, 2, 3]
    assert given[2] == utterance(3, "c")
    assert one.gives(TranscriptMissed(from_seq=1)) == []


def test_a_new_session_counts_from_one_again(tmp_path: Path) -> None:
    one = Reading(tmp_path)
    write_down(one.folder, "a")
    one.reader.read()
    second = create_session(tmp_path, 1_764_500_060.0).path
    opened = SessionChanged(state="opened", id=second.name, dir=str(second))
    assert one.gives(opened, utterance(1, "new")) == [opened, utterance(1, "new")]
    closed = replace(opened, state="closed", dir="/elsewhere")
    assert one.gives(closed, utterance(2)) == [closed, utterance(2)]


def test_a_file_that_cannot_be_read_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    one = Reading(tmp_path)
    (one.folder / "marks.jsonl").mkdir()
    one.reader.read()
    told, line = one.gives(utterance(1))[::-1][:2]
    assert isinstance(told, Warned)
    assert told.where == "marks.jsonl"
    assert line == utterance(1)
