"""A short listen to a device, for diagnosis. Blocks its caller for about the asked time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stt_daemon.audio.blocks import Block, Samples, SourceState
from stt_daemon.audio.levels import is_clipped, is_digital_silence, level_db
from stt_daemon.audio.microphone import Microphone
from stt_daemon.audio.monitor import DIGITAL_SILENCE
from stt_daemon.audio.portaudio import BackendLoader, load_portaudio
from stt_daemon.domain import SAMPLE_RATE, Clock, SystemClock
from stt_daemon.errors import AudioError

PATIENCE_S = 3.5
"""A headset may need two seconds to its first sample."""


@dataclass(frozen=True)
class LevelProbe:
    """What was heard. `db` is None when nothing was, and `reason` says why; it also names digital silence."""

    device: str
    rate: int
    db: float | None
    clipping: bool
    reason: str


def probe_level(
    device: str = "",
    *,
    seconds: float = 0.5,
    backend: BackendLoader = load_portaudio,
    clock: Clock | None = None,
    poll_s: float = 0.1,
) -> LevelProbe:
    """Open the default or named microphone and measure its level. Raises nothing a device can cause."""
    clock = SystemClock() if clock is None else clock
    microphone = Microphone(device, clock=clock, backend=backend, poll_s=poll_s)
    heard: list[Samples] = []
    reason = ""
    try:
        microphone.open()
        deadline = clock.monotonic() + PATIENCE_S + seconds
        while sum(map(len, heard)) < seconds * SAMPLE_RATE and clock.monotonic() < deadline:
            item = microphone.read()
            if isinstance(item, Block):
                heard.append(item.samples)
            elif isinstance(item, SourceState) and item.state == "lost":
                reason = item.reason
                break
    except AudioError as error:
        reason = f"{error} ({error.mend})" if error.mend else str(error)
    finally:
        microphone.close()
    if not heard:
        return LevelProbe(
            microphone.name, microphone.rate, None, False, reason or "the device delivers no sound"
        )
    samples = np.concatenate(heard)
    reason = DIGITAL_SILENCE if is_digital_silence(samples) else reason
    return LevelProbe(microphone.name, microphone.rate, level_db(samples), is_clipped(samples), reason)
