"""The ring buffer between PortAudio's callback and the reading thread, and the stream that fills it.

Two threads meet here: PortAudio's calls `CaptureBuffer.callback`, which only copies and counts; the reading
thread calls everything else. The lock is held for one copy of a few kilobytes.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from stt_daemon.audio.blocks import Interleaved
from stt_daemon.audio.device_names import InputDevice
from stt_daemon.audio.portaudio import INVALID_CHANNELS, INVALID_RATE, Backend, InputStream, error_code
from stt_daemon.domain import SAMPLE_RATE, Clock

log = logging.getLogger(__name__)

BLOCK_S = 0.032
"""Sound a callback: one frame of the speech detector, so that nothing waits for a fuller block."""

LATENCY_S = 0.6
"""Sound PortAudio may hold below Python. The callback needs the interpreter, and importing the model library
holds that for up to 170 ms; half a second below it means no sample is lost meanwhile."""

RING_S = 10.0
"""How long the reading thread may be away (a slow disk) before samples are dropped."""

STALL_S = 1.5
"""A device silent for longer than this is gone: a loss must be noticed within 2 s."""

_BASELINE_S = 5.0
_CLOSE_S = 2.0


@dataclass(frozen=True)
class Mark:
    """Before frame `at` (counted from the stream's start) about `missing_s` of sound were lost."""

    at: int
    kind: Literal["overflow", "stall", "overrun"]
    missing_s: float


@dataclass(frozen=True)
class Taken:
    """Frames from number `first` on, shape (n, channels), and the marks before or among them."""

    first: int
    frames: Interleaved
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Progress:
    """What came so far: frames, and when the first and the last callback were (None: none yet)."""

    frames: int
    first_frames: int
    first_monotonic: float | None
    last_monotonic: float | None


class CaptureBuffer:
    """Frames of one stream, from its start to its end."""

    def __init__(self, channels: int, rate: int, clock: Clock, seconds: float = RING_S) -> None:
        self.channels, self.rate = channels, rate
        self._clock = clock
        self._ring = np.zeros((max(1, int(seconds * rate)), channels), dtype=np.int16)
        self._ready = threading.Condition()
        # Under the lock:
        self._written = self._taken = self._dropped = self._unmarked = self._first_frames = 0
        self._first: float | None = None
        self._last: float | None = None
        self._marks: deque[Mark] = deque()
        self._finished = False
        self.overflows = 0
        # The callback's alone: how late the sample count lies behind the clock, at best, lately.
        self._lag_before = self._lag = float("inf")
        self._lag_since = 0.0

    def callback(self, indata: Interleaved, frames: int, _time: Any, status: Any) -> None:
        """PortAudio's thread. Copies the frames; never waits for more than one copy, never raises."""
        now = self._clock.monotonic()
        with self._ready:
            stalled = self._last is not None and now - self._last > STALL_S
            overflow = bool(status.input_overflow)
            self.overflows += overflow
            missing = self._missing(now, frames, overflow or stalled)
            if stalled or overflow:
                self._marks.append(Mark(self._written, "stall" if stalled else "overflow", missing))
            if len(self._ring) - (self._written - self._taken) < frames:
                # What waits is older and whole; the newest goes, and is marked once there is room again.
                self._unmarked += frames
                self._dropped += frames
            else:
                if self._unmarked:
                    self._marks.append(Mark(self._written, "overrun", self._unmarked / self.rate))
                    self._unmarked = 0
                self._store(indata)
            if self._first is None:
                self._first, self._first_frames = now, frames
            self._last = now
            self._ready.notify()

    def finished(self) -> None:
        """PortAudio's thread: the stream has become inactive."""
        with self._ready:
            self._finished = True
            self._ready.notify()

    def take(self, wait_s: float) -> Taken:
        """All frames that wait, copied, after waiting at most `wait_s` for the first."""
        with self._ready:
            if self._written == self._taken and not self._finished:
                self._ready.wait(wait_s)
            first, size = self._taken, len(self._ring)
            begin, end = first % size, self._written % size
            if first == self._written:
                frames = self._ring[:0].copy()
            elif begin < end:
                frames = self._ring[begin:end].copy()
            else:
                frames = np.concatenate((self._ring[begin:], self._ring[:end]))
            self._taken = self._written
            marks = tuple(self._marks)
            self._marks.clear()
        return Taken(first, frames, marks)

    def progress(self) -> Progress:
        with self._ready:
            return Progress(self._written + self._dropped, self._first_frames, self._first, self._last)

    @property
    def is_finished(self) -> bool:
        with self._ready:
            return self._finished

    def _store(self, indata: Interleaved) -> None:
        at = self._written % len(self._ring)
        head = min(len(indata), len(self._ring) - at)
        self._ring[at : at + head] = indata[:head]
        self._ring[: len(indata) - head] = indata[head:]
        self._written += len(indata)

    def _missing(self, now: float, frames: int, lost: bool) -> float:
        """Seconds the clock has run ahead of the samples since the best moment of the last seconds.

        The best, not the last, because callbacks come late in bursts; only lately, because no device's clock
        agrees with the computer's for hours.
        """
        lag = now - (self._written + self._dropped + frames) / self.rate
        missing = max(0.0, lag - min(self._lag, self._lag_before)) if lost and self._last is not None else 0.0
        if lost or now - self._lag_since > _BASELINE_S:
            self._lag_before = lag if lost else self._lag
            self._lag, self._lag_since = lag, now
        else:
            self._lag = min(self._lag, lag)
        return missing


@dataclass(frozen=True)
class Capture:
    """An open, started stream with its buffer."""

    stream: InputStream
    buffer: CaptureBuffer
    device: InputDevice


def open_capture(backend: Backend, device: InputDevice, clock: Clock, *, prefer_native: bool) -> Capture:
    """Open and start a device at a rate and channel count it accepts; 16 kHz if it can.

    Raises the backend's PortAudioError when nothing works; no stream is left open then.
    """
    first = [device.rate, SAMPLE_RATE] if prefer_native else [SAMPLE_RATE, device.rate]
    rates = list(dict.fromkeys([*first, 48_000, 44_100]))
    counts = list(dict.fromkeys([min(device.channels, 2), 1, 2, min(device.channels, 32)]))
    while True:
        try:
            return _start(backend, device, clock, rates[0], counts[0])
        except backend.PortAudioError as error:
            refused = {INVALID_RATE: rates, INVALID_CHANNELS: counts}.get(error_code(error))
            if refused is None or len(refused) == 1:
                raise
            log.info("%s refuses %d Hz with %d channels: %s", device.name, rates[0], counts[0], error)
            del refused[0]


def _start(backend: Backend, device: InputDevice, clock: Clock, rate: int, channels: int) -> Capture:
    buffer = CaptureBuffer(channels, rate, clock)
    stream = backend.InputStream(
        device=device.index,
        samplerate=rate,
        channels=channels,
        dtype="int16",
        blocksize=round(rate * BLOCK_S),
        latency=LATENCY_S,
        callback=buffer.callback,
        finished_callback=buffer.finished,
    )
    try:
        stream.start()
    except backend.PortAudioError:
        stream.close()
        raise
    return Capture(stream, buffer, device)


def close_stream(stream: InputStream) -> threading.Thread | None:
    """Close a stream; the closing thread when that has not returned after 2 s.

    A device that vanished can keep PortAudio inside `close` for ever. That must cost this stream, not the
    program: whoever gets a thread back opens nothing while it lives.
    """

    def close() -> None:
        try:
            stream.abort()
            stream.close()
        except Exception:
            # PortAudio's error class is the backend's; a stream that cannot be closed is gone all the same.
            log.exception("closing an audio stream failed")

    closer = threading.Thread(target=close, name="close-stream", daemon=True)
    closer.start()
    closer.join(_CLOSE_S)
    return closer if closer.is_alive() else None
