from __future__ import annotations

import stat
from pathlib import Path

import pytest

from stt_daemon.sessions import Mark, MarkLog, read_marks
from tests.unit.sessions.builders import WALL


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "marks.jsonl"


def test_marks_and_notes_come_back_in_order(path: Path) -> None:
    log = MarkLog.open(path)
    made = [log.append(12.34567, WALL), log.append(3, WALL, " ask Ana\nabout it ")]
    log.close()
    assert made == [Mark(12.346, WALL), Mark(3.0, WALL, "ask Ana about it")]
    assert read_marks(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_continued_session_adds_to_its_marks(path: Path) -> None:
    for t in (1, 2):
        log = MarkLog.open(path)
        log.append(t, WALL)
        log.close()
    assert [mark.t for mark in read_marks(path)] == [1, 2]


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b'{"type": "chapter", "t": 1}',
        b'{"type": "mark"}',
        b'{"type": "mark", "t": true, "wall": ""}',
        b'{"type": "mark", "t": "1", "wall": ""}',
        b'{"type": "note", "t": 1, "wall": "", "note": 7}',
        b'{"type": "mark", "t": 1' + b"0" * 400 + b', "wall": ""}',
        b"[1]",
        b"\xff",
    ],
)
def test_a_line_that_is_no_mark_is_passed_over(path: Path, line: bytes) -> None:
    path.write_bytes(line + b"\n")
    log = MarkLog.open(path)
    log.append(5, WALL)
    log.close()
    assert read_marks(path) == [Mark(5.0, WALL)]


def test_control_characters_of_another_writer_do_not_come_through(path: Path) -> None:
    path.write_bytes(b'{"type": "note", "t": 1, "wall": "w", "note": "\\u001b[2Jgone"}\n')
    assert read_marks(path) == [Mark(1.0, "w", "[2Jgone")]


def test_a_time_that_is_none_is_refused(path: Path) -> None:
    log = MarkLog.open(path)
    with pytest.raises(ValueError, match="not JSON compliant"):
        log.append(float("nan"), WALL)
    log.close()


def test_no_marks_without_a_file(path: Path) -> None:
    assert read_marks(path) == []
