"""A file as a source: at the pace of real time, or as fast as it is read.

Its time is the file's: position 0 is `axis_start`. Read by one thread; `mute` and `pause` from any.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from stt_daemon.audio.blocks import Interleaved, SourceEnd, SourceItem, SourceState
from stt_daemon.audio.decode import DecodedFile
from stt_daemon.audio.sound_path import SoundPath
from stt_daemon.domain import Clock
from stt_daemon.errors import AudioError

log = logging.getLogger(__name__)

REALTIME_BLOCK_S = 0.032
"""As a microphone delivers: one frame of the speech detector."""

MAX_BLOCK_S = 0.512
"""At full speed many frames go through the detector in one call."""

_POLL_S = 0.1


class FileSource:
    """`speed` is a factor of real time, None for as fast as possible.

    Deadlines are counted from the start, never from the last wait, so that pacing does not drift; a reader
    that was late catches up at once. `wait(seconds)` may return early. `start_at` is a position in the file.
    """

    live = False

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        speed: float | None = 1.0,
        axis_start: float = 0.0,
        start_at: float = 0.0,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        self.name = path.name
        self.rate = 0
        self._path = path
        self._clock = clock
        self._speed = speed
        self._axis_start, self._start_at = axis_start, start_at
        self._wake = threading.Event()
        self._wait = self._wake.wait if wait is None else wait
        self._want_mute = self._want_pause = self._closed = False
        self._muted = self._paused = False
        self._pending: deque[SourceItem] = deque()
        self._file: DecodedFile | None = None
        self._sound: SoundPath | None = None
        self._blocks: Iterator[Interleaved] = iter(())
        self._next: Interleaved | None = None
        # The moment at which the sample of session time _due_t is due; None until pacing (re)starts.
        self._due_from: float | None = None
        self._due_t = 0.0

    @property
    def duration_s(self) -> float | None:
        """What the file says of its whole length; None when unknown or not open."""
        return self._file.duration_s if self._file else None

    def open(self) -> None:
        self._file = DecodedFile(self._path)
        self.rate = self._file.rate
        self._sound = SoundPath(self._file.channels, self.rate, self._axis_start + self._start_at)
        width = round(self.rate * (MAX_BLOCK_S if self._speed is None else REALTIME_BLOCK_S))
        self._blocks = _in_blocks(self._file.frames(self._start_at), width)
        self._next = next(self._blocks, None)
        if self._next is None and self._start_at == 0:
            self._file.close()
            raise AudioError(f"{self._path} holds no sound", code="not_audio")
        self._pending.append(SourceState("live"))

    def mute(self, on: bool) -> None:
        self._want_mute = on

    def pause(self, on: bool) -> None:
        self._want_pause = on
        self._wake.set()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._end("closed")

    def read(self) -> SourceItem | None:
        if self._pending:
            return self._pending.popleft()
        if self._closed:
            return None
        self._apply_wishes()
        if self._pending:
            return self._pending.popleft()
        if self._paused:
            self._wake.wait(_POLL_S)
            self._wake.clear()
            return None
        return self._advance()

    def _apply_wishes(self) -> None:
        if self._want_pause != self._paused:
            self._paused = self._want_pause
            self._due_from = None
            self._pending.append(
                SourceState("paused" if self._paused else "muted" if self._muted else "live")
            )
        if self._want_mute != self._muted:
            self._muted = self._want_mute
            if not self._paused:
                self._pending.append(SourceState("muted" if self._muted else "live"))

    def _advance(self) -> SourceItem | None:
        assert self._sound is not None
        sound, frames = self._sound, self._next
        if frames is None:
            self._closed = True
            last = sound.flush()
            self._end("end of file")
            return last if last is not None else self._pending.popleft()
        late_s = 0.0
        if self._speed is not None:
            now = self._clock.monotonic()
            if self._due_from is None:
                self._due_from, self._due_t = now, sound.t
            # A block is due when its last sample has been "spoken", as with a microphone.
            end = sound.t + len(frames) / sound.rate
            late_s = now - (self._due_from + (end - self._due_t) / self._speed)
            if late_s < 0:
                self._wait(min(-late_s, _POLL_S))
                return None
        self._next = next(self._blocks, None)
        if self._muted:
            sound.skip(len(frames))
            return None
        return sound.push(frames, late_s=late_s)

    def _end(self, reason: str) -> None:
        if self._file is not None:
            self._file.close()
        self._blocks = iter(())
        self._pending.append(SourceEnd(reason))


def _in_blocks(pieces: Iterator[Interleaved], width: int) -> Iterator[Interleaved]:
    """The same frames in pieces of `width`, the last one shorter."""
    held: list[Interleaved] = []
    count = 0
    for piece in pieces:
        held.append(piece)
        count += len(piece)
        if count < width:
            continue
        joined = np.concatenate(held)
        whole = count - count % width
        for at in range(0, whole, width):
            yield joined[at : at + width]
        held, count = [joined[whole:]], count - whole
    if count:
        yield np.concatenate(held)
