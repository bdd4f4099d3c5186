"""Input devices as people know them: names, the default, monitors of what the speakers play.

Pure functions over what PortAudio lists; any thread.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stt_daemon.errors import AudioError

_HARDWARE = re.compile(r"\s*\((?:plug)?hw:[^)]*\)\s*$")
_MONITOR = re.compile(
    r"\bmonitor\b|\bloopback\b|stereo mix|what u hear|blackhole|soundflower|\bwave out mix\b", re.IGNORECASE
)
_VIRTUAL = {
    "default": "System default",
    "sysdefault": "System default (ALSA)",
    "pulse": "PulseAudio",
    "pipewire": "PipeWire",
    "jack": "JACK",
}


@dataclass(frozen=True)
class InputDevice:
    """One thing that can be recorded from. `monitor`: it hears what the computer plays, not the room."""

    name: str
    index: int
    default: bool
    monitor: bool
    channels: int
    rate: int
    host_api: str


def human_name(raw: str) -> str:
    """Without hardware addresses, control characters and doubled blanks; virtual devices by what they are.

    Device names come from outside: nothing that could steer a terminal passes.
    """
    plain = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") else c for c in raw)
    plain = " ".join(_HARDWARE.sub("", plain).split())
    return _VIRTUAL.get(plain.lower(), plain) or "unnamed device"


def is_monitor(name: str) -> bool:
    """Whether a name is that of a loopback source."""
    return _MONITOR.search(name) is not None


def input_devices(
    infos: Sequence[Mapping[str, Any]], host_apis: Sequence[Mapping[str, Any]], default_index: int
) -> list[InputDevice]:
    """What can be recorded from, in PortAudio's order. Equal names in one host API get `#2`, `#3`."""
    devices: list[InputDevice] = []
    seen: dict[tuple[str, int], int] = {}
    for index, info in enumerate(infos):
        channels = int(info["max_input_channels"])
        if channels < 1:
            continue
        api = int(info["hostapi"])
        name = human_name(str(info["name"]))
        seen[name, api] = count = seen.get((name, api), 0) + 1
        devices.append(
            InputDevice(
                name=name if count == 1 else f"{name} #{count}",
                index=index,
                default=index == default_index,
                monitor=is_monitor(str(info["name"])),
                channels=channels,
                rate=int(info["default_samplerate"]),
                host_api=str(host_apis[api]["name"]) if api < len(host_apis) else "",
            )
        )
    return devices


def find_device(devices: Sequence[InputDevice], wanted: str) -> InputDevice:
    """The device a user named: the exact name first, else the one whose name holds the text, in any case.

    Raises AudioError with code "no_device" or "ambiguous_device", naming the devices there are. The same
    name in several host APIs is one device seen several times: the default's host API wins, then the first.
    """
    text = " ".join(wanted.split()).casefold()
    exact = [device for device in devices if device.name.casefold() == text]
    matching = exact or [device for device in devices if text in device.name.casefold()]
    if not matching:
        names = _listed(devices)
        raise AudioError(
            f"no input device matches {wanted!r}; there are: {names}" if names else "no input device",
            mend="plug it in, or name one of those" if names else "plug a microphone in",
            code="no_device",
        )
    if len({device.name.casefold() for device in matching}) > 1:
        raise AudioError(
            f"{wanted!r} matches several input devices: {_listed(matching)}",
            mend="write the full name of one",
            code="ambiguous_device",
        )
    home = next((device.host_api for device in devices if device.default), "")
    return next((device for device in matching if device.host_api == home), matching[0])


def _listed(devices: Sequence[InputDevice]) -> str:
    return ", ".join(dict.fromkeys(device.name for device in devices))
