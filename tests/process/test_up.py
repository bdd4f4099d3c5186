"""`up` itself as a process, without weights: what happens around the run."""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from stt_daemon.supervisor.locks import WRITERS_LOCK, running_pid
from tests.process.running import Running, eventually

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
