"""Decides whether what the model wrote down was said: nothing is invented, nothing that was said is lost.

Judged is by evidence (loudness, voicing, the model's own doubt), never by a list of suspicious sentences, so
it holds in any language and "Thank you, ship it Friday." stays. Pure, except `Repeats`, which is state owned
by one thread. Numbers marked "measured" come from tiny.en and base (int8) on silence, white and brown noise,
hum, tone, clicks and beeps, with and without a prompt, against telephone, lecture and reading voices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stt_daemon.domain import SAMPLE_RATE
from stt_daemon.lanes.labels import is_only_labels
from stt_daemon.lanes.loops import collapse_loops
from stt_daemon.lanes.words import norms, word_count

FRAME = SAMPLE_RATE * 30 // 1000

# dBFS of the loud frames. Clean speech turned down to 1/50 still measures -44 and is recognised without an
# error; the floor of a quiet line is -71; 16-bit audio under -60 has fewer than 10 bits of signal left.
MIN_LEVEL_DB = -60.0
# dB between loud and quiet frames. Measured: noise, hum and tone 0.0 to 0.9, speech 27 to 45 (padding
# included); speech in noise of equal power still moves by more than 3.
MIN_SPREAD_DB = 2.0
# A steadiness needs this many frames to be one.
MIN_STEADY_FRAMES = 15

# Doubt measured on sounds without speech: no-speech 0.66 to 0.98 with log probability under -0.9, or loops
# at -0.03; with a prompt no-speech falls to 0.4 but log probability under -2.2. On speech: no-speech up to
# 0.2 and log probability over -0.45, at worst 0.52 and -1.2 (two words between pauses).
SILENCE_NO_SPEECH = 0.6
SILENCE_LOGPROB = -0.9
CERTAIN_NO_SPEECH = 0.8
CERTAIN_LOGPROB = -0.5
GIBBERISH_LOGPROB = -2.0
RUNAWAY_RATIO = 2.4

# Words per voiced second; fast speech has 4, an auctioneer 6.
MAX_WORD_RATE = 8.0


@dataclass(frozen=True)
class Loudness:
    """`level_db`: 95th percentile of 30 ms frames, dBFS, at least -120. `spread_db`: from the 10th to it."""

    level_db: float
    spread_db: float
    frames: int


@dataclass(frozen=True)
class Evidence:
    """What speaks for or against a segment's text.

    `voiced_s` is None when nobody measured it (a file found after a crash). `compression_ratio` is UTF-8
    bytes over deflated bytes of the text; the log probability is per token, natural logarithm.
    """

    voiced_s: float | None
    level_db: float
    avg_logprob: float
    no_speech_prob: float
    compression_ratio: float

    def is_weak(self, text: str) -> bool:
        """Whether the text stands on little: too many words for the voice there was, or a doubting model."""
        crowded = self.voiced_s is not None and word_count(text) > MAX_WORD_RATE * max(self.voiced_s, 0.12)
        return (
            crowded
            or self.no_speech_prob > SILENCE_NO_SPEECH
            or self.avg_logprob < -0.8
            or self.compression_ratio > RUNAWAY_RATIO
        )


@dataclass(frozen=True)
class Verdict:
    """`text` to write down and `flags` on it; with a `dropped` reason there is no utterance."""

    text: str
    flags: tuple[str, ...] = ()
    dropped: str = ""


def measure(samples: NDArray[np.float32]) -> Loudness:
    """Loudness of mono audio at 16 kHz, -1 to 1. Audio shorter than a frame counts as silence."""
    count = len(samples) // FRAME
    if count == 0:
        return Loudness(-120.0, 0.0, 0)
    frames = samples[: count * FRAME].reshape(count, FRAME).astype(np.float64)
    decibels = 20 * np.log10(np.maximum(np.sqrt(np.mean(frames**2, axis=1)), 1e-6))
    quiet, loud = np.percentile(decibels, (10, 95))
    return Loudness(float(loud), float(loud - quiet), count)


def judge_sound(loudness: Loudness) -> str:
    """Why this audio cannot hold speech, before any model hears it; "" if it can."""
    if loudness.level_db < MIN_LEVEL_DB:
        return f"too quiet for speech ({loudness.level_db:.0f} dBFS)"
    if loudness.frames >= MIN_STEADY_FRAMES and loudness.spread_db < MIN_SPREAD_DB:
        return f"a steady sound, not speech ({loudness.level_db:.0f} dBFS)"
    return ""


def judge_text(text: str, evidence: Evidence, *, prompt: str = "", hotwords: tuple[str, ...] = ()) -> Verdict:
    """What becomes of a final text. `prompt` and `hotwords` are what the model had been given."""
    text = text.strip()
    if not text:
        return Verdict("", dropped="no words")
    if is_only_labels(text):
        return Verdict("", dropped="a sound label, no words")
    text, rounds = collapse_loops(text)
    flags = ("loop", f"loop:{rounds}") if rounds > 1 else ()
    why = _doubt(text, evidence, looped=rounds > 1) or _echo(text, evidence, prompt, hotwords)
    if why:
        return Verdict("", flags, why)
    return Verdict(text, flags)


def _doubt(text: str, evidence: Evidence, *, looped: bool) -> str:
    no_speech, logprob = evidence.no_speech_prob, evidence.avg_logprob
    if logprob < GIBBERISH_LOGPROB:
        return f"the model guesses (log probability {logprob:.1f})"
    unsure = no_speech > SILENCE_NO_SPEECH and logprob < SILENCE_LOGPROB
    certain = no_speech > CERTAIN_NO_SPEECH and (logprob < CERTAIN_LOGPROB or looped)
    if unsure or certain:
        return f"no speech (probability {no_speech:.2f})"
    if evidence.voiced_s is not None:
        crowded = word_count(text) > MAX_WORD_RATE * max(evidence.voiced_s, 0.12)
        if crowded and (no_speech > 0.3 or logprob < CERTAIN_LOGPROB):
            return f"more words than {evidence.voiced_s:.1f} s of voice can hold"
    return ""


def _echo(text: str, evidence: Evidence, prompt: str, hotwords: tuple[str, ...]) -> str:
    """A text that is the prompt again.

    The whole prompt is always one. A part of it, or a hotword or two, is only when the evidence is weak:
    people say the very words they configured.
    """
    said = norms(text)
    listed = norms(" ".join(hotwords))
    whole = norms(prompt)
    reason = "an echo of the prompt"
    for given in (whole, listed + whole):
        # The sentence itself, perhaps more than once or with its first or last word lost.
        if len(given) >= 2 and said and _is_rounds_of(said, given):
            return reason
        if len(given) >= 4 and len(said) >= 0.75 * len(given) and _contains(given, said):
            return reason
    if len(listed) >= 3 and said == listed:
        return reason
    if evidence.is_weak(text) and (_contains(whole, said) or _contains(listed, said)):
        return reason
    return ""


def _is_rounds_of(said: tuple[str, ...], given: tuple[str, ...]) -> bool:
    rounds, rest = divmod(len(said), len(given))
    return rest == 0 and said == given * rounds


def _contains(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return bool(part) and any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


class Repeats:
    """Watches texts that come again and again, segment after segment.

    On weak evidence the second of the same is dropped. On good evidence short answers always stay
    ("No." ten times), and a longer text stays three times; after that it is a recording or a loop, and one
    line with a count tells as much.
    """

    KEPT = 3
    SHORT_WORDS = 2.0

    def __init__(self) -> None:
        self._last: tuple[str, ...] = ()
        self._count = 0

    def judge(self, text: str, evidence: Evidence) -> str:
        """Why this text, the newest that would be written down, is left out; "" if it is not."""
        said = norms(text)
        if said != self._last:
            self._last, self._count = said, 1
            return ""
        self._count += 1
        long = word_count(text) > self.SHORT_WORDS
        if evidence.is_weak(text) or (long and self._count > self.KEPT):
            return f"the same text {self._count} times in a row"
        return ""
