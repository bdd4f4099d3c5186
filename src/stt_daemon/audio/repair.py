"""Repair of WAV files that a killed process left unfinished. Runs before a listener starts; one thread.

A healthy file is never opened for writing, whatever chunks it carries before or after its samples.
"""

from __future__ import annotations

import logging
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from stt_daemon.audio.wav import HEADER_BYTES, PART_SUFFIX, final_path, header
from stt_daemon.domain import BYTES_PER_SAMPLE, SAMPLE_RATE

log = logging.getLogger(__name__)

MIN_LOST_S = 0.1
"""A part shorter than this holds no word: a short "Yes" lasts 0.18 s, and the pre-roll comes before it."""

_UNKNOWN_SIZES = (0, 0xFFFFFFFF)

Action = Literal["recovered", "repaired", "removed", "unreadable"]


@dataclass(frozen=True)
class Repair:
    """What was done to one file.

    "recovered": a part became `path`, a `lost` segment that waits for transcription. "repaired": the header
    of `path` was corrected in place. "removed": a part too short to hold speech. "unreadable": left as it is.
    `name` is what the file was called before, `duration_s` the sound it holds.
    """

    action: Action
    name: str
    path: Path | None
    duration_s: float
    reason: str


@dataclass(frozen=True)
class _Layout:
    """Where things are in a RIFF file. `stale`: the sizes in the header do not describe the file."""

    data_at: int
    data_bytes: int
    bytes_per_second: int
    block_align: int
    stale: bool


def repair_folder(folder: Path) -> list[Repair]:
    """Repair every WAV of an `audio` folder, parts first; an entry for each file that needed something."""
    if not folder.is_dir():
        return []
    repairs = []
    for path in sorted(folder.glob("*.wav")):
        try:
            repair = _recover_part(path) if path.name.endswith(PART_SUFFIX) else repair_file(path)
        except OSError as error:
            log.warning("cannot repair %s: %s", path, error)
            repair = Repair("unreadable", path.name, path, 0.0, error.strerror or str(error))
        if repair is not None:
            log.info("%s: %s (%s, %.2f s)", repair.name, repair.action, repair.reason, repair.duration_s)
            repairs.append(repair)
    return sorted(repairs, key=lambda repair: repair.action != "recovered")


def repair_file(path: Path) -> Repair | None:
    """Correct the sizes in one file's header if they are unfinished; None when it is healthy.

    Raises OSError when it cannot be read or written.
    """
    layout = _read_layout(path)
    if isinstance(layout, str):
        return Repair("unreadable", path.name, path, 0.0, layout)
    if not layout.stale:
        return None
    _write_sizes(path, layout)
    return Repair("repaired", path.name, path, _seconds(layout), "unfinished header")


def _recover_part(path: Path) -> Repair:
    layout = _read_layout(path)
    if isinstance(layout, str):
        # Our own parts always carry 44 bytes of header; after a power failure they may read as zeros.
        held = max(0, path.stat().st_size - HEADER_BYTES) // BYTES_PER_SAMPLE * BYTES_PER_SAMPLE
        layout = _Layout(HEADER_BYTES, held, SAMPLE_RATE * BYTES_PER_SAMPLE, BYTES_PER_SAMPLE, True)
        if held:
            with path.open("r+b") as file:
                file.write(header(held))
    duration = _seconds(layout)
    if duration < MIN_LOST_S:
        path.unlink()
        return Repair("removed", path.name, None, duration, "too short to hold speech")
    _write_sizes(path, layout)
    final = final_path(path.parent, path.name[: -len(PART_SUFFIX)], "lost")
    path.rename(final)
    return Repair("recovered", path.name, final, duration, "left open by a crash")


def _seconds(layout: _Layout) -> float:
    return layout.data_bytes / layout.bytes_per_second


def _read_layout(path: Path) -> _Layout | str:
    """Walk the chunks; a phrase instead of a layout says why this is no WAV that can be judged."""
    size = path.stat().st_size
    with path.open("rb") as file:
        riff = file.read(12)
        if len(riff) < 12 or riff[:4] != b"RIFF" or riff[8:] != b"WAVE":
            return "empty" if size == 0 else "not a RIFF WAVE file"
        per_second, align = 0, 1
        at = 12
        while True:
            file.seek(at)
            chunk = file.read(8)
            if len(chunk) < 8:
                return "no samples in it"
            name, length = chunk[:4], struct.unpack("<I", chunk[4:])[0]
            if name == b"data":
                break
            if name == b"fmt ":
                fmt = file.read(16)
                if len(fmt) < 16:
                    return "its format is cut off"
                per_second, align = struct.unpack("<I", fmt[8:12])[0], struct.unpack("<H", fmt[12:14])[0]
            at += 8 + length + length % 2
        if not per_second or not align:
            return "its format is missing"
        data_at = at + 8
        held = size - data_at
        riff_size = struct.unpack("<I", riff[4:8])[0]
        if length == held or _is_chunk_chain(file, data_at + length, size, padded=length % 2 == 1):
            # Some writers leave out the last pad byte, or count it although it is not there.
            whole = riff_size not in _UNKNOWN_SIZES and abs(riff_size - (size - 8)) <= 1
            return _Layout(data_at, length, per_second, align, stale=not whole)
        return _Layout(data_at, held // align * align, per_second, align, stale=True)


def _is_chunk_chain(file: BinaryIO, at: int, size: int, *, padded: bool) -> bool:
    """Whether from `at` whole chunks follow up to the very end, as tags written after the samples do."""
    at += padded
    while at < size:
        file.seek(at)
        chunk = file.read(8)
        if len(chunk) < 8 or not all(0x20 <= byte < 0x7F for byte in chunk[:4]):
            return False
        length = struct.unpack("<I", chunk[4:])[0]
        end = at + 8 + length
        if end == size:
            return True
        at = end + length % 2
    return at == size


def _write_sizes(path: Path, layout: _Layout) -> None:
    """Put the true sizes into the header; a torn last sample goes, other chunks stay."""
    size = path.stat().st_size
    end = layout.data_at + layout.data_bytes
    torn = 0 < size - end < layout.block_align
    with path.open("r+b") as file:
        if torn:
            os.ftruncate(file.fileno(), end)
            size = end
        file.seek(4)
        file.write(struct.pack("<I", min(size - 8, 0xFFFFFFFF)))
        file.seek(layout.data_at - 4)
        file.write(struct.pack("<I", min(layout.data_bytes, 0xFFFFFFFF)))
