"""Audio files of any format FFmpeg reads, as frames at their own rate. Any thread, one reader a file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from stt_daemon.audio.blocks import Interleaved, Samples
from stt_daemon.audio.sound_path import SoundPath
from stt_daemon.domain import SAMPLE_RATE
from stt_daemon.errors import AudioError

log = logging.getLogger(__name__)

_PROGRESS_S = 1.0


class DecodedFile:
    """An open audio file. Raises AudioError, with one readable line, for what is no such file."""

    def __init__(self, path: Path) -> None:
        import av

        self.path = path
        if not path.exists():
            raise AudioError(f"{path}: there is no such file", code="no_file")
        if path.is_dir():
            raise AudioError(f"{path} is a folder, not an audio file", code="not_audio")
        try:
            if path.stat().st_size == 0 and path.is_file():
                raise AudioError(f"{path} is empty", code="not_audio")
            self._container: Any = av.open(str(path), mode="r", metadata_errors="ignore")
        except (av.FFmpegError, OSError, ValueError) as error:
            raise _unreadable(path, error) from error
        streams = self._container.streams.audio
        if not streams or not streams[0].rate:
            self.close()
            raise AudioError(
                f"{path} holds no sound", mend="give a file with an audio track", code="not_audio"
            )
        self._stream = streams[0]
        self.rate: int = self._stream.rate
        self.channels: int = max(1, self._stream.channels)

    @property
    def duration_s(self) -> float | None:
        """What the file says of its length; None when it does not say (a pipe, a torn file)."""
        if self._stream.duration is not None and self._stream.time_base is not None:
            return float(self._stream.duration * self._stream.time_base)
        if self._container.duration is not None:
            return float(self._container.duration) / 1_000_000
        return None

    def frames(self, start_s: float = 0.0) -> Iterator[Interleaved]:
        """Pieces of shape (n, channels) from `start_s` on. Damaged packets are left out and counted.

        Everything before is decoded and thrown away: seeking lands only near the asked sample in most
        formats, and then a word would be missing or doubled where a file is taken up again.
        """
        import av

        # The same rate and width throughout, whatever the codec yields, also if it changes in mid-file.
        converter = av.AudioResampler(format="s16", layout=self._stream.layout, rate=self.rate)
        to_skip = round(start_s * self.rate)
        for frame in self._decoded():
            for piece in converter.resample(frame):
                samples = np.asarray(piece.to_ndarray(), dtype=np.int16).reshape(-1, self.channels)
                if to_skip >= len(samples):
                    to_skip -= len(samples)
                    continue
                yield samples[to_skip:]
                to_skip = 0

    def close(self) -> None:
        self._container.close()

    def _decoded(self) -> Iterator[Any]:
        """Frames, then None to flush."""
        import av

        damaged = 0
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets, None)
            except av.FFmpegError as error:
                log.warning("%s cannot be read to its end: %s", self.path, error)
                break
            if packet is None:
                break
            try:
                decoded = packet.decode()
            except av.FFmpegError as error:
                damaged += 1
                if damaged == 1:
                    log.warning("%s: damaged sound is left out: %s", self.path, error)
                continue
            yield from decoded
        if damaged > 1:
            log.warning("%s: %d damaged pieces were left out", self.path, damaged)
        yield None


def probe_duration(path: Path) -> float | None:
    """Seconds of sound a file claims to hold; None when it does not say. Raises AudioError."""
    file = DecodedFile(path)
    try:
        return file.duration_s
    finally:
        file.close()


def decode_file(path: Path, progress: Callable[[float], None] | None = None) -> Samples:
    """A whole file as int16 mono at 16 kHz. Raises AudioError when it is no audio file or holds no sample.

    `progress` receives, about once for each second of sound, the seconds decoded so far.
    """
    file = DecodedFile(path)
    try:
        sound = SoundPath(file.channels, file.rate, 0.0)
        parts: list[Samples] = []
        told = 0.0
        for frames in file.frames():
            block = sound.push(frames)
            if block is not None:
                parts.append(block.samples)
            if progress is not None and sound.t - told >= _PROGRESS_S:
                told = sound.t
                progress(told)
        last = sound.flush()
        if last is not None:
            parts.append(last.samples)
    finally:
        file.close()
    if not parts:
        raise AudioError(f"{path} holds no sound", code="not_audio")
    if progress is not None:
        progress(sum(len(part) for part in parts) / SAMPLE_RATE)
    return np.concatenate(parts)


def _unreadable(path: Path, error: Exception) -> AudioError:
    if isinstance(error, PermissionError):
        return AudioError(f"{path} may not be read", mend="check its permissions", code="no_file")
    return AudioError(
        f"{path} is no audio file FFmpeg can read ({error.__class__.__name__})",
        mend="convert it to WAV, FLAC, MP3 or another common format",
        code="not_audio",
    )
