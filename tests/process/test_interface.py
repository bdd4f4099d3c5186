"""The interface as a child in a real terminal: how it ends, and what it survives."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.terminal import RESET
from tests.process.running import CLIP, MAIN, eventually, process_exists
from tests.process.terminal import ENTER_SCREEN, LEAVE_SCREEN, InTerminal, events_of, fake_program

Start = Callable[..., InTerminal]


@pytest.fixture
def start(sessions: Path) -> Iterator[Start]:
    started: list[InTerminal] = []

    def start_one(**options: Any) -> InTerminal:
        started.append(fake_program(sessions, **options))
        return started[-1]

    yield start_one
    for running in started:
        running.end()


def log_of(sessions: Path, name: str) -> str:
    path = sessions / "logs" / f"{name}.log"
    return path.read_text("utf-8") if path.exists() else ""


def states(sessions: Path, name: str) -> list[str]:
    return [e["state"] for e in events_of(sessions) if e["type"] == "child" and e["name"] == name]


def assert_left_well(running: InTerminal, sessions: Path) -> None:
    assert running.is_as_before()
    assert running.drawn.rindex(LEAVE_SCREEN) > running.drawn.rindex(ENTER_SCREEN)
    assert "Traceback" not in running.drawn
    assert "Traceback" not in log_of(sessions, "tui")


@pytest.mark.parametrize("key", ["q", "\x03", "\x11"])
def test_the_keys_that_quit_stop_everything_in_order_and_give_the_terminal_back(
    start: Start, sessions: Path, key: str
) -> None:
    running = start()
    assert running.shows("hello")
    running.press(key)
    assert running.exit_code() == 0
    assert_left_well(running, sessions)
    ends = [(e["name"], e["state"]) for e in events_of(sessions) if e["type"] == "child"][-6:]
    assert ends == [
        (name, state) for name in ("transcription", "assistant", "tui") for state in ("draining", "stopped")
    ]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_from_outside_ends_the_interface_too(start: Start, sessions: Path, number: int) -> None:
    running = start()
    assert running.shows("hello")
    os.killpg(running.process.pid, number)
    assert running.exit_code() == 0
    assert_left_well(running, sessions)


def test_quitting_shows_what_still_drains_and_quitting_twice_more_does_not_wait(
    start: Start, sessions: Path
) -> None:
    running = start(worker="slow_worker", grace=600)
    assert running.shows("42")
    running.press("q")
    assert running.shows("42 s of audio to write down")
    running.press("q")
    assert running.shows("still transcribing")
    running.press("q")
    assert running.exit_code() == 0
    assert_left_well(running, sessions)
    assert running.drawn.rindex("--session first") > running.drawn.rindex(LEAVE_SCREEN)


def test_a_killed_interface_leaves_a_sane_terminal_and_comes_back_while_recording_goes_on(
    start: Start, sessions: Path
) -> None:
    running = start()
    assert running.shows("hello")
    first = running.child("tui")
    before = len(running.drawn)
    os.kill(first, signal.SIGKILL)
    assert running.shows(RESET, after=before)
    assert running.shows(ENTER_SCREEN, after=before + running.drawn[before:].index(RESET))
    assert eventually(lambda: states(sessions, "tui")[-2:] == ["starting", "ready"])
    assert states(sessions, "transcription") == ["starting", "ready"]
    running.press("q")
    assert running.exit_code() == 0
    assert_left_well(running, sessions)


def test_a_bug_in_the_interface_costs_a_restart_and_is_told_in_the_log_only(
    start: Start, sessions: Path
) -> None:
    running = start(tui="fragile_interface")
    assert running.shows("hello")
    before = len(running.drawn)
    running.press("?")
    assert running.shows(ENTER_SCREEN, after=before)
    assert "a bug in the interface" in log_of(sessions, "tui")
    assert "a bug in the interface" not in running.drawn
    running.press("q")
    assert running.exit_code() == 0
    assert running.is_as_before()


def test_an_interface_that_is_given_up_leaves_the_program_running_headless(
    start: Start, sessions: Path
) -> None:
    running = start(tui="crashing", restarts=1)
    assert running.shows("given up after")
    assert eventually(lambda: "ready" in states(sessions, "transcription"))
    os.kill(running.child("transcription"), signal.SIGKILL)
    assert running.shows("Speaker: hello")  # its second start says something again, now on stdout
    assert running.is_as_before()
    running.process.send_signal(signal.SIGTERM)
    assert running.exit_code() == 0


def test_what_native_libraries_print_reaches_the_log_and_not_the_screen(start: Start, sessions: Path) -> None:
    running = start(tui="printing_interface")
    assert running.shows("hello")
    running.press("q")
    assert running.exit_code() == 0
    assert "printed to descriptor" not in running.drawn
    assert "printed to descriptor 1" in log_of(sessions, "tui")
    assert "printed to descriptor 2" in log_of(sessions, "tui")


def test_a_worker_that_is_killed_is_shown_and_the_interface_stays(start: Start, sessions: Path) -> None:
    running = start()
    assert running.shows("hello")
    os.kill(running.child("transcription"), signal.SIGKILL)
    assert running.shows("SIGKILL")
    assert eventually(lambda: states(sessions, "transcription")[-1] == "ready")
    assert states(sessions, "tui") == ["starting", "ready"]


def test_odd_bytes_from_the_terminal_harm_nothing(start: Start, sessions: Path) -> None:
    running = start()
    assert running.shows("hello")
    running.press(b"\xff\xfe\x80\xc3(\x1b[999;999;999M\x1b[<0;0\x1b]52;c;!\x07\x1bP\x1b\\\x00\x9b1;2")
    running.press("\x03")
    assert running.exit_code() == 0
    assert states(sessions, "tui").count("starting") == 1
    assert_left_well(running, sessions)


def test_a_closed_terminal_is_a_clean_stop_without_orphans(start: Start, sessions: Path) -> None:
    running = start()
    assert running.shows("hello")
    children = [running.child(name) for name in ("transcription", "assistant", "tui")]
    running.hang_up()
    assert running.exit_code() == 0
    assert eventually(lambda: not any(process_exists(pid) for pid in children))
    assert states(sessions, "tui").count("starting") == 1
    assert states(sessions, "transcription")[-1] == "stopped"


def test_an_interface_whose_supervisor_was_killed_gives_the_terminal_back(
    start: Start, sessions: Path
) -> None:
    running = start()
    assert running.shows("hello")
    interface = running.child("tui")
    os.kill(running.process.pid, signal.SIGKILL)
    assert eventually(lambda: not process_exists(interface))
    assert_left_well(running, sessions)


def test_an_interface_that_does_not_end_is_ended_and_gives_the_terminal_back(
    start: Start, sessions: Path
) -> None:
    running = start(tui="deaf_interface", grace=20)
    assert running.shows("hello")
    running.press("q")
    assert running.exit_code() == 0
    assert running.is_as_before()
    assert "did not end" in log_of(sessions, "tui")


def test_after_a_bare_stop_and_continue_the_interface_goes_on(start: Start, sessions: Path) -> None:
    running = start()
    assert running.shows("hello")
    interface = running.child("tui")
    os.kill(interface, signal.SIGSTOP)
    before = len(running.drawn)
    os.kill(interface, signal.SIGCONT)
    assert running.shows("hello", after=before)
    threads = [p.read_text("utf-8").strip() for p in Path(f"/proc/{interface}/task").glob("*/comm")]
    assert len(threads) < 12, threads
    running.press("q")
    assert running.exit_code() == 0
    assert_left_well(running, sessions)


def test_a_terminal_that_takes_nothing_delays_neither_the_recording_nor_the_stop(
    start: Start, sessions: Path
) -> None:
    running = start(worker="talkative_worker", silent=3)
    running.freeze()
    assert eventually(lambda: any(e.get("seq") == 2999 for e in events_of(sessions)))
    running.process.send_signal(signal.SIGTERM)
    assert running.exit_code() == 0
    assert states(sessions, "tui").count("starting") == 1


def test_the_real_program_in_a_terminal(tmp_path: Path) -> None:
    command = [*MAIN, "up", "--with-tui", "--source", str(CLIP), "--offline", "--until-end"]
    running = InTerminal(command, tmp_path)
    try:
        assert running.shows("country")
        assert running.exit_code() == 0
        assert_left_well(running, tmp_path / "sessions")
        assert "session 2" in running.drawn[running.drawn.rindex(LEAVE_SCREEN) :]
    finally:
        running.end()


def test_the_interface_has_a_process_of_its_own_beside_children_in_threads(tmp_path: Path) -> None:
    command = [*MAIN, "up", "--with-tui", "--in-process", "--source", str(CLIP), "--offline"]
    running = InTerminal(command, tmp_path)
    try:
        assert running.shows("country")
        assert process_exists(running.child("tui"))
        running.press("q")
        assert running.exit_code() == 0
        assert_left_well(running, tmp_path / "sessions")
    finally:
        running.end()
