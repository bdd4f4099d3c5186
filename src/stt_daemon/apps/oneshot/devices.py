"""Input devices as lines and as data. Pure; any thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stt_daemon.domain.text import plain

if TYPE_CHECKING:
    from stt_daemon.audio.device_names import InputDevice


def devices_data(devices: Sequence[InputDevice]) -> list[dict[str, Any]]:
    """One object a device, as `--json` shows it."""
    return [
        {key: plain(value) if isinstance(value, str) else value for key, value in asdict(device).items()}
        for device in devices
    ]


def devices_lines(devices: Sequence[InputDevice]) -> list[str]:
    """One line a device: `*` marks the default, the rest says what it is and how it is reached."""
    lines = []
    for device in devices:
        channels = "1 channel" if device.channels == 1 else f"{device.channels} channels"
        facts = [channels, f"{device.rate} Hz", plain(device.host_api)]
        facts += ["default"] if device.default else []
        facts += ["monitor: what the computer plays"] if device.monitor else []
        lines.append(f"{'*' if device.default else ' '} {plain(device.name)} ({', '.join(facts)})")
    return lines
