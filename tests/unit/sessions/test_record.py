from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from stt_daemon.errors import SessionError
from stt_daemon.sessions import SessionRecord, SourceRun, open_record, read_record, write_record

CET = timezone(timedelta(hours=1))
NOON = datetime(2026, 1, 31, 12, 0, 0, 123000, tzinfo=CET)
TALK = "/home/me/talk.wav"


def record() -> SessionRecord:
    return SessionRecord(id="20260131-120000", start=NOON, version="0.1.0", device="Røde", model="tiny.en")


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    whole = replace(
        record().with_run(TALK, axis_start=0.0, position=0.0, last_t1=0.0),
        end=datetime(2026, 1, 31, 6, 30, tzinfo=timezone(-timedelta(hours=5, minutes=30))),
    )
    write_record(tmp_path / "session.json", whole)
    again = read_record(tmp_path / "session.json")
    assert again == whole
    assert again.start.utcoffset() == timedelta(hours=1)
    assert again.end is not None
    assert again.end.utcoffset() == -timedelta(hours=5, minutes=30)


def test_the_file_states_utc_and_the_local_offset(tmp_path: Path) -> None:
    write_record(tmp_path / "session.json", record())
    body = json.loads((tmp_path / "session.json").read_text(encoding="utf-8"))
    assert body["start_utc"] == "2026-01-31T11:00:00.123Z"
    assert body["start_offset"] == "+01:00"
    assert body["end_utc"] is None


def test_the_file_is_private_whatever_the_umask_and_no_scratch_stays(tmp_path: Path) -> None:
    before = os.umask(0o777)
    try:
        write_record(tmp_path / "session.json", record())
        write_record(tmp_path / "session.json", record())
    finally:
        os.umask(before)
    assert [path.name for path in tmp_path.iterdir()] == ["session.json"]
    assert stat.S_IMODE((tmp_path / "session.json").stat().st_mode) == 0o600


def test_a_record_that_cannot_be_written_is_a_readable_error(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match=r"cannot write .*session\.json: No such file"):
        write_record(tmp_path / "gone" / "session.json", record())


def test_a_path_that_is_not_utf8_is_recognised_again(tmp_path: Path) -> None:
    odd = os.fsdecode(b"/tmp/caf\xe9.wav")
    write_record(tmp_path / "session.json", record().with_run(odd, axis_start=0, position=0, last_t1=0))
    assert read_record(tmp_path / "session.json").runs[0].source == odd


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\0" * 300,
        b'{"id": "x", "start',
        b"[]",
        b"{}",
        b"\xff\xfe{",
        b"[" * 100_000,
        b'{"id":"x","start_utc":7}',
    ],
)
def test_a_damaged_record_is_kept_aside_and_said(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "session.json"
    path.write_bytes(damage)
    (tmp_path / "session.json.damaged").write_bytes(b"an earlier one")
    opened = open_record(path)
    assert opened.record is None
    assert "kept as session.json-1.damaged" in opened.problem
    assert not path.exists()
    assert sorted(p.read_bytes() for p in tmp_path.iterdir()) == sorted([damage, b"an earlier one"])


def test_an_absent_record_is_no_problem_for_the_writer(tmp_path: Path) -> None:
    assert open_record(tmp_path / "session.json").problem == ""


def test_a_reader_leaves_a_damaged_record_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text("{")
    with pytest.raises(SessionError, match="damaged"):
        read_record(tmp_path / "session.json")
    assert (tmp_path / "session.json").exists()


def test_a_record_of_a_later_version_with_more_keys_is_read(tmp_path: Path) -> None:
    write_record(tmp_path / "session.json", record())
    body = json.loads((tmp_path / "session.json").read_text(encoding="utf-8"))
    (tmp_path / "session.json").write_text(json.dumps(body | {"mood": "good"}), encoding="utf-8")
    assert read_record(tmp_path / "session.json") == record()


def test_the_clock_set_back_gives_no_negative_age() -> None:
    assert record().elapsed(NOON.timestamp() + 5) == 5
    assert record().elapsed(NOON.timestamp() - 3600) == 0


def test_a_file_that_had_not_ended_is_taken_up_where_its_transcript_ends() -> None:
    begun = record().with_run(TALK, axis_start=0.0, position=0.0, last_t1=0.0)
    assert begun.resume_position(TALK, last_t1=31.5) == 31.5
    assert begun.resume_position("/other.wav", last_t1=31.5) == 0


def test_a_file_taken_up_later_on_the_axis_counts_in_its_own_seconds() -> None:
    begun = record().with_run(TALK, axis_start=0.0, position=0.0, last_t1=0.0)
    again = begun.with_run(TALK, axis_start=100.0 - 30.0, position=30.0, last_t1=30.0)
    assert again.resume_position(TALK, last_t1=30.0) == 30.0
    assert again.resume_position(TALK, last_t1=112.0) == 42.0


def test_another_source_in_between_does_not_move_a_file_on() -> None:
    begun = record().with_run(TALK, axis_start=0.0, position=0.0, last_t1=0.0)
    mic = begun.with_run("mic", axis_start=50.0, position=0.0, last_t1=20.0)
    assert mic.runs[0] == SourceRun(TALK, 0.0, 20.0)
    assert mic.resume_position(TALK, last_t1=500.0) == 20.0


def test_a_file_that_ended_starts_over() -> None:
    begun = record().with_run(TALK, axis_start=0.0, position=0.0, last_t1=0.0)
    ended = begun.with_run_ended(52.0, source_ended=True)
    assert ended.runs == (SourceRun(TALK, 0.0, 52.0, ended=True),)
    assert ended.resume_position(TALK, last_t1=52.0) == 0


@pytest.mark.parametrize("source", ["mic", "mic:Headset", "-"])
def test_a_source_without_a_past_starts_at_its_beginning(source: str) -> None:
    begun = record().with_run(source, axis_start=0.0, position=0.0, last_t1=0.0)
    assert begun.resume_position(source, last_t1=40.0) == 0


def test_ending_a_run_before_any_began_changes_nothing() -> None:
    assert record().with_run_ended(3.0, source_ended=False) == record()
