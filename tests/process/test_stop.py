"""Every way to end: signals, impatience, stuck children, a dead parent."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.process.running import Running, eventually, process_exists

Start = Callable[..., Running]

DRAINED = ["draining", "stopped"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_signal_ends_the_worker_before_the_core_with_exit_code_0(start: Start, number: int) -> None:
    running = start()
    running.both_pids()
    running.process.send_signal(number)
    assert running.exit_code() == 0
    ends = [
        (event["name"], event["state"])
        for event in running.events
        if event["type"] == "child" and event["state"] in DRAINED
    ]
    assert ends == [
        ("transcription", "draining"),
        ("transcription", "stopped"),
        ("assistant", "draining"),
        ("assistant", "stopped"),
    ]


def test_two_interrupts_to_the_whole_group_leave_no_traceback(start: Start) -> None:
    running = start(worker="slow_worker", grace=3)
    running.both_pids()
    running.signal_group(signal.SIGINT)
    running.wait_for(type="child", name="transcription", state="draining")
    running.signal_group(signal.SIGINT)
    said = running.wait_for(type="warning", code="still_draining")
    assert "42 s of audio" in said["message"]
    assert running.exit_code() == 0
    assert "Traceback" not in running.notices
    assert all("Traceback" not in running.log(name) for name in ("supervisor", "transcription", "assistant"))


def test_a_third_interrupt_skips_the_wait_and_says_what_is_left(start: Start) -> None:
    running = start(worker="slow_worker", grace=600)
    running.both_pids()
    running.signal_group(signal.SIGINT)
    running.wait_for(type="child", name="transcription", state="draining")
    running.signal_group(signal.SIGINT)
    running.wait_for(type="warning", code="still_draining")
    running.signal_group(signal.SIGINT)
    waiting = running.wait_for(type="warning", code="audio_waiting")
    assert waiting["message"].startswith("42.0 s of audio")
    assert running.exit_code() == 0
    assert "--session first" in running.notices


def test_a_child_that_heeds_nothing_is_killed_within_the_grace(start: Start) -> None:
    running = start(worker="stubborn", grace=2)
    worker, _ = running.both_pids()
    running.process.send_signal(signal.SIGTERM)
    assert running.exit_code() == 0
    assert not process_exists(worker)
    assert "transcription gets SIGKILL" in running.log("supervisor")


def test_the_end_of_the_source_ends_the_program_when_asked_to(start: Start) -> None:
    running = start(worker="finite_worker", until_end=True)
    assert running.exit_code() == 0
    assert running.states_of("transcription")[-2:] == DRAINED


def test_the_end_of_the_source_ends_nothing_otherwise(start: Start) -> None:
    running = start(worker="finite_worker")
    running.both_pids()
    running.process.send_signal(signal.SIGTERM)
    assert running.exit_code() == 0
    assert "asked by" not in running.log("supervisor")
    assert "received SIGTERM" in running.log("supervisor")


def test_the_core_can_ask_for_the_stop(start: Start) -> None:
    running = start(control=True)
    running.both_pids()
    running.type_line("/quit")
    assert running.exit_code() == 0


@pytest.mark.parametrize("worker", ["worker", "stubborn"])
def test_children_leave_when_the_supervisor_is_killed(start: Start, worker: str) -> None:
    running = start(worker=worker)
    children = running.both_pids()
    os.kill(running.process.pid, signal.SIGKILL)
    assert eventually(lambda: not any(process_exists(pid) for pid in children), timeout=5.0)


def test_interrupts_never_reach_the_children(start: Start) -> None:
    running = start()
    for pid in running.both_pids():
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        ignored, blocked = int(fields["SigIgn"], 16), int(fields["SigBlk"], 16)
        for number in (signal.SIGINT, signal.SIGHUP):
            assert ignored & (1 << (number - 1))
            assert not blocked & (1 << (number - 1))
