"""`up` itself as a process, without weights: what happens around the run."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from stt_daemon.supervisor.locks import WRITERS_LOCK, running_pid
from tests.process.running import Running, environment, eventually

StartUp = Callable[..., Running]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_signal_before_anything_has_started_is_a_clean_stop(
    start_up: StartUp, sessions: Path, number: int
) -> None:
    sessions.mkdir()
    orphan = os.open(sessions / WRITERS_LOCK, os.O_RDWR | os.O_CREAT)
    fcntl.flock(orphan, fcntl.LOCK_EX)
    running = start_up()
    assert eventually(lambda: running_pid(sessions) == running.process.pid)
    running.signal_group(number)
    assert running.exit_code() == 0
    assert running.notices == ""
    assert (sessions / "instance.lock").read_bytes() == b""
    os.close(orphan)


def test_a_model_that_still_loads_in_this_process_does_not_outlive_the_stop() -> None:
    script = """
        import atexit, sys, threading
        from stt_daemon.cli.up import leave_if_a_lane_is_at_work
        from stt_daemon.domain import SystemClock
        from stt_daemon.lanes.base import Lane
        from stt_daemon.lanes.queueing import PriorityJobs

        # What makes native code abort is the interpreter's end, which begins with this.
        atexit.register(print, "the interpreter ends")
        leave_if_a_lane_is_at_work(1)
        lane = Lane("whisper", load=threading.Event().wait, work=print, queue=PriorityJobs(1),
                    on_outcome=print, on_state=lambda _state: None, clock=SystemClock(), describe=str)
        lane.start()
        leave_if_a_lane_is_at_work(7)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")
