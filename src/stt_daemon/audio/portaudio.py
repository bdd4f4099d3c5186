"""The seam to PortAudio: what this room uses of sounddevice, and how its trouble is told.

sounddevice is imported inside `load_portaudio` only: the library behind it may be missing on a machine that
reads nothing but files.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from stt_daemon.audio.device_names import InputDevice, input_devices
from stt_daemon.errors import AudioError

log = logging.getLogger(__name__)

INVALID_RATE = -9997
INVALID_CHANNELS = -9998
STALE_LIST = (-9986, -9996, -9985, -9999)
"""Internal error, invalid device, device unavailable, host error: what opening says when the list that
PortAudio made at its start no longer describes the machine."""


class InputStream(Protocol):
    """The methods used of an open stream."""

    @property
    def samplerate(self) -> float: ...
    @property
    def channels(self) -> int: ...
    def start(self) -> None: ...
    def abort(self) -> None: ...
    def close(self) -> None: ...


class Backend(Protocol):
    """The surface of the sounddevice module that is used; `tests/fakes` has a scripted one."""

    PortAudioError: type[Exception]
    default: Any
    InputStream: Callable[..., InputStream]

    def query_devices(self) -> Any: ...
    def query_hostapis(self) -> Any: ...
    def _initialize(self) -> None: ...
    def _terminate(self) -> None: ...


BackendLoader: TypeAlias = Callable[[], Backend]


def load_portaudio() -> Backend:
    """Import sounddevice. Raises AudioError (code "portaudio") with a mend when the library is missing."""
    try:
        import sounddevice
    except (ImportError, OSError) as error:
        raise AudioError(
            f"PortAudio cannot be used: {error}",
            mend="install it: apt-get install libportaudio2, dnf install portaudio, brew install portaudio",
            code="portaudio",
        ) from error
    except Exception as error:
        # sounddevice initialises PortAudio as it is imported; that error class is then out of reach.
        raise AudioError(f"PortAudio does not start: {error}", code="portaudio") from error
    backend: Backend = sounddevice
    return backend


def list_devices(backend: Backend | None = None) -> list[InputDevice]:
    """All input devices. Raises AudioError when PortAudio is missing or does not answer."""
    backend = load_portaudio() if backend is None else backend
    try:
        infos = list(backend.query_devices())
        default_index = int(backend.default.device[0])
        return input_devices(infos, list(backend.query_hostapis()), default_index)
    except backend.PortAudioError as error:
        raise AudioError(f"the audio system does not list its devices: {error}", code="portaudio") from error


def refresh(backend: Backend) -> None:
    """Make PortAudio look again at what is plugged in. Only while no stream is open: it ends them all."""
    try:
        backend._terminate()
    except backend.PortAudioError as error:
        # It says so when an earlier start failed; starting is then exactly what is needed.
        log.warning("the audio system does not shut down: %s", error)
    try:
        backend._initialize()
    except backend.PortAudioError as error:
        raise AudioError(f"the audio system does not start again: {error}", code="portaudio") from error


def error_code(error: Exception) -> int:
    """PortAudio's number of an error; 0 when it carries none."""
    return error.args[1] if len(error.args) > 1 and isinstance(error.args[1], int) else 0
