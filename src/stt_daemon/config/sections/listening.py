"""`[audio]`, `[vad]` and `[whisper]`: from the microphone to the text."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from stt_daemon.config.fields import Accepts, FilePath, LongText, Name, NameList, Section, Text

_LANGUAGES = """
af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu
hy id is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt
ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh
"""

WHISPER_LANGUAGES = frozenset(_LANGUAGES.split())
"""The language codes that Whisper's tokenizer knows."""

_ENGLISH_ONLY = re.compile(r"\.en(?:$|[-_.])", re.IGNORECASE)


def is_english_only(model: str) -> bool:
    """Whether a model's name or folder says that it knows English alone (`tiny.en`, `.../medium.en-int8`).

    A folder of the hub's cache names its model two levels up; its own name is a revision.
    """
    parts = [part for part in re.split(r"[/\\]", model) if part]
    named = parts[-1:] + [part for part in parts[:-1] if part.startswith("models--")]
    return any(_ENGLISH_ONLY.search(part) for part in named)


def _whisper_language(code: str) -> str:
    if code and code not in WHISPER_LANGUAGES:
        raise ValueError("Whisper knows no such language code")
    return code


def _audio_source(source: str) -> str:
    if source.startswith("mic:") and not source[4:].strip():
        raise ValueError("the name of the microphone is missing")
    return source


class AudioConfig(Section):
    """Where sound comes from and what is kept of it."""

    source: Annotated[
        FilePath,
        AfterValidator(_audio_source),
        Accepts('"mic", "mic:NAME", the path of a sound file, or "-" for raw 16 kHz sound on standard input'),
    ] = "mic"
    """What to listen to when `up` is started without `--source`."""
    device: Text = ""
    """The microphone's name, or enough of it, as `stt-daemon devices` shows it. Empty: the default one."""
    keep: bool = True
    """Keep the WAV file of each segment. With false it is deleted as soon as its text is written down."""
    keep_raw: bool = False
    """Also write everything that was captured, silence included, to `audio/raw.wav`."""
    pre_roll_ms: int = Field(default=300, ge=0, le=2000)
    """How much sound from before the detected start belongs to a segment, in milliseconds."""
    speaker_label: Name = "Speaker"
    """The name in front of each transcript line."""
    silence_alarm_s: float = Field(default=5.0, gt=0, le=3600)
    """After how many seconds of exact digital zeros the microphone is reported as muted or not permitted."""


class VadConfig(Section):
    """How speech is told from everything else."""

    threshold: float = Field(default=0.5, gt=0, lt=1)
    """How sure the detector must be that a frame is speech. Lower hears more, noise too."""
    min_speech_ms: int = Field(default=120, ge=0, le=5000)
    """Speech shorter than this many milliseconds is taken for a click or a cough."""
    end_silence_ms: int = Field(default=700, ge=100, le=10_000)
    """How long it must be quiet until a segment ends, in milliseconds. Lower answers sooner, cuts more."""
    max_segment_s: float = Field(default=28.0, ge=1, le=30)
    """A segment this long, in seconds, is cut at its quietest point. Whisper hears 30 s at once."""


class WhisperConfig(Section):
    """How speech becomes text."""

    model: Annotated[FilePath, Accepts('"auto", the name of a Whisper model, or the path of its folder')] = (
        "auto"
    )
    """A model's name ("small", "tiny.en" ...), its folder, or "auto": an installed package, else "small"."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the model runs. "auto" takes a graphics card that works, else the processor."""
    compute_type: Literal[
        "auto",
        "int8",
        "int8_float32",
        "int8_float16",
        "int8_bfloat16",
        "int16",
        "float16",
        "bfloat16",
        "float32",
    ] = "auto"
    """The arithmetic of the model. "auto" takes the fastest that the device supports."""
    language: Annotated[
        str,
        AfterValidator(_whisper_language),
        Accepts('a language code that Whisper knows, such as "en", "de" or "fr", or "" to find out'),
    ] = ""
    """What is spoken. Empty: it is found out from the speech. An `.en` model fixes it to "en"."""
    beam_size: int = Field(default=0, ge=0, le=20)
    """How many readings are weighed against each other. 0: one while listening live, five in `transcribe`."""
    partials: bool = True
    """Show words while they are still being spoken."""
    partial_interval_s: float = Field(default=1.0, ge=0.2, le=30)
    """The least time between two such previews of one utterance, in seconds."""
    initial_prompt: LongText = ""
    """A sentence in the style of what will be said; it tells the model about names and spelling."""
    hotwords: NameList = ()
    """Rare words the model should expect."""
    cpu_threads: int = Field(default=0, ge=0, le=256)
    """Threads for the model on the processor. 0: the library decides."""
    window: Literal["auto", "full"] = "auto"
    """How much the model encodes: "auto" is little more than the speech (faster), "full" always 30 s."""
