"""Speech on its way from sound to text: segment, utterance, gap, turn.

All times named `t0`, `t1`, `t` are seconds on the session's axis: 0 is the session's start for a live
source, the source's own first sample for a file. `wall` is a label and never used to order anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SAMPLE_RATE = 16_000
"""Hertz. Everything behind the capture edge is mono, 16-bit, at this rate: what Whisper and Silero read."""

BYTES_PER_SAMPLE = 2

SegmentReason = Literal["speech", "max", "stop", "lost"]
"""Why a segment ended: a pause, the length limit, the end of capture, a lost device or a crash."""


@dataclass(frozen=True)
class Segment:
    """One closed stretch of audio that is on disk and waits for the whisper lane.

    `t0` to `t1` is what the WAV holds, padding included; `speech_t0` to `speech_t1` runs from the first to
    the last voiced frame. `voiced_s` is how much of it the detector called speech, `level_db` the loudness
    of its loud parts (95th percentile of 30 ms frames, dBFS): both are evidence for the guards.
    `wav` is the file's name inside the session's `audio` folder and the segment's identity.
    """

    wav: str
    reason: SegmentReason
    t0: float
    t1: float
    speech_t0: float
    speech_t1: float
    voiced_s: float
    level_db: float
    wall: float

    @property
    def duration_s(self) -> float:
        return self.t1 - self.t0


@dataclass(frozen=True)
class Utterance:
    """One line of the transcript, final. `seq` orders it; `t0`, `t1` bound the voiced part.

    `wall` is ISO 8601 with offset, `wav` the audio file's name inside `audio` ("" once it was deleted),
    `flags` names what a reader should know ("loop", "forced_cut", ...).
    """

    id: str
    seq: int
    t0: float
    t1: float
    wall: str
    speaker: str
    source: str
    text: str
    language: str
    wav: str
    avg_logprob: float
    no_speech_prob: float
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gap:
    """A stretch in which nothing was recorded. `reason` is one readable phrase ("device lost", ...)."""

    seq: int
    t0: float
    t1: float
    reason: str
    wall: str


@dataclass(frozen=True)
class Turn:
    """What was said until it was quiet for `turn_gap_s`: utterance ids in order."""

    utterances: tuple[str, ...]
    t0: float
    t1: float
