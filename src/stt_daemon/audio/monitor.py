"""What the sound itself tells: level, clipping, digital silence, and whether speech is found in it.

Pure but for the clock it is given; used by the listener's thread.
"""

from __future__ import annotations

import numpy as np

from stt_daemon.audio.blocks import Block
from stt_daemon.audio.levels import FLOOR_DB, is_clipped, is_digital_silence
from stt_daemon.domain import SAMPLE_RATE, Clock
from stt_daemon.messages import LevelMeasured, Message, Warned

DIGITAL_SILENCE = "digital silence: muted or no permission"

LEVEL_S = 0.1
_LEVEL_APART_S = 0.095

CLIPPING_AGAIN_S = 60.0

SOUND_DB = -50.0
"""Louder than a quiet room at any sensible gain: something is being said, played or rattled."""

KEPT_WINDOW_S = 180.0
KEPT_AT_LEAST = 0.05
"""Share of such sound that should be speech. A meeting gives 0.5 to 0.95, one talker who pauses 0.3."""


class SoundMonitor:
    """Fed with every block; hands out the messages that follow. `silent`: in an episode of exact zeros."""

    def __init__(self, where: str, silence_alarm_s: float, clock: Clock) -> None:
        self.where = where
        self.silent = False
        self._alarm_s = silence_alarm_s
        self._clock = clock
        self._zero_s = 0.0
        self._power, self._count, self._clipped = 0.0, 0, False
        self._level_told = self._clipping_told = float("-inf")
        self._sound_s = self._voiced_s = 0.0
        self._ratio_told = False

    def observe(self, block: Block) -> list[Message]:
        """Levels, and warnings when something begins to be wrong."""
        messages: list[Message] = []
        clipped = block.clipped or is_clipped(block.samples)
        self._clipped |= clipped
        if clipped and self._clock.monotonic() - self._clipping_told >= CLIPPING_AGAIN_S:
            self._clipping_told = self._clock.monotonic()
            messages.append(self._warned("clipping", "the input is too loud and clips: lower its gain"))
        messages += self._observe_silence(block)
        values = block.samples.astype(np.float32) / 32768.0
        self._power += float(np.dot(values, values))
        self._count += len(values)
        if self._count >= LEVEL_S * SAMPLE_RATE:
            messages += self._level()
        return messages

    def connection_lost(self) -> None:
        """The sound is interrupted: an episode of zeros is over, whatever comes next."""
        self._zero_s, self.silent = 0.0, False

    def kept(self, voiced_s: float) -> None:
        """A segment with so much speech was closed."""
        self._voiced_s += voiced_s

    def _observe_silence(self, block: Block) -> list[Message]:
        if not is_digital_silence(block.samples):
            self._zero_s, self.silent = 0.0, False
            return []
        self._zero_s += len(block.samples) / SAMPLE_RATE
        # A hair less: the seconds are a sum of floats.
        if self.silent or self._zero_s < self._alarm_s - 1e-6:
            return []
        self.silent = True
        return [self._warned("digital_silence", DIGITAL_SILENCE)]

    def _level(self) -> list[Message]:
        db = max(FLOOR_DB, 10.0 * float(np.log10(max(self._power / self._count, 1e-12))))
        seconds, clipped = self._count / SAMPLE_RATE, self._clipped
        self._power, self._count = 0.0, 0
        messages = self._check_ratio(seconds) if db > SOUND_DB else []
        now = self._clock.monotonic()
        if now - self._level_told >= _LEVEL_APART_S:
            self._level_told, self._clipped = now, False
            messages.append(LevelMeasured(db=round(db, 1), clipping=clipped))
        return messages

    def _check_ratio(self, seconds: float) -> list[Message]:
        self._sound_s += seconds
        if self._sound_s < KEPT_WINDOW_S:
            return []
        voiced, sound = self._voiced_s, self._sound_s
        self._voiced_s = self._sound_s = 0.0
        if self._ratio_told or voiced >= KEPT_AT_LEAST * sound:
            return []
        self._ratio_told = True
        return [
            self._warned(
                "kept_ratio",
                f"only {voiced:.0f} of {sound:.0f} s of sound were taken for speech: check the input, "
                "or lower [vad].threshold; [audio].keep_raw = true keeps everything",
            )
        ]

    def _warned(self, code: str, message: str) -> Warned:
        return Warned(where=self.where, code=code, message=message)
