"""A transcription worker on a microphone that never waits: the shipped clip plays in real time, once.

The clip's first sample sounds when the device is first opened. That moment is kept beside the journal, so
that a worker that takes over hears what sounds then, as it would in a room. `worker` is the app to spawn.
"""

from __future__ import annotations

import threading
import time
import wave
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stt_daemon.apps.transcription import run
from stt_daemon.audio.blocks import Source
from stt_daemon.audio.microphone import Microphone
from stt_daemon.channels import ChildContext
from stt_daemon.domain import SAMPLE_RATE, Clock
from stt_daemon.wiring.listening import ListeningParts, SourceChoice, Start

CLIP = Path(__file__).parents[2] / "src" / "stt_daemon" / "data" / "jfk.wav"
BEGUN = "playing-since"


class Room:
    """What sounds: the clip from its first moment on, then the hum of a quiet room."""

    def __init__(self, begun: Path) -> None:
        with wave.open(str(CLIP)) as file:
            self._clip = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        self._begun = begun

    def since(self) -> float:
        """Epoch seconds of the clip's first sample; now, when nobody has listened before."""
        if not self._begun.exists():
            self._begun.write_text(str(time.time()), "utf-8")
        return float(self._begun.read_text("utf-8"))

    def sound(self, first: int, count: int) -> NDArray[np.int16]:
        heard = self._clip[first : first + count]
        hum = np.random.default_rng(first).integers(-3, 4, count - len(heard), dtype=np.int16)
        return np.concatenate([heard, hum])


class _Stream:
    """Calls back for each block as soon as all of it has sounded, from a thread of its own."""

    def __init__(self, room: Room, wanted: dict[str, Any]) -> None:
        self.samplerate, self.channels = float(wanted["samplerate"]), int(wanted["channels"])
        self._room, self._wanted = room, wanted
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._play, name="fake-portaudio", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def abort(self) -> None:
        self._over.set()

    def close(self) -> None:
        self._over.set()

    def _play(self) -> None:
        since, size = self._room.since(), int(self._wanted["blocksize"])
        at = max(0, int((time.time() - since) * SAMPLE_RATE))
        while not self._over.wait(max(0.0, since + (at + size) / SAMPLE_RATE - time.time())):
            status = SimpleNamespace(input_overflow=False)
            self._wanted["callback"](self._room.sound(at, size)[:, None], size, None, status)
            at += size


class _PortAudioError(Exception):
    pass


class LivePortAudio:
    """The surface of sounddevice that is used: one device, mono, at the rate the clip has."""

    PortAudioError = _PortAudioError
    default = SimpleNamespace(device=(0, -1))

    def __init__(self, room: Room) -> None:
        self._room = room

    def query_devices(self) -> list[dict[str, Any]]:
        return [
            {
                "name": "Live Microphone",
                "index": 0,
                "hostapi": 0,
                "max_input_channels": 1,
                "max_output_channels": 0,
                "default_samplerate": float(SAMPLE_RATE),
            }
        ]

    def query_hostapis(self) -> list[dict[str, Any]]:
        return [{"name": "ALSA"}]

    def InputStream(self, **wanted: Any) -> _Stream:  # noqa: N802 - sounddevice's name
        if wanted["samplerate"] != SAMPLE_RATE:
            raise _PortAudioError("Invalid sample rate", -9997)
        return _Stream(self._room, wanted)

    def _initialize(self) -> None:
        pass

    def _terminate(self) -> None:
        pass


def worker(context: ChildContext) -> int:
    """The real worker with real weights; only PortAudio is not real."""
    folder = Path(context.configured.session_dir)
    folder.mkdir(parents=True, exist_ok=True)

    def microphone(choice: SourceChoice, start: Start, clock: Clock) -> Source:
        backend = LivePortAudio(Room(folder / BEGUN))
        begins = start.axis_start + start.start_at
        return Microphone(choice.device, clock=clock, axis_start=begins, backend=lambda: backend)

    return run(context, ListeningParts(source=microphone))
