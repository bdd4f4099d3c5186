"""Segment WAV files: named, written as sound arrives, cut to length, renamed when the segment closes.

Used by the listener's thread alone; nobody else writes into the `audio` folder while it runs.
"""

from __future__ import annotations

import os
import re
import struct
import wave
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stt_daemon.domain import BYTES_PER_SAMPLE, SAMPLE_RATE, SegmentReason
from stt_daemon.errors import AudioError

HEADER_BYTES = 44
PART_SUFFIX = ".part.wav"

_NAME = re.compile(r"^(\d{2})(\d{2})(\d{2})-(\d{3})")


def header(data_bytes: int) -> bytes:
    """The 44 bytes before `data_bytes` of 16 kHz mono 16-bit PCM. Sizes beyond 32 bits are capped."""
    capped = min(data_bytes, 0xFFFFFFFF - (HEADER_BYTES - 8))
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        capped + HEADER_BYTES - 8,
        b"WAVE",
        b"fmt ",
        16,
        1,
        1,
        SAMPLE_RATE,
        SAMPLE_RATE * BYTES_PER_SAMPLE,
        BYTES_PER_SAMPLE,
        8 * BYTES_PER_SAMPLE,
        b"data",
        capped,
    )


def stem_of(wall: float) -> str:
    """`HHMMSS-mmm` in local time of a moment in seconds since the epoch."""
    milliseconds = round(wall * 1000)
    # Whole seconds first: a float second with .9996 would otherwise round to a thousand milliseconds.
    moment = datetime.fromtimestamp(milliseconds // 1000, tz=timezone.utc).astimezone()
    return f"{moment:%H%M%S}-{milliseconds % 1000:03d}"


STEP_BACK_S = 2 * 3600.0
"""Names are local times, which go back an hour in autumn; a clock may also be corrected meanwhile."""


def wall_of_name(name: str, not_before: float) -> float | None:
    """The first moment from about `not_before` on (epoch seconds) that a segment name can mean.

    The inverse of `stem_of` within a day; None for a name of another shape. It may lie up to `STEP_BACK_S`
    before: a clock that was set back is no reason to believe that a day has passed.
    """
    match = _NAME.match(name)
    if match is None:
        return None
    hours, minutes, seconds, milliseconds = (int(group) for group in match.groups())
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    start = datetime.fromtimestamp(not_before - STEP_BACK_S, tz=timezone.utc).astimezone()
    moment = start.replace(hour=hours, minute=minutes, second=seconds, microsecond=milliseconds * 1000)
    if moment < start:
        moment += timedelta(days=1)
    return moment.timestamp()


def free_path(folder: Path, stem: str, suffix: str) -> Path:
    """`stem + suffix` in the folder, with `-1`, `-2` ... after the stem when that exists."""
    path, number = folder / f"{stem}{suffix}", 0
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{suffix}"
    return path


def final_path(folder: Path, stem: str, reason: SegmentReason) -> Path:
    """`HHMMSS-mmm-<reason>.wav`, with `-1`, `-2` ... at its end when that exists."""
    return free_path(folder, f"{stem}-{reason}", ".wav")


class PcmFile:
    """A WAV being written. After every append the header tells the length, so a killed process leaves a
    file that any player reads; what the operating system was given survives the process.

    All methods raise OSError when the disk refuses; `samples` then still counts what is surely there.
    """

    def __init__(self, path: Path, *, extend: bool = False) -> None:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self.path = path
        self._fd = os.open(path, flags if extend else flags | os.O_EXCL, 0o600)
        try:
            held = max(0, os.fstat(self._fd).st_size - HEADER_BYTES) if extend else 0
            self.samples = held // BYTES_PER_SAMPLE
            self._write_header()
        except OSError:
            os.close(self._fd)
            if not extend:
                path.unlink(missing_ok=True)
            raise

    def append(self, samples: NDArray[np.int16]) -> None:
        """Write int16 mono samples behind what is there. A repeated call after an error starts clean."""
        data = np.ascontiguousarray(samples, dtype="<i2").tobytes()
        os.lseek(self._fd, HEADER_BYTES + self.samples * BYTES_PER_SAMPLE, os.SEEK_SET)
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]
        self.samples += len(samples)
        self._write_header()

    def close(self, samples: int | None = None) -> None:
        """Cut to `samples` (default: what was written) and close; needs no room on the disk."""
        if self._fd < 0:
            return
        self.samples = self.samples if samples is None else min(samples, self.samples)
        try:
            os.ftruncate(self._fd, HEADER_BYTES + self.samples * BYTES_PER_SAMPLE)
            self._write_header()
        finally:
            os.close(self._fd)
            self._fd = -1

    def _write_header(self) -> None:
        os.lseek(self._fd, 0, os.SEEK_SET)
        os.write(self._fd, header(self.samples * BYTES_PER_SAMPLE))


class SegmentWriter:
    """The one open segment on disk: `<stem>.part.wav` until it is finished or discarded."""

    def __init__(self, folder: Path, wall: float) -> None:
        self._folder = folder
        self.stem = stem_of(wall)
        self._file = PcmFile(free_path(folder, self.stem, PART_SUFFIX))

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def samples(self) -> int:
        return self._file.samples

    def append(self, samples: NDArray[np.int16]) -> None:
        """Write and hand over to the operating system. Raises OSError."""
        self._file.append(samples)

    def finish(self, reason: SegmentReason, samples: int) -> Path:
        """Cut to `samples`, fix the header, give the final name. Raises OSError."""
        self._file.close(samples)
        path = final_path(self._folder, self.stem, reason)
        self._file.path.rename(path)
        return path

    def discard(self) -> None:
        """Close and remove: what it holds is not speech. Raises OSError."""
        self._file.close()
        self._file.path.unlink(missing_ok=True)


def read_segment(path: Path) -> NDArray[np.int16]:
    """The samples of a segment file: int16, mono, 16 kHz. Raises AudioError for any other file."""
    try:
        with wave.open(str(path), "rb") as file:
            if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (SAMPLE_RATE, 1, 2):
                raise AudioError(f"{path.name} is not 16 kHz mono 16-bit sound")
            return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(np.int16)
    except (OSError, EOFError, wave.Error) as error:
        raise AudioError(f"{path.name} cannot be read: {error}") from error


def to_float(samples: NDArray[np.int16]) -> NDArray[np.float32]:
    """Samples from -1 to 1, as models read them."""
    return samples.astype(np.float32) / 32768.0
