"""The small parts of the core: modes, side thread, programs, pieces."""

from __future__ import annotations

import queue
import sys

import pytest

from stt_daemon.apps.assistant.chat_job import readable
from stt_daemon.apps.assistant.modes import Modes
from stt_daemon.apps.assistant.side import SideAnswer, SideThread
from stt_daemon.apps.assistant.user_commands import AT_ONCE, ProgramEnded, Programs, shown
from stt_daemon.domain import SystemClock
from stt_daemon.errors import ErrorRecord, SessionError
from stt_daemon.messages import Message, ModeChanged


def modes_of(published: list[Message]) -> list[str]:
    return [m.mode for m in published if isinstance(m, ModeChanged)]


def test_command_mode_returns_to_the_mode_it_came_from() -> None:
    published: list[Message] = []
    modes = Modes(published.append, send_transcripts=True, send_to_triage=False)
    modes.change("chat", "said")
    modes.change("command", "said")
    modes.command_over("done")
    assert modes_of(published) == ["chat", "command", "chat"]


def test_a_question_keeps_command_mode_open_for_its_answer_only_so_long() -> None:
    published: list[Message] = []
    modes = Modes(published.append, send_transcripts=True, send_to_triage=False)
    modes.change("command", "said")
    modes.time_passed(1e6)
    assert modes.mode == "command"
    modes.asked(100.0)
    modes.time_passed(129.0)
    assert modes.mode == "command"
    modes.time_passed(130.0)
    assert modes.mode == "idle"


def test_a_side_job_answers_once_in_order_whatever_happens() -> None:
    posted: queue.Queue[object] = queue.Queue()
    side = SideThread("side", posted.put)
    told: list[object] = []

    def fail() -> int:
        raise SessionError("the disk is gone")

    def refused(error: ErrorRecord) -> None:
        told.append(error.message)

    side.submit(lambda: 1, told.append, refused)
    side.submit(fail, told.append, refused)
    side.submit(lambda: 3, told.append, refused)
    for _ in range(3):
        answer = posted.get(timeout=10)
        assert isinstance(answer, SideAnswer)
        answer.call()
    assert told == [1, "the disk is gone", 3]
    assert side.idle
    assert side.finish(10)


def test_only_so_many_programs_run_at_once() -> None:
    posted: queue.Queue[object] = queue.Queue()
    programs = Programs(posted.put, SystemClock())
    sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    try:
        for _ in range(AT_ONCE):
            assert programs.run(sleep, 60, lambda end: None) == ""
        assert "still running" in programs.run(sleep, 60, lambda end: None)
    finally:
        programs.finish(10)
    ends = [posted.get(timeout=10) for _ in range(AT_ONCE)]
    assert all(isinstance(end, ProgramEnded) and "stopping" in end.reason for end in ends)


def test_endless_output_is_cut_and_holds_nobody_up() -> None:
    posted: queue.Queue[object] = queue.Queue()
    programs = Programs(posted.put, SystemClock())
    programs.run([sys.executable, "-c", "print('a line of words\\n' * 200000)"], 60, lambda end: None)
    end = posted.get(timeout=30)
    assert isinstance(end, ProgramEnded)
    assert end.code == 0
    assert end.output.endswith("…")
    assert len(end.output.splitlines()) < 50


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain\n\n  two  \n", "plain\n  two"),
        (b"\x1b[2Jgone\x07", "[2Jgone"),
        (b"\xff\xfe", "��"),
        (b"", ""),
    ],
)
def test_output_is_shown_as_plain_lines(raw: bytes, text: str) -> None:
    assert shown(raw) == text


def test_a_reply_keeps_its_lines_and_loses_what_steers_a_terminal() -> None:
    assert readable("one\x1b[31m\ntwo\u202e\n- three") == "one[31m\ntwo\n- three"
