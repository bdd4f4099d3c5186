"""Short ways to say what the tests of this room are not about."""

from __future__ import annotations

from stt_daemon.domain import Gap, Segment, Utterance
from stt_daemon.sessions import Journal

WALL = "2026-01-31T12:00:00.000+01:00"


def segment(wav: str, t0: float = 0.0, t1: float = 1.0) -> Segment:
    return Segment(
        wav=wav, reason="speech", t0=t0, t1=t1, speech_t0=t0, speech_t1=t1, voiced_s=t1 - t0, level_db=-20.0,
        wall=1_764_500_000.0,
    )  # fmt: skip


def say(
    journal: Journal,
    text: str,
    *,
    wav: str = "",
    t0: float = 0.0,
    t1: float = 1.0,
    logprob: float = -0.25,
    keep_wav: bool = True,
) -> Utterance | None:
    return journal.append_utterance(
        t0=t0, t1=t1, wall=WALL, speaker="Speaker", source="mic", text=text, language="en",
        wav=wav or f"{text}.wav", avg_logprob=logprob, no_speech_prob=0.01, keep_wav=keep_wav,
    )  # fmt: skip


def utterance(
    text: str, t0: float = 0.0, t1: float = 1.0, *, number: int = 1, speaker: str = "Speaker"
) -> Utterance:
    return Utterance(
        id=f"u{number}", seq=number, t0=t0, t1=t1, wall=WALL, speaker=speaker, source="mic",
        text=text, language="en", wav="a.wav", avg_logprob=-0.25, no_speech_prob=0.01,
    )  # fmt: skip


def gap(t0: float, t1: float, *, seq: int = 1, reason: str = "device lost") -> Gap:
    return Gap(seq, t0, t1, reason, WALL)
