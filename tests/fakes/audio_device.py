"""A scripted PortAudio with the surface of sounddevice that the audio room uses.

A test plugs devices in and out, says what opening refuses, and delivers sound by calling `deliver`, which
moves the fake clock by the sound's duration and runs the callback in the test's own thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.fakes.clock import FakeClock


class FakePortAudioError(Exception):
    """args: message, PortAudio's code."""


@dataclass
class FakeDevice:
    name: str
    channels: int = 1
    rate: int = 48_000
    rates: tuple[int, ...] | None = None
    """Rates it accepts; None: every one."""
    counts: tuple[int, ...] | None = None
    """Channel counts it accepts; None: up to `channels`."""
    hostapi: int = 0
    open_errors: list[int] = field(default_factory=list)
    """PortAudio codes the next attempts to open fail with."""
    start_errors: list[int] = field(default_factory=list)


class FakeStream:
    def __init__(self, system: FakePortAudio, fake: FakeDevice, wanted: dict[str, Any]) -> None:
        self.system, self.device = system, fake
        self.samplerate, self.channels = float(wanted["samplerate"]), wanted["channels"]
        self.wanted = wanted
        self.started = self.closed = False

    def start(self) -> None:
        if self.device.start_errors:
            raise FakePortAudioError("Error starting stream", self.device.start_errors.pop(0))
        self.started = True
        self.system.most_live = max(self.system.most_live, len(self.system.live))

    def abort(self) -> None:
        self.started = False

    def close(self) -> None:
        self.system.before_close()
        self.started, self.closed = False, True

    def deliver(self, samples: NDArray[np.int16], *, overflow: bool = False, late_s: float = 0.0) -> None:
        """One callback with samples (n,) or (n, channels), after the time they last plus `late_s`."""
        frames = samples.reshape(len(samples), -1)
        if frames.shape[1] != self.channels:
            frames = np.repeat(frames[:, :1], self.channels, axis=1)
        self.system.clock.advance(len(frames) / self.samplerate + late_s)
        status = SimpleNamespace(input_overflow=overflow)
        self.wanted["callback"](frames.astype(np.int16), len(frames), None, status)

    def play(self, seconds: float, level: int = 3000) -> None:
        """Deliver a hum in blocks of the size the stream was opened with."""
        size = self.wanted["blocksize"]
        for first in range(0, round(seconds * self.samplerate), size):
            at = np.arange(first, min(first + size, round(seconds * self.samplerate)))
            self.deliver((level * np.sin(2 * np.pi * 200 * at / self.samplerate)).astype(np.int16))

    def die(self) -> None:
        """The stream becomes inactive and says so."""
        self.started = False
        self.wanted["finished_callback"]()


class FakePortAudio:
    """`plugged` is the truth; what is listed is the truth as of the last start of PortAudio."""

    PortAudioError = FakePortAudioError

    def __init__(self, clock: FakeClock, devices: list[FakeDevice] | None = None, default: int = 0) -> None:
        self.clock = clock
        self.plugged = [FakeDevice("Built-in Microphone")] if devices is None else devices
        self.default_number = default
        self.streams: list[FakeStream] = []
        self.most_live = 0
        self.restarts = 0
        self.before_close: Callable[[], None] = lambda: None
        self._listed = list(self.plugged)

    # --- for tests

    def load(self) -> FakePortAudio:
        return self

    @property
    def live(self) -> list[FakeStream]:
        return [stream for stream in self.streams if stream.started]

    @property
    def stream(self) -> FakeStream:
        """The one live stream."""
        (stream,) = self.live
        return stream

    # --- sounddevice's surface

    @property
    def default(self) -> Any:
        index = self.default_number if self.default_number < len(self._listed) else -1
        return SimpleNamespace(device=(index, -1))

    def query_devices(self) -> list[dict[str, Any]]:
        return [
            {
                "name": device.name,
                "index": index,
                "hostapi": device.hostapi,
                "max_input_channels": device.channels,
                "max_output_channels": 0,
                "default_samplerate": float(device.rate),
            }
            for index, device in enumerate(self._listed)
        ]

    def query_hostapis(self) -> list[dict[str, Any]]:
        return [{"name": "ALSA"}, {"name": "JACK"}]

    def InputStream(self, **wanted: Any) -> FakeStream:  # noqa: N802 - sounddevice's name
        device = self._listed[wanted["device"]]
        if device not in self.plugged:
            raise FakePortAudioError("Error opening InputStream: Internal PortAudio error", -9986)
        if device.open_errors:
            raise FakePortAudioError("Error opening InputStream", device.open_errors.pop(0))
        if device.rates is not None and wanted["samplerate"] not in device.rates:
            raise FakePortAudioError("Error opening InputStream: Invalid sample rate", -9997)
        accepted = device.counts or tuple(range(1, device.channels + 1))
        if wanted["channels"] not in accepted:
            raise FakePortAudioError("Error opening InputStream: Invalid number of channels", -9998)
        stream = FakeStream(self, device, wanted)
        self.streams.append(stream)
        return stream

    def _terminate(self) -> None:
        for stream in self.live:
            stream.close()

    def _initialize(self) -> None:
        self.restarts += 1
        self._listed = list(self.plugged)
