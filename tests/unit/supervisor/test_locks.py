from __future__ import annotations

import os
from pathlib import Path

import pytest

from stt_daemon.errors import AlreadyRunningError, SessionError
from stt_daemon.supervisor.locks import INSTANCE_LOCK, WRITERS_LOCK, hold_locks, hold_off, running_pid


def test_the_holder_is_known_while_it_holds_and_not_after(tmp_path: Path) -> None:
    root = tmp_path / "sessions"
    with hold_locks(root):
        assert running_pid(root) == os.getpid()
    assert running_pid(root) is None


def test_the_files_stay_and_are_private(tmp_path: Path) -> None:
    with hold_locks(tmp_path / "sessions"):
        pass
    for name in (INSTANCE_LOCK, WRITERS_LOCK):
        assert (tmp_path / "sessions" / name).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "sessions").stat().st_mode & 0o777 == 0o700


def test_a_second_holder_is_refused_with_the_first_ones_process(tmp_path: Path) -> None:
    with (
        hold_locks(tmp_path),
        pytest.raises(AlreadyRunningError, match=f"process {os.getpid()}"),
        hold_locks(tmp_path),
    ):
        pass


def test_an_orphan_that_may_still_write_blocks_the_next_start(tmp_path: Path) -> None:
    with hold_locks(tmp_path) as locks:
        orphan = os.dup(locks.writers)
    with pytest.raises(AlreadyRunningError, match="still write"), hold_locks(tmp_path, orphans_s=0.0):
        pass
    assert running_pid(tmp_path) is None
    os.close(orphan)
    with hold_locks(tmp_path, orphans_s=0.0):
        pass


def test_looking_creates_nothing(tmp_path: Path) -> None:
    assert running_pid(tmp_path / "nowhere") is None
    assert not (tmp_path / "nowhere").exists()


def test_a_process_id_in_a_lock_nobody_holds_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / INSTANCE_LOCK).write_text("1\n", "utf-8")
    assert running_pid(tmp_path) is None


def test_a_directory_that_cannot_be_used_is_named_with_the_mend(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    refused = pytest.raises(SessionError, match=r"sessions directory .*file/sessions")
    with refused as caught, hold_locks(tmp_path / "file" / "sessions"):
        pass
    assert "[sessions]" in caught.value.mend


def test_trouble_while_running_is_not_taken_for_trouble_with_the_locks(tmp_path: Path) -> None:
    with pytest.raises(BrokenPipeError), hold_locks(tmp_path):
        raise BrokenPipeError


def test_holding_off_keeps_an_instance_from_starting_and_looks_like_none(tmp_path: Path) -> None:
    with hold_locks(tmp_path):
        pass
    with hold_off(tmp_path):
        assert running_pid(tmp_path) is None
        with pytest.raises(AlreadyRunningError), hold_locks(tmp_path, orphans_s=0):
            pass
    with hold_locks(tmp_path):
        pass


def test_nobody_is_held_off_while_an_instance_runs(tmp_path: Path) -> None:
    with hold_locks(tmp_path), pytest.raises(AlreadyRunningError), hold_off(tmp_path):
        pass


def test_holding_off_where_nothing_ever_ran_makes_no_files(tmp_path: Path) -> None:
    with hold_off(tmp_path):
        assert list(tmp_path.iterdir()) == []
