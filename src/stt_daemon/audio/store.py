"""The `audio` folder of a session while the listener writes into it: segments, `raw.wav`, room on the disk.

Used by the listener's thread alone.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from stt_daemon.audio.blocks import Samples
from stt_daemon.audio.wav import HEADER_BYTES, PcmFile, SegmentWriter, free_path
from stt_daemon.domain import BYTES_PER_SAMPLE, SAMPLE_RATE

FULL = (errno.ENOSPC, errno.EDQUOT)

_PROBE_BYTES = 8 * SAMPLE_RATE * BYTES_PER_SAMPLE
"""Eight seconds of sound: with less room, recording would only start to fail again."""

_WAV_LIMIT = 0xFFFFFFFF - (1 << 20)
"""A WAV header counts in 32 bits."""


class SegmentStore:
    """Opens what is written. Every method raises OSError when the disk refuses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(self) -> None:
        """Make the folder if need be, and show that some seconds of sound can be written into it."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.folder / ".room"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            view = memoryview(bytes(_PROBE_BYTES))
            while view:
                view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)
            path.unlink(missing_ok=True)

    def open_segment(self, wall: float) -> SegmentWriter:
        return SegmentWriter(self.folder, wall)

    def open_raw(self) -> RawRecorder:
        return RawRecorder(self.folder)


class RawRecorder:
    """Everything captured, in `raw.wav`; a resumed session goes on where it ended.

    A file near the 4 GiB that a WAV header can count is followed by `raw-1.wav`, `raw-2.wav`. What nobody
    captured (gaps, mute, pause) is not filled in.
    """

    def __init__(self, folder: Path, limit_bytes: int = _WAV_LIMIT) -> None:
        self._folder, self._limit = folder, limit_bytes
        path, number = folder / "raw.wav", 0
        while (next_path := folder / f"raw-{number + 1}.wav").exists():
            path, number = next_path, number + 1
        self._file = PcmFile(path, extend=True)

    @property
    def path(self) -> Path:
        return self._file.path

    def append(self, samples: Samples) -> None:
        wanted = HEADER_BYTES + (self._file.samples + len(samples)) * BYTES_PER_SAMPLE
        if wanted > self._limit and self._file.samples:
            self._file.close()
            self._file = PcmFile(free_path(self._folder, "raw", ".wav"))
        self._file.append(samples)

    def close(self) -> None:
        self._file.close()
