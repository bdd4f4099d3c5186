"""Children that die, hang or cannot start, as real processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from tests.process.running import Running, process_exists

Start = Callable[..., Running]


def test_a_killed_worker_is_back_and_knows_how_far_the_last_one_read(start: Start) -> None:
    running = start()
    worker, _ = running.both_pids()
    if not any(event.get("code") == "start" for event in running.events):
        running.wait_for(type="warning", code="start")  # said after the heartbeat that tells how far
    os.kill(worker, signal.SIGKILL)
    backoff = running.wait_for(type="child", name="transcription", state="backoff")
    assert backoff["reason"] == "killed by SIGKILL"
    running.wait_for(type="warning", code="start", message="attempt 2 from 12.5")
    assert running.process.poll() is None


def test_a_killed_core_is_back_and_is_told_the_states_it_missed(start: Start) -> None:
    running = start()
    _, core = running.both_pids()
    os.kill(core, signal.SIGKILL)
    running.wait_for(type="child", name="assistant", state="backoff")
    running.wait_for(type="warning", code="capture_seen", message="live")
    assert "backoff" not in running.states_of("transcription")


def test_the_core_hears_what_the_worker_says(start: Start) -> None:
    running = start()
    assert running.wait_for(type="turn")["utterances"] == ["u1"]


def test_a_child_that_keeps_dying_is_given_up_with_its_reason(start: Start) -> None:
    running = start(core="crashing", restarts=2)
    failed = running.wait_for(type="child", name="assistant", state="failed")
    assert failed["reason"] == "ended with exit code 1"
    assert running.states_of("assistant").count("starting") == 3
    assert "RuntimeError: a bug" in running.log("assistant")


def test_without_the_core_recording_goes_on_and_the_exit_code_tells(start: Start) -> None:
    running = start(core="misconfigured")
    failed = running.wait_for(type="child", name="assistant", state="failed")
    assert failed["reason"] == "no such model (name another)"
    running.wait_for(type="error", where="assistant", code="given_up")
    running.process.send_signal(signal.SIGTERM)
    assert running.exit_code() == 1
    assert running.states_of("transcription")[-2:] == ["draining", "stopped"]


def test_without_the_worker_everything_stops_with_exit_code_1(start: Start) -> None:
    running = start(worker="crashing", restarts=0)
    assert running.exit_code() == 1
    assert running.states_of("transcription")[-1] == "failed"
    assert running.states_of("assistant")[-2:] == ["draining", "stopped"]


def test_a_silent_child_that_heeds_nothing_is_killed_and_replaced(start: Start) -> None:
    running = start(core="silent", silent=1)
    first = running.pid_of("assistant")
    backoff = running.wait_for(type="child", name="assistant", state="backoff")
    assert backoff["reason"].startswith("silent for")
    assert not process_exists(first)
    assert running.pid_of("assistant") != first


def test_a_child_with_a_stuck_lane_is_replaced(start: Start) -> None:
    running = start(worker="wedged")
    backoff = running.wait_for(type="child", name="transcription", state="backoff")
    assert "whisper lane has been stuck" in backoff["reason"]
