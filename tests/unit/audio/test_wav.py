from __future__ import annotations

import stat
import time
import wave
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import pytest

from stt_daemon.audio.store import RawRecorder
from stt_daemon.audio.wav import SegmentWriter, stem_of, wall_of_name

WALL = 1_764_500_000.25


def ramp(count: int) -> np.ndarray:
    return (np.arange(count) % 1000).astype(np.int16)


def read(path: Path) -> tuple[wave._wave_params, np.ndarray]:
    with wave.open(str(path)) as file:
        return file.getparams(), np.frombuffer(file.readframes(file.getnframes()), np.int16)


def test_an_open_segment_is_a_readable_part_with_everything_written_so_far(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, WALL)
    writer.append(ramp(512))
    writer.append(ramp(100))
    assert writer.path.name.endswith(".part.wav")
    params, samples = read(writer.path)
    assert (params.nchannels, params.sampwidth, params.framerate) == (1, 2, 16_000)
    assert len(samples) == 612
    writer.discard()


def test_a_finished_segment_is_cut_and_named_by_its_start_and_reason(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, WALL)
    writer.append(ramp(5000))
    path = writer.finish("speech", 3200)
    assert path.name == f"{stem_of(WALL)}-speech.wav"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_size == 44 + 6400
    assert (read(path)[1] == ramp(3200)).all()


def test_segment_files_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, WALL)
    assert stat.S_IMODE(writer.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(writer.finish("stop", 0).stat().st_mode) == 0o600


def test_segments_of_the_same_millisecond_and_reason_are_all_kept(tmp_path: Path) -> None:
    names = []
    for number in range(3):
        writer = SegmentWriter(tmp_path, WALL)
        writer.append(ramp(100 + number))
        names.append(writer.finish("speech", 100 + number).name)
    stem = stem_of(WALL)
    assert names == [f"{stem}-speech.wav", f"{stem}-speech-1.wav", f"{stem}-speech-2.wav"]
    assert [len(read(tmp_path / name)[1]) for name in names] == [100, 101, 102]


def test_a_part_never_overwrites_a_part_left_by_a_crash(tmp_path: Path) -> None:
    left = SegmentWriter(tmp_path, WALL)
    left.append(ramp(10))
    writer = SegmentWriter(tmp_path, WALL)
    assert writer.path != left.path
    assert writer.finish("stop", 0).name == f"{stem_of(WALL)}-stop.wav"
    assert left.path.exists()


def test_a_discarded_segment_leaves_nothing(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, WALL)
    writer.append(ramp(100))
    writer.discard()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("fraction", "milliseconds"), [(0.0, "000"), (0.0004, "000"), (0.25, "250"), (0.9996, "000")]
)
def test_milliseconds_never_reach_a_thousand(fraction: float, milliseconds: str) -> None:
    stem = stem_of(1_764_500_000 + fraction)
    assert stem.endswith(f"-{milliseconds}")
    assert len(stem) == 10


def test_a_name_tells_its_moment_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert wall_of_name(f"{stem_of(WALL)}-lost.wav", WALL - 3600) == pytest.approx(WALL, abs=0.001)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_name_after_midnight_belongs_to_the_next_day() -> None:
    evening = datetime(2026, 3, 4, 23, 59, 58, tzinfo=timezone.utc).timestamp()
    later = evening + 25 * 60
    assert wall_of_name(f"{stem_of(later)}-lost.wav", evening) == pytest.approx(later)
    assert stem_of(evening)[2:6] == "5958"


def test_a_name_from_before_the_clock_was_set_back_is_of_the_same_day() -> None:
    assert wall_of_name(f"{stem_of(WALL)}-lost.wav", WALL + 3600) == pytest.approx(WALL, abs=0.001)


@pytest.mark.parametrize("name", ["raw.wav", "256199-000-lost.wav", "notes.txt"])
def test_other_names_have_no_moment(name: str) -> None:
    assert wall_of_name(name, WALL) is None


def test_raw_sound_of_a_resumed_session_continues_the_file(tmp_path: Path) -> None:
    first = RawRecorder(tmp_path)
    first.append(ramp(300))
    first.close()
    second = RawRecorder(tmp_path)
    second.append(ramp(200))
    second.close()
    samples = read(tmp_path / "raw.wav")[1]
    assert (samples == np.concatenate([ramp(300), ramp(200)])).all()


def test_raw_sound_beyond_what_a_header_counts_goes_into_a_next_file(tmp_path: Path) -> None:
    limit = 44 + 1000
    raw = RawRecorder(tmp_path, limit_bytes=limit)
    for _ in range(5):
        raw.append(ramp(250))
    raw.close()
    resumed = RawRecorder(tmp_path, limit_bytes=limit)
    resumed.append(ramp(100))
    resumed.close()
    assert [len(read(tmp_path / name)[1]) for name in ("raw.wav", "raw-1.wav", "raw-2.wav")] == [
        500,
        500,
        350,
    ]
