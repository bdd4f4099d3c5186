"""Raw samples on a descriptor: 16 kHz, mono, signed 16-bit little-endian, from a pipe, FIFO or file.

Time is counted in samples. Read by one thread; `mute` and `pause` from any. The caller keeps the descriptor.
"""

from __future__ import annotations

import array
import fcntl
import os
import select
import stat
import termios
import threading
from collections import deque

import numpy as np

from stt_daemon.audio.blocks import SourceEnd, SourceItem, SourceState
from stt_daemon.audio.sound_path import SoundPath
from stt_daemon.domain import BYTES_PER_SAMPLE, SAMPLE_RATE

_POLL_S = 0.1
_HALF_SAMPLE_S = 0.01
_READ_BYTES = int(0.512 * SAMPLE_RATE) * BYTES_PER_SAMPLE


class RawSource:
    """Whatever has arrived is handed out at once; the writer sets the pace. Paused, it is not read at all.

    From a pipe half a sample is never taken: its other half would be all that a successor finds after a kill,
    and would turn everything behind it into noise.
    """

    live = False
    rate = SAMPLE_RATE

    def __init__(self, descriptor: int = 0, *, name: str = "standard input", axis_start: float = 0.0) -> None:
        self.name = name
        self._fd = descriptor
        self._sound = SoundPath(1, SAMPLE_RATE, axis_start)
        self._odd = b""
        self._is_pipe = False
        self._wake = threading.Event()
        self._want_mute = self._want_pause = self._closed = False
        self._muted = self._paused = False
        self._pending: deque[SourceItem] = deque()

    def open(self) -> None:
        self._is_pipe = stat.S_ISFIFO(os.fstat(self._fd).st_mode)
        self._pending.append(SourceState("live"))

    def mute(self, on: bool) -> None:
        self._want_mute = on

    def pause(self, on: bool) -> None:
        self._want_pause = on
        self._wake.set()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._pending.append(SourceEnd("closed"))

    def read(self) -> SourceItem | None:
        self._apply_wishes()
        if self._pending:
            return self._pending.popleft()
        if self._closed:
            return None
        if self._paused:
            self._wake.wait(_POLL_S)
            self._wake.clear()
            return None
        if not select.select([self._fd], [], [], _POLL_S)[0]:
            return None
        try:
            count = self._whole_samples()
            if count == 0:
                self._wake.wait(_HALF_SAMPLE_S)
                return None
            data = os.read(self._fd, count)
        except BlockingIOError:
            return None
        except OSError as error:
            # A terminal or socket that went away: what was heard stays, nothing more will come.
            self._closed = True
            return SourceEnd(error.strerror or str(error))
        if len(data) < (BYTES_PER_SAMPLE if self._is_pipe else 1):
            self._closed = True
            return SourceEnd("end of input")
        return self._heard(data)

    def _whole_samples(self) -> int:
        """How many bytes to read now; 0 while half a sample is all there is and more may come."""
        if not self._is_pipe:
            return _READ_BYTES
        waiting = array.array("i", [0])
        fcntl.ioctl(self._fd, termios.FIONREAD, waiting)
        if waiting[0] == 1:
            poll = select.poll()
            poll.register(self._fd, 0)  # asks for nothing but the end, which is always told
            return 1 if poll.poll(0) else 0
        return min(waiting[0] - waiting[0] % BYTES_PER_SAMPLE, _READ_BYTES) or 1

    def _heard(self, data: bytes) -> SourceItem | None:
        # A pipe cuts where it likes: the first byte of a sample may come long before its second.
        data = self._odd + data
        whole = len(data) - len(data) % BYTES_PER_SAMPLE
        self._odd = data[whole:]
        samples = np.frombuffer(data[:whole], dtype="<i2").astype(np.int16)
        if self._muted:
            self._sound.skip(len(samples))
            return None
        return self._sound.push(samples[:, None])

    def _apply_wishes(self) -> None:
        if self._closed:
            return
        if self._want_pause != self._paused:
            self._paused = self._want_pause
            self._pending.append(
                SourceState("paused" if self._paused else "muted" if self._muted else "live")
            )
        if self._want_mute != self._muted:
            self._muted = self._want_mute
            if not self._paused:
                self._pending.append(SourceState("muted" if self._muted else "live"))
