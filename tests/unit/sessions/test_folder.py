from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stt_daemon.errors import SessionError
from stt_daemon.sessions import create_session, list_sessions, open_session

WALL = 1_764_500_000.0


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_session_is_named_by_its_local_start(tmp_path: Path) -> None:
    from datetime import datetime

    folder = create_session(tmp_path, WALL)
    assert folder.id == datetime.fromtimestamp(WALL).strftime("%Y%m%d-%H%M%S")  # noqa: DTZ006 - local is meant
    assert folder.path == tmp_path / folder.id
    assert folder.audio.is_dir()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277, 0o777])
def test_folders_are_private_and_usable_under_any_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        folder = create_session(tmp_path / "a" / "b", WALL)
    finally:
        os.umask(before)
    assert [mode(p) for p in (tmp_path / "a", tmp_path / "a" / "b", folder.path, folder.audio)] == [0o700] * 4


def test_sessions_of_one_second_get_numbers(tmp_path: Path) -> None:
    first, second, third = (create_session(tmp_path, WALL) for _ in range(3))
    assert (second.id, third.id) == (f"{first.id}-2", f"{first.id}-3")


def test_sessions_made_at_the_same_time_are_all_different(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: create_session(tmp_path / "new", WALL).id, range(24)))
    assert len(set(made)) == 24


def test_a_dangling_link_counts_as_taken(tmp_path: Path) -> None:
    name = create_session(tmp_path / "probe", WALL).id
    (tmp_path / name).symlink_to(tmp_path / "nowhere")
    assert create_session(tmp_path, WALL).id == f"{name}-2"


def test_a_place_that_cannot_hold_folders_is_refused_with_path_and_mend(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(SessionError) as caught:
        create_session(tmp_path / "file" / "sessions", WALL)
    assert str(tmp_path / "file") in str(caught.value)
    assert "[sessions].dir" in caught.value.mend


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_an_unwritable_directory_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(SessionError, match="Permission denied"):
            create_session(tmp_path, WALL)
    finally:
        tmp_path.chmod(0o700)


def test_an_existing_session_opens_and_regains_its_audio_folder(tmp_path: Path) -> None:
    made = create_session(tmp_path, WALL)
    made.audio.rmdir()
    assert open_session(tmp_path, made.id) == made
    assert not made.audio.exists()
    assert open_session(tmp_path, made.id, writable=True).audio.is_dir()
    assert mode(made.audio) == 0o700


def test_an_absent_session_names_the_nearest(tmp_path: Path) -> None:
    for name in ("20260101-090000", "20260101-090000-2", "20250505-121212"):
        (tmp_path / name).mkdir()
    with pytest.raises(SessionError) as caught:
        open_session(tmp_path, "20260101-090001")
    assert "20260101-090001" in str(caught.value)
    assert caught.value.mend.startswith("nearest: 20260101-090000")


def test_an_absent_session_unlike_any_names_the_latest(tmp_path: Path) -> None:
    for name in ("20260101-090000", "20260102-090000"):
        (tmp_path / name).mkdir()
    with pytest.raises(SessionError) as caught:
        open_session(tmp_path, "standup")
    assert caught.value.mend == "the latest: 20260102-090000, 20260101-090000"


def test_with_no_session_at_all_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(SessionError) as caught:
        open_session(tmp_path / "none", "20260101-090000")
    assert caught.value.mend == "no session is there yet"


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "/etc", "a\\b", "x\0y", ".hidden"])
def test_ids_that_could_leave_the_directory_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(SessionError, match="is not a session id"):
        open_session(tmp_path / "x", name)


def test_sessions_are_listed_in_order_and_other_folders_are_not(tmp_path: Path) -> None:
    for name in ("20260101-090000-10", "20260101-090000-2", "20260101-090000", "20251231-235958", "logs"):
        (tmp_path / name).mkdir()
    (tmp_path / "standup").mkdir()
    (tmp_path / "standup" / "session.json").write_text("{}")
    (tmp_path / "instance.lock").write_text("")
    assert [folder.id for folder in list_sessions(tmp_path)] == [
        "20251231-235958",
        "20260101-090000",
        "20260101-090000-2",
        "20260101-090000-10",
        "standup",
    ]
    assert list_sessions(tmp_path / "none") == []
