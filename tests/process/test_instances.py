"""One instance a directory, one worker a program, and who may write when somebody was killed."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from stt_daemon.supervisor.locks import running_pid
from stt_daemon.supervisor.status import read_status
from tests.process.running import Running, eventually, process_exists

Start = Callable[..., Running]


def test_a_second_instance_is_refused_and_the_first_unharmed(start: Start) -> None:
    first = start(control=True)
    first.both_pids()
    second = start()
    assert second.exit_code() == 3
    assert second.events == []
    first.type_line("still there?")
    first.wait_for(type="warning", code="control", message="still there?")
    assert running_pid(first.sessions) == first.process.pid


def test_the_next_start_waits_until_orphans_are_gone(start: Start) -> None:
    first = start(worker="stubborn")
    orphan, _ = first.both_pids()
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()
    second = start()
    second.both_pids()
    assert not process_exists(orphan)


def test_a_clean_end_leaves_the_directory_free_and_without_a_status(start: Start) -> None:
    running = start()
    running.both_pids()
    assert eventually(lambda: read_status(running.sessions)["capture"] is not None)
    status = read_status(running.sessions)
    assert status["pid"] == running.process.pid
    assert status["children"]["transcription"]["state"] == "ready"
    running.process.send_signal(signal.SIGTERM)
    assert running.exit_code() == 0
    assert running_pid(running.sessions) is None
    assert not (running.sessions / "status.json").exists()
    assert read_status(running.sessions)["running"] is False


def test_a_killed_instance_counts_as_not_running(start: Start) -> None:
    running = start()
    running.both_pids()
    os.kill(running.process.pid, signal.SIGKILL)
    running.process.wait()
    assert (running.sessions / "status.json").exists()
    assert read_status(running.sessions)["running"] is False


def test_a_users_own_script_without_a_main_guard_starts_one_worker(
    start: Start, sessions: Path, tmp_path: Path
) -> None:
    script = tmp_path / "own.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import sys
            from pathlib import Path
            from tests.fakes.run_supervisor import run

            with open({str(tmp_path / "runs")!r}, "a") as runs:
                runs.write("run\\n")
            sys.exit(run(Path({str(sessions)!r}), {{}}))
            """
        ),
        "utf-8",
    )
    running = start(command=[sys.executable, str(script)])
    running.both_pids()
    running.process.send_signal(signal.SIGTERM)
    assert running.exit_code() == 0
    assert (tmp_path / "runs").read_text("utf-8") == "run\n"
    assert running.states_of("transcription").count("starting") == 1


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the interpreter has no safe path")
def test_a_file_in_the_working_directory_cannot_stand_in_for_a_library(
    start: Start, sessions: Path, tmp_path: Path
) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit('this is no library')", "utf-8")
    module = "tests.fakes.run_supervisor"
    running = start(command=[sys.executable, "-P", "-m", module, str(sessions), "{}"], cwd=tmp_path)
    running.both_pids()


def test_what_children_print_ends_in_their_logs(start: Start) -> None:
    running = start(worker="printing")
    running.both_pids()
    running.process.send_signal(signal.SIGTERM)
    assert running.exit_code() == 0
    log = running.log("transcription")
    assert "printed to descriptor 1" in log
    assert "printed to descriptor 2" in log
    assert "printed" not in running.notices
    assert (running.sessions / "logs" / "transcription.log").stat().st_mode & 0o777 == 0o600


def test_control_lines_reach_the_core_and_its_requests_are_carried_out(start: Start) -> None:
    running = start(control=True)
    running.both_pids()
    running.type_line("what did she say?")
    running.wait_for(type="warning", code="control", message="what did she say?")
    running.type_line("/mute")
    running.wait_for(type="warning", where="transcription", code="mute", message="True")
    running.type_line("/new")
    opened = running.wait_for(type="session", state="opened", id="second")
    assert Path(opened["dir"]).is_dir()


def test_a_worker_that_died_muted_starts_muted(start: Start) -> None:
    running = start(control=True)
    worker, _ = running.both_pids()
    running.type_line("/mute")
    running.wait_for(type="warning", where="transcription", code="mute", message="True")
    os.kill(worker, signal.SIGKILL)
    running.wait_for(type="child", name="transcription", state="backoff")
    running.wait_for(type="warning", where="transcription", code="mute", message="True")


def test_the_end_of_the_control_lines_ends_nothing(start: Start) -> None:
    running = start(control=True)
    running.both_pids()
    assert running.process.stdin
    running.process.stdin.close()
    running.process.send_signal(signal.SIGTERM)
    assert running.exit_code() == 0
    assert "received SIGTERM" in running.log("supervisor")


def test_events_are_numbered_stamped_and_typed(start: Start) -> None:
    running = start()
    running.wait_for(type="turn")
    assert [event["n"] for event in running.events] == list(range(1, len(running.events) + 1))
    assert all(event["v"] == 1 and event["at"] > 1e9 for event in running.events)
    utterance = next(event for event in running.events if event["type"] == "utterance")
    assert utterance["text"] == "hello"
