"""A microphone that is lost and found again: the live source.

Owns the one open stream and the session times of what it delivers. `open`, `read` and `close` belong to the
reading thread; `mute` and `pause` only leave a wish and may be called from any. A device that is missing,
dies or is suspended is a state with a reason and a gap, never an exception, and never another device than
the named one.
"""

from __future__ import annotations

import logging
import threading
from collections import deque

from stt_daemon.audio.blocks import Interleaved, SourceEnd, SourceGap, SourceItem, SourceState, SourceWarning
from stt_daemon.audio.capture import STALL_S, Capture, Mark, Taken, close_stream, open_capture
from stt_daemon.audio.device_names import InputDevice, find_device
from stt_daemon.audio.portaudio import (
    STALE_LIST,
    Backend,
    BackendLoader,
    error_code,
    list_devices,
    load_portaudio,
    refresh,
)
from stt_daemon.audio.rate_meter import RateMeter, nearest_rate
from stt_daemon.audio.sound_path import SoundPath
from stt_daemon.domain import Clock
from stt_daemon.errors import AudioError

log = logging.getLogger(__name__)

FIRST_CALLBACK_S = 3.0
"""A headset that has to change its profile takes up to two seconds to its first sample."""

RETRY_S = (0.25, 0.5, 1.0, 1.5)
"""Waits after failed attempts to open; the last repeats, so a device that returns is heard within 2 s."""

WALL_JUMP_S = 5.0
"""Monotonic time may stand still in suspend, the wall clock does not."""

_TOLD_AGAIN_S = 10.0
_BARE_OVERFLOW_S = 0.02


