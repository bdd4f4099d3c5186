"""Whisper's long form behind the lane's engine port: audio of any length, decoded in one call.

Imports no model library until an engine is made. One thread.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from stt_daemon.lanes.language import LanguageGuess
from stt_daemon.lanes.speech_engine import NOTHING_HEARD, Heard, Piece, Samples, Window

if TYPE_CHECKING:
    from stt_daemon.lanes.model_files import ModelFiles
    from stt_daemon.lanes.placement import Placement

log = logging.getLogger(__name__)


class Announcer:
    """Where an engine tells how far it is, in seconds; whoever waits sets `listener`."""

    def __init__(self) -> None:
        self.listener: Callable[[float], None] | None = None

    def __call__(self, seconds: float) -> None:
        if self.listener is not None:
            self.listener(seconds)


class LongFormEngine:
    """A speech engine for audio of any length, with Whisper's own stepping from timestamp to timestamp."""

    def __init__(
        self, files: ModelFiles, place: Placement, *, language: str, cpu_threads: int, announcer: Announcer
    ) -> None:
        from tqdm import tqdm

        self._language = "en" if files.english_only else language
        # Before the library is imported: with its stock lock tqdm leaves a semaphore behind.
        tqdm.set_lock(threading.RLock())
        from faster_whisper import WhisperModel

        self._model: Any = WhisperModel(
            str(files.folder), device=place.device, compute_type=place.compute_type, cpu_threads=cpu_threads
        )
        self._announcer = announcer
        self.english_only = files.english_only
        self.description = f"{files.name}, {place}"

    def detect_language(self, samples: Samples) -> LanguageGuess:
        language, probability, _ = self._model.detect_language(samples)
        return LanguageGuess(str(language), float(probability))

    def transcribe(
        self,
        samples: Samples,
        *,
        language: str,
        beam_size: int = 5,
        initial_prompt: str = "",
        hotwords: tuple[str, ...] = (),
        window: Window = "full",
        retry: bool = True,
    ) -> Heard:
        try:
            found, info = self._model.transcribe(
                samples,
                language=self._language or language or None,
                beam_size=beam_size,
                initial_prompt=initial_prompt or None,
                hotwords=", ".join(hotwords) or None,
                condition_on_previous_text=False,
                vad_filter=True,
            )
            pieces = tuple(self._pieces(found))
        except ValueError as error:
            if "empty sequence" in str(error) or "arg is an empty" in str(error):
                log.info("no speech was left to detect a language in: %s", error)
                return NOTHING_HEARD
            raise
        return Heard(pieces, str(info.language), float(info.language_probability))

    def _pieces(self, found: Any) -> Iterator[Piece]:
        for piece in found:
            self._announcer(float(piece.end))
            yield Piece(
                text=str(piece.text),
                t0=float(piece.start),
                t1=float(piece.end),
                avg_logprob=_finite(piece.avg_logprob, -99.0),
                no_speech_prob=_finite(piece.no_speech_prob, 1.0),
                compression_ratio=float(piece.compression_ratio),
                tokens=len(piece.tokens),
            )


def _finite(value: float, otherwise: float) -> float:
    return float(value) if math.isfinite(value) else otherwise
