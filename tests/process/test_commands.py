"""The commands `up`, `status` and `down` as a user starts them, against a running instance of fake apps."""

from __future__ import annotations

import contextlib
import fcntl
import json
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.supervisor.locks import WRITERS_LOCK, running_pid
from tests.process.running import PATIENCE_S, Running, environment, eventually

Start = Callable[..., Running]

STT_DAEMON = [sys.executable, "-m", "stt_daemon"]


class User:
    """Somebody in a folder with a configuration that names the sessions directory."""

    def __init__(self, folder: Path, sessions: Path) -> None:
        self.folder = folder
        self.sessions = sessions
        (folder / "config.toml").write_text(f'[sessions]\ndir = "{sessions}"\n', "utf-8")

    def runs(self, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*STT_DAEMON, *arguments],
            cwd=self.folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
            stdin=subprocess.DEVNULL,
            **more,
        )

    @contextlib.contextmanager
    def starts(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        with subprocess.Popen(
            [*STT_DAEMON, *arguments],
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()


@pytest.fixture
def user(tmp_path: Path, sessions: Path) -> User:
    return User(tmp_path, sessions)


def test_where_nothing_runs_status_and_down_say_so_and_make_nothing(user: User) -> None:
    for arguments in (["status"], ["status", "--json"], ["status", "--follow"], ["down"]):
        assert user.runs(*arguments).returncode == 1
    assert json.loads(user.runs("status", "--json").stdout)["running"] is False
    assert not user.sessions.exists()


def test_a_running_instance_is_shown_and_can_be_stopped(user: User, start: Start) -> None:
    running = start()
    running.both_pids()
    running.wait_for(type="turn")
    status = user.runs("status", "--json")
    assert status.returncode == 0
    assert json.loads(status.stdout)["pid"] == running.process.pid
    assert "transcription" in user.runs("status").stdout
    assert user.runs("down").returncode == 0
    assert running_pid(user.sessions) is None
    assert running.exit_code() == 0


def test_following_shows_changes_and_ends_with_the_instance(user: User, start: Start) -> None:
    running = start()
    running.both_pids()
    with user.starts("status", "--json", "--follow") as follower:
        assert follower.stdout
        assert json.loads(follower.stdout.readline())["running"] is True
        running.process.send_signal(signal.SIGTERM)
        last = follower.stdout.readlines()[-1]
        assert json.loads(last)["running"] is False
        assert follower.wait(PATIENCE_S) == 0


def test_a_second_up_is_refused_with_exit_code_3(user: User, start: Start) -> None:
    running = start()
    running.both_pids()
    refused = user.runs("up", "--source", "mic")
    assert refused.returncode == 3
    assert str(running.process.pid) in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert running_pid(user.sessions) == running.process.pid


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--source", "absent.wav"], "absent.wav"),
        (["--source", "."], "directory"),
        (["--source", "mic", "--speed", "max"], "--speed max"),
        (["--source", "-", "--control", "-"], "stdin"),
        (["--source", "mic", "--control", "config.toml"], "named pipe"),
        (["--with-tui", "--source", "-"], "--source - both claim stdin"),
        (["--with-tui", "--control", "-"], "--control - both claim stdin"),
        (["--with-tui", "--events", "-"], "--events - both claim stdout"),
        (["--with-tui"], "needs a terminal"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_made(
    user: User, arguments: list[str], named: str
) -> None:
    refused = user.runs("up", *arguments)
    assert refused.returncode == 2
    assert named in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not user.sessions.exists()


def test_events_that_cannot_be_written_are_refused_before_a_session_is_made(user: User) -> None:
    refused = user.runs("up", "--source", "config.toml", "--events", "nowhere/events")
    assert refused.returncode == 2
    assert "nowhere/events" in refused.stderr
    assert [path.name for path in user.sessions.iterdir() if path.is_dir()] == ["logs"]


def test_a_sessions_directory_that_cannot_be_used_is_refused_before_it_says_it_listens(
    user: User, tmp_path: Path
) -> None:
    (tmp_path / "sessions").write_text("a file in the way", "utf-8")
    refused = user.runs("up", "--source", "config.toml")
    assert refused.returncode == 1
    assert "sessions directory" in refused.stderr
    assert "listening" not in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_before_anything_was_started_is_clean_too(user: User, number: int) -> None:
    user.sessions.mkdir()
    with (user.sessions / WRITERS_LOCK).open("w", encoding="utf-8") as orphan:
        fcntl.flock(orphan, fcntl.LOCK_EX)
        with user.starts("up", "--source", "config.toml") as process:
            assert eventually(lambda: running_pid(user.sessions) == process.pid)
            process.send_signal(number)
            output, notices = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, output, notices) == (0, "", "")


def test_a_signal_during_a_launch_is_neither_lost_nor_inherited() -> None:
    script = """
        import os, signal, threading
        from stt_daemon.channels import start_thread
        from stt_daemon.supervisor.launch import signals_held

        caught = []
        signal.signal(signal.SIGHUP, lambda number, frame: caught.append(number))
        start_thread("other", threading.Event().wait)
        with signals_held():
            os.kill(os.getpid(), signal.SIGHUP)
            ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            assert caught == []
        print(ignored, caught == [signal.SIGHUP])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert done.stdout.strip() == "True True"


def test_a_closed_standard_output_is_never_mistaken_for_a_pipe_to_a_child() -> None:
    script = """
        import os
        from stt_daemon.supervisor.outputs import ensure_standard_descriptors

        os.close(1)
        os.close(0)
        ensure_standard_descriptors()
        read, write = os.pipe()
        assert min(read, write) > 2, (read, write)
        os.write(1, b"to nobody")
        os.write(2, b"fine")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "fine")
