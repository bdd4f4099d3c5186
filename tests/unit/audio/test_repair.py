from __future__ import annotations

import struct
import wave
from pathlib import Path

import numpy as np
import pytest

from stt_daemon.audio.repair import repair_file, repair_folder
from stt_daemon.audio.wav import header
from tests.unit.audio.speech import SHARED

ONE_SECOND = (np.arange(16_000) % 977).astype("<i2").tobytes()
UNKNOWN = 0xFFFFFFFF


def wav(
    data: bytes,
    *,
    data_size: int | None = None,
    riff_size: int | None = None,
    before: bytes = b"",
    after: bytes = b"",
    channels: int = 1,
    bits: int = 16,
) -> bytes:
    align = channels * bits // 8
    fmt = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, channels, 16_000, 16_000 * align, align, bits)
    size = len(data) if data_size is None else data_size
    body = b"WAVE" + fmt + before + b"data" + struct.pack("<I", size) + data + after
    return b"RIFF" + struct.pack("<I", len(body) if riff_size is None else riff_size) + body


def chunk(name: bytes, payload: bytes) -> bytes:
    return name + struct.pack("<I", len(payload)) + payload + b"\0" * (len(payload) % 2)


LIST = chunk(b"LIST", b"INFOISFT\x05\0\0\0Lavf\0\0")
FACT = chunk(b"fact", struct.pack("<I", 16_000))

HEALTHY = {
    "plain": wav(ONE_SECOND),
    "empty": wav(b""),
    "list before": wav(ONE_SECOND, before=LIST + FACT),
    "list after": wav(ONE_SECOND, after=LIST),
    "odd chunk after": wav(ONE_SECOND, after=chunk(b"note", b"abc")),
    "odd data with its pad": wav(b"\x80" * 1001, after=b"\0", bits=8),
    "odd data without its pad": wav(b"\x80" * 1001, bits=8),
    "odd data, pad and tags": wav(b"\x80" * 1001, after=b"\0" + LIST, bits=8),
    "empty with tags": wav(b"", after=LIST),
    "stereo": wav(ONE_SECOND, channels=2),
}

UNFINISHED = {
    "sizes zero": wav(ONE_SECOND, data_size=0, riff_size=0),
    "sizes unknown": wav(ONE_SECOND, data_size=UNKNOWN, riff_size=UNKNOWN),
    "data size zero": wav(ONE_SECOND, data_size=0),
    "riff size zero": wav(ONE_SECOND, riff_size=0),
    "data shorter than said": wav(ONE_SECOND, data_size=64_000, riff_size=64_036),
    "data longer than said": wav(ONE_SECOND, data_size=16_000, riff_size=16_036),
    "torn sample": wav(ONE_SECOND + b"\x01", data_size=0, riff_size=0),
    "tags before": wav(ONE_SECOND, data_size=0, riff_size=0, before=LIST),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_file_stays_byte_for_byte_as_it_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / "100000-000-speech.wav"
    path.write_bytes(HEALTHY[name])
    path.chmod(0o400)
    before = path.stat().st_mtime_ns
    assert repair_file(path) is None
    assert path.read_bytes() == HEALTHY[name]
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("name", UNFINISHED)
def test_an_unfinished_header_is_made_to_tell_the_truth(name: str, tmp_path: Path) -> None:
    path = tmp_path / "100000-000-speech.wav"
    path.write_bytes(UNFINISHED[name])
    repair = repair_file(path)
    assert repair is not None
    assert repair.action == "repaired"
    assert repair.duration_s == 1.0
    with wave.open(str(path)) as file:
        assert file.readframes(file.getnframes()) == ONE_SECOND
    assert struct.unpack("<I", path.read_bytes()[4:8])[0] == path.stat().st_size - 8
    assert repair_file(path) is None


def test_twenty_seconds_behind_a_zero_header_become_a_lost_segment(tmp_path: Path) -> None:
    samples = ONE_SECOND * 20
    (tmp_path / "143012-250.part.wav").write_bytes(header(0) + samples)
    (repair,) = repair_folder(tmp_path)
    assert (repair.action, repair.duration_s) == ("recovered", 20.0)
    assert repair.path == tmp_path / "143012-250-lost.wav"
    assert [p.name for p in tmp_path.iterdir()] == ["143012-250-lost.wav"]
    with wave.open(str(repair.path)) as file:
        assert file.readframes(file.getnframes()) == samples


def test_a_recovered_part_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "143012-250-lost.wav").write_bytes(wav(ONE_SECOND))
    (tmp_path / "143012-250.part.wav").write_bytes(header(len(ONE_SECOND)) + ONE_SECOND)
    (repair,) = repair_folder(tmp_path)
    assert repair.path == tmp_path / "143012-250-lost-1.wav"
    assert (tmp_path / "143012-250-lost.wav").read_bytes() == wav(ONE_SECOND)


@pytest.mark.parametrize("content", [b"", b"RIFF", header(0), header(0) + b"\0\0" * 1000, header(0)[:40]])
def test_a_part_too_short_for_speech_is_removed_and_told(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "143012-250.part.wav").write_bytes(content)
    (repair,) = repair_folder(tmp_path)
    assert (repair.action, repair.path) == ("removed", None)
    assert list(tmp_path.iterdir()) == []


def test_a_part_whose_header_was_never_written_is_read_as_our_own_format(tmp_path: Path) -> None:
    (tmp_path / "143012-250.part.wav").write_bytes(b"\0" * 44 + ONE_SECOND)
    (repair,) = repair_folder(tmp_path)
    assert (repair.action, repair.duration_s) == ("recovered", 1.0)


def test_what_is_no_wav_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "song.wav"
    path.write_bytes(b"OggS and more")
    (repair,) = repair_folder(tmp_path)
    assert repair.action == "unreadable"
    assert path.read_bytes() == b"OggS and more"


def test_a_folder_that_is_not_there_needs_no_repair(tmp_path: Path) -> None:
    assert repair_folder(tmp_path / "audio") == []


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference recordings are not on this machine")
def test_files_of_other_programs_are_healthy() -> None:
    assert [path.name for path in SHARED.glob("*.wav") if repair_file(path) is not None] == []
