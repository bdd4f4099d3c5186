"""Who gets which real part for listening: the source, the listener, the whisper lane.

The one place where configuration meets the rooms that do not know it. Nothing heavy is loaded here: the lane
loads its model in its own thread, the microphone its library when it is opened.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from stt_daemon.audio.blocks import Source
from stt_daemon.audio.file_source import FileSource
from stt_daemon.audio.listener import Listener
from stt_daemon.audio.microphone import Microphone
from stt_daemon.audio.raw_source import RawSource
from stt_daemon.config import Config
from stt_daemon.domain import Clock
from stt_daemon.lanes.loading import load_speech_engine
from stt_daemon.lanes.transcriber import Transcriber
from stt_daemon.lanes.whisper import WhisperLane

log = logging.getLogger(__name__)

Post = Callable[[object], None]
"""Puts something into the worker's inbox; any thread, never blocks."""


@dataclass(frozen=True)
class SourceChoice:
    """What `--source` named. `label` is the `source` of a transcript line and of a run in session.json."""

    kind: Literal["mic", "file", "raw"]
    label: str
    device: str = ""
    path: Path | None = None
    speed: Literal["realtime", "max"] = "realtime"

    @classmethod
    def of(cls, source: str, speed: Literal["realtime", "max"], device: str = "") -> SourceChoice:
        """Read "mic", "mic:NAME", "-" or a path; `device` is the configured name of a plain "mic"."""
        if source == "-":
            return cls("raw", "-")
        if source == "mic" or source.startswith("mic:"):
            name = source[4:].strip() or device
            return cls("mic", f"mic:{name}" if name else "mic", device=name)
        path = Path(source).expanduser().absolute()
        return cls("file", str(path), path=path, speed=speed)

    @property
    def live(self) -> bool:
        """Its time runs by itself."""
        return self.kind == "mic"

    @property
    def paced(self) -> bool:
        """Speech is heard when it is spoken, so the delay of its text means something."""
        return self.kind != "file" or self.speed == "realtime"


@dataclass(frozen=True)
class Start:
    """Where a run begins: `axis_start` is session seconds at the source's second 0, `start_at` a position in
    the source. `wall_of` labels session seconds with epoch seconds."""

    axis_start: float
    start_at: float
    folder: Path
    wall_of: Callable[[float], float]


def build_source(choice: SourceChoice, start: Start, clock: Clock) -> Source:
    """The real source. A file is checked when the listener opens it."""
    if choice.kind == "mic":
        return Microphone(choice.device, clock=clock, axis_start=start.axis_start + start.start_at)
    if choice.kind == "raw":
        return RawSource(axis_start=start.axis_start + start.start_at)
    assert choice.path is not None
    speed = 1.0 if choice.speed == "realtime" else None
    return FileSource(
        choice.path, clock=clock, speed=speed, axis_start=start.axis_start, start_at=start.start_at
    )


def build_listener(
    config: Config, source: Source, start: Start, *, partials: bool, post: Post, clock: Clock
) -> Listener:
    """A listener around a source, not started yet."""
    audio, vad, whisper = config.audio, config.vad, config.whisper
    return Listener(
        source,
        folder=start.folder,
        emit=post,
        clock=clock,
        wall_of=start.wall_of,
        threshold=vad.threshold,
        min_speech_ms=vad.min_speech_ms,
        end_silence_ms=vad.end_silence_ms,
        max_segment_s=vad.max_segment_s,
        pre_roll_ms=audio.pre_roll_ms,
        silence_alarm_s=audio.silence_alarm_s,
        keep_raw=audio.keep_raw,
        partial_interval_s=whisper.partial_interval_s if partials and whisper.partials else None,
    )


def build_whisper_lane(
    config: Config, *, offline: bool, marker: Path, post: Post, clock: Clock
) -> WhisperLane:
    """The lane with the configured model, not started yet. `marker`: see `load_speech_engine`."""
    whisper = config.whisper
    load = partial(
        load_speech_engine,
        whisper.model,
        device=whisper.device,
        compute_type=whisper.compute_type,
        cpu_threads=whisper.cpu_threads,
        language=whisper.language,
        offline=offline,
        marker=marker,
        on_notice=post,
    )
    transcriber = Transcriber(
        language=whisper.language,
        beam_size=whisper.beam_size,
        initial_prompt=whisper.initial_prompt,
        hotwords=whisper.hotwords,
        window=whisper.window,
    )
    return WhisperLane(load, transcriber=transcriber, on_outcome=post, on_state=post, clock=clock)


@dataclass(frozen=True)
class ListeningParts:
    """The parts a transcription worker is made of; a test replaces the source or the lane."""

    source: Callable[[SourceChoice, Start, Clock], Source] = build_source
    whisper_lane: Callable[..., WhisperLane] = build_whisper_lane
