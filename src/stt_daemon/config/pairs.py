"""Settings that are fine alone but impossible together. Pure; any thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stt_daemon.config.model import Config
from stt_daemon.config.sections import is_english_only

Key = tuple[str, str]
"""Section and key."""


@dataclass(frozen=True)
class Pair:
    """Keys that limit each other, when they cannot go together, and the reason with the mend."""

    keys: tuple[Key, ...]
    impossible: Callable[[Config], bool]
    reason: str


PAIRS = (
    Pair(
        (("whisper", "model"), ("whisper", "language")),
        lambda c: is_english_only(c.whisper.model) and c.whisper.language not in ("", "en"),
        'an English-only model takes the language "" or "en"; for others use a model without .en',
    ),
    Pair(
        (("vad", "min_speech_ms"), ("vad", "max_segment_s")),
        lambda c: c.vad.min_speech_ms >= c.vad.max_segment_s * 1000,
        "no segment could be long enough to count as speech; min_speech_ms must be below max_segment_s",
    ),
    Pair(
        (("vad", "end_silence_ms"), ("vad", "max_segment_s")),
        lambda c: c.vad.end_silence_ms >= c.vad.max_segment_s * 1000,
        "every segment would be cut before its pause is noticed; end_silence_ms must be below max_segment_s",
    ),
    Pair(
        (("audio", "pre_roll_ms"), ("vad", "min_speech_ms"), ("vad", "max_segment_s")),
        lambda c: (
            c.vad.min_speech_ms < c.vad.max_segment_s * 1000 <= c.audio.pre_roll_ms + c.vad.min_speech_ms
        ),
        "the lead-in leaves no room for speech; pre_roll_ms and min_speech_ms must fit into max_segment_s",
    ),
    Pair(
        (("whisper", "partial_interval_s"), ("whisper", "partials"), ("vad", "max_segment_s")),
        lambda c: c.whisper.partials and c.whisper.partial_interval_s >= c.vad.max_segment_s,
        "no preview would ever be due; partial_interval_s must be below max_segment_s, or partials false",
    ),
    Pair(
        (("audio", "device"), ("audio", "source")),
        lambda c: (
            c.audio.source.startswith("mic:")
            and c.audio.device not in ("", c.audio.source.removeprefix("mic:"))
        ),
        "two microphones are named; name it in one of them",
    ),
    Pair(
        (("llm", "output_reserve"), ("llm", "context_tokens")),
        lambda c: 0 < c.llm.context_tokens <= c.llm.output_reserve,
        "nothing of the context is left for a prompt; output_reserve must be below context_tokens",
    ),
    Pair(
        (("llm", "max_tokens"), ("llm", "context_tokens")),
        lambda c: 0 < c.llm.context_tokens <= c.llm.max_tokens,
        "the reply alone would fill the context; max_tokens must be below context_tokens",
    ),
    Pair(
        (
            ("triage", "extract_max_tokens"),
            ("triage", "enabled"),
            ("triage", "extract_enabled"),
            ("llm", "context_tokens"),
        ),
        lambda c: (
            c.triage.enabled
            and c.triage.extract_enabled
            and 0 < c.llm.context_tokens <= c.triage.extract_max_tokens
        ),
        "the brief alone would fill the context; extract_max_tokens must be below context_tokens",
    ),
    Pair(
        (("summary", "flush_every_n"), ("summary", "flush_every_s"), ("summary", "enabled")),
        lambda c: c.summary.enabled and not c.summary.flush_every_n and not c.summary.flush_every_s,
        "nothing would ever update the summary; set one of the two above 0",
    ),
)