class Microphone:
    """The default input device, or the one whose name was given.

    `axis_start` is the session time at the moment of construction; a block's `t` follows from it, the moment
    the stream's first samples came, and the samples counted since.
    """

    live = True

    def __init__(
        self,
        device: str = "",
        *,
        clock: Clock,
        axis_start: float = 0.0,
        backend: BackendLoader = load_portaudio,
        poll_s: float = 0.1,
    ) -> None:
        self._wanted = device
        self._clock = clock
        self._load = backend
        self._poll_s = poll_s
        self._zero = clock.monotonic() - axis_start
        self._pending: deque[SourceItem] = deque()
        self._wake = threading.Event()
        self._want_mute = self._want_pause = False
        self._muted = self._paused = self._closed = False
        self._name, self._rate = device or "default microphone", 0

        # At most one stream exists: _capture is None whenever another is about to be opened, and nothing is
        # opened while _wedged, the thread that closes the last one, still lives.
        self._backend: Backend | None = None
        self._capture: Capture | None = None
        self._wedged: threading.Thread | None = None
        self._path: SoundPath | None = None
        self._meter = RateMeter(1)
        self._prefer_native = False

        # Until when everything is handed out, and since when nothing is recorded against the user's will.
        self._t = axis_start
        self._lost_from: float | None = None
        self._lost_reason = self._told_reason = ""
        self._failures = 0
        self._next_try = self._opened = self._last_read = clock.monotonic()
        self._wall_offset = clock.wall() - clock.monotonic()
        self._overflows_before = 0
        self._overflow_told = self._overflow_gap = self._rate_told = float("-inf")

    @property
    def name(self) -> str:
        return self._name

    @property
    def rate(self) -> int:
        return self._rate

    @property
    def overflows(self) -> int:
        """Input overflows since this object was made."""
        return self._overflows_before + (self._capture.buffer.overflows if self._capture else 0)

    def open(self) -> None:
        """Try to open the device. Raises AudioError only when the given name fits several devices."""
        try:
            self._open(first=True)
        except AudioError as error:
            if error.code == "ambiguous_device":
                raise
            self._failed(error)

    def mute(self, on: bool) -> None:
        self._want_mute = on

    def pause(self, on: bool) -> None:
        self._want_pause = on
        self._wake.set()

    def close(self) -> None:
        if self._closed:
            return
        self._release(hear_rest=True)
        self._closed = True
        if self._lost_from is not None:
            self._account_for_loss(self._now())
        self._pending.append(SourceEnd("closed"))

    def read(self) -> SourceItem | None:
        if not self._pending and not self._closed:
            self._step()
        return self._pending.popleft() if self._pending else None

    # --- one step

    def _step(self) -> None:
        now = self._clock.monotonic()
        overslept, self._last_read = now - self._last_read > 1.0, now
        jump = self._wall_jump()
        self._apply_wishes()
        if self._paused:
            self._wake.wait(self._poll_s)
            self._wake.clear()
        elif self._capture is None:
            self._try_again(now)
        elif jump > WALL_JUMP_S:
            self._lose(f"the computer was suspended for about {jump:.0f} s")
        else:
            self._listen(self._capture, overslept)

    def _apply_wishes(self) -> None:
        if self._want_pause != self._paused:
            if self._want_pause:
                self._release(hear_rest=True)
                if self._lost_from is not None:
                    self._account_for_loss(self._now())
                self._pending.append(SourceState("paused"))
            else:
                self._failures, self._next_try, self._told_reason = 0, self._clock.monotonic(), ""
                self._pending.append(SourceState("starting"))
            self._paused = self._want_pause
        if self._want_mute != self._muted:
            self._muted = self._want_mute
            if self._path is not None:
                self._pending.append(SourceState("muted" if self._muted else "live"))

    def _listen(self, capture: Capture, overslept: bool) -> None:
        self._hear(capture, capture.buffer.take(self._poll_s))
        if self._capture is not capture:
            return
        progress = capture.buffer.progress()
        last, limit = progress.last_monotonic, STALL_S
        if last is None:
            last, limit = self._opened, FIRST_CALLBACK_S
        if capture.buffer.is_finished:
            self._lose("the device stopped")
        elif self._clock.monotonic() - last > limit and not overslept:
            # Whoever overslept was stopped together with the callback: judge at the next step.
            self._lose("the device no longer delivers sound")
        elif (measured := self._meter.mismatch(progress)) is not None:
            self._mind_rate(capture, measured)

    def _hear(self, capture: Capture, taken: Taken) -> None:
        """Turn frames into blocks, piece by piece between the marks."""
        at = taken.first
        for mark in taken.marks:
            self._convert(capture, taken.frames[at - taken.first : mark.at - taken.first])
            at = mark.at
            if mark.kind == "stall":
                self._lose("the device paused")
                return
            self._mark_loss(capture, mark)
        self._convert(capture, taken.frames[at - taken.first :])

    def _convert(self, capture: Capture, frames: Interleaved) -> None:
        if len(frames) == 0:
            return
        if self._path is None:
            self._begin(capture)
            assert self._path is not None
        if self._muted:
            self._path.skip(len(frames))
        elif (block := self._path.push(frames)) is not None:
            self._pending.append(block)
        self._t = self._path.t

    def _begin(self, capture: Capture) -> None:
        """The first frames of a stream: now the device is live, and its place on the axis known."""
        progress = capture.buffer.progress()
        first = progress.first_monotonic
        assert first is not None
        rate = capture.buffer.rate
        start = max(self._t, first - self._zero - progress.first_frames / rate)
        if self._lost_from is not None:
            self._account_for_loss(start)
        self._path = SoundPath(capture.buffer.channels, rate, start)
        self._failures, self._told_reason = 0, ""
        self._pending.append(SourceState("muted" if self._muted else "live"))

    # --- trouble

    def _mark_loss(self, capture: Capture, mark: Mark) -> None:
        now = self._clock.monotonic()
        if now - self._overflow_told > _TOLD_AGAIN_S:
            self._overflow_told = now
            self._pending.append(
                SourceWarning(
                    "overflow", f"{self._name}: sound was lost, {self.overflows} input overflows so far"
                )
            )
        self._meter.restart()
        if self._path is None:
            return
        # Some drivers raise the flag with every callback and lose nothing: that must not shred the speech.
        if mark.missing_s < _BARE_OVERFLOW_S and now - self._overflow_gap < _TOLD_AGAIN_S:
            return
        self._overflow_gap = now
        start = self._t
        self._t = start + mark.missing_s
        self._path.jump(self._t)
        self._pending.append(SourceGap(start, self._t, "input overflow"))

    def _mind_rate(self, capture: Capture, measured: float) -> None:
        """First reopen at the native rate; if that is wrong too, believe the measurement."""
        path, now = self._path, self._clock.monotonic()
        assert path is not None
        told = f"{self._name} delivers {measured:.0f} samples a second instead of {path.rate}"
        if not self._prefer_native:
            self._prefer_native = True
            self._pending.append(SourceWarning("rate", f"{told}; it is reopened"))
            self._lose("wrong sample rate")
            return
        if now - self._rate_told > 60.0:
            self._rate_told = now
            self._pending.append(SourceWarning("rate", told))
        rate = nearest_rate(measured)
        if rate is not None:
            self._path, self._meter = SoundPath(capture.buffer.channels, rate, path.t), RateMeter(rate)
        elif self._now() > path.t:
            start = path.t
            path.jump(self._now())
            self._t = path.t
            self._pending.append(SourceGap(start, path.t, "samples are missing"))

    def _lose(self, reason: str) -> None:
        """Give the stream up and begin to look for the device."""
        log.warning("%s is lost: %s", self._name, reason)
        self._release(hear_rest=False)
        self._lost_from, self._lost_reason, self._told_reason = self._t, reason, reason
        self._failures, self._next_try = 0, self._clock.monotonic()
        self._pending.append(SourceState("lost", reason))

    def _failed(self, error: AudioError) -> None:
        """An attempt to open failed."""
        reason = f"{error} ({error.mend})" if error.mend else str(error)
        self._next_try = self._clock.monotonic() + RETRY_S[min(self._failures, len(RETRY_S) - 1)]
        self._failures += 1
        if self._lost_from is None:
            self._lost_from, self._lost_reason = max(self._t, self._now()), str(error)
        if reason != self._told_reason:
            self._told_reason = reason
            log.warning("no sound: %s", reason)
            self._pending.append(SourceState("lost", reason))

    def _account_for_loss(self, until: float) -> None:
        assert self._lost_from is not None
        self._t = max(self._t, until)
        self._pending.append(SourceGap(self._lost_from, self._t, self._lost_reason))
        self._lost_from = None

    def _release(self, *, hear_rest: bool) -> None:
        """Close the stream, if there is one; its last frames can still be heard."""
        capture = self._capture
        if capture is None:
            return
        self._wedged = close_stream(capture.stream)
        self._overflows_before += capture.buffer.overflows
        self._capture = None
        if hear_rest:
            self._hear(capture, capture.buffer.take(0.0))
            if self._path is not None and not self._muted and (block := self._path.flush()) is not None:
                self._pending.append(block)
        self._path = None

    # --- opening

    def _try_again(self, now: float) -> None:
        if now < self._next_try:
            self._wake.wait(min(self._poll_s, self._next_try - now))
            return
        try:
            self._open(first=False)
        except AudioError as error:
            self._failed(error)

    def _open(self, *, first: bool) -> None:
        """Open the device. Raises AudioError with the reason; then no stream is open."""
        if self._wedged is not None and self._wedged.is_alive():
            raise AudioError("the audio system does not let go of the lost device", code="wedged")
        if self._backend is None:
            self._backend = self._load()
        elif not first:
            # PortAudio lists devices once, when it starts: a device that returned is only seen afresh.
            refresh(self._backend)
        backend, clock, native = self._backend, self._clock, self._prefer_native
        device = self._find(backend)
        try:
            try:
                capture = open_capture(backend, device, clock, prefer_native=native)
            except backend.PortAudioError as error:
                if error_code(error) not in STALE_LIST:
                    raise
                log.info("opening %s failed, the device list is made anew: %s", device.name, error)
                refresh(backend)
                device = self._find(backend)
                capture = open_capture(backend, device, clock, prefer_native=native)
        except backend.PortAudioError as error:
            raise AudioError(f"{device.name} cannot be opened: {error}", code="open") from error
        self._capture = capture
        self._name, self._rate = device.name, capture.buffer.rate
        self._meter = RateMeter(self._rate)
        self._opened = clock.monotonic()
        log.info("%s is open at %d Hz, %d channels", device.name, self._rate, capture.buffer.channels)

    def _find(self, backend: Backend) -> InputDevice:
        devices = list_devices(backend)
        if self._wanted:
            return find_device(devices, self._wanted)
        usable = [d for d in devices if d.default] or [d for d in devices if not d.monitor]
        if not usable:
            raise AudioError("no input device", mend="plug a microphone in", code="no_device")
        return usable[0]

    # --- time

    def _now(self) -> float:
        return self._clock.monotonic() - self._zero

    def _wall_jump(self) -> float:
        """Seconds the wall clock ran ahead of the monotonic one since the last step; steps back are 0."""
        offset = self._clock.wall() - self._clock.monotonic()
        jump, self._wall_offset = offset - self._wall_offset, offset
        return max(0.0, jump)
