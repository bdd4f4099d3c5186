"""A speech engine that moves when its place gives way: another number format, then the processor.

Worker thread only. The audio at hand is tried once more after each move, so no segment is lost to it.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from stt_daemon.errors import ModelError
from stt_daemon.lanes.language import LanguageGuess
from stt_daemon.lanes.placement import Placement, Trouble, next_place, trouble_of
from stt_daemon.lanes.speech_engine import Heard, Samples, SpeechEngine, Window
from stt_daemon.messages import Warned

log = logging.getLogger(__name__)

AnswerT = TypeVar("AnswerT")

_CAUSE: dict[Trouble, str] = {
    "compute_type": "the number format is not supported here",
    "cuda": "a CUDA library is missing or unusable",
    "memory": "memory ran out",
}


class FallbackEngine:
    """Owns one engine at a time, made by `build` at one of `places`; loads at construction.

    A library that is missing can abort the process instead of raising, at the first call after a clean
    load. So before a GPU is touched a `marker` file is written, and removed once the (warmed) engine
    stands. A marker that is found tells that the last process died there: the GPU is left alone as long as
    the file exists, which the notice names.

    `on_notice` hears of each kind of trouble once. Raises ModelError when no place works; an error that has
    nothing to do with the place passes through.
    """

    def __init__(
        self,
        build: Callable[[Placement], SpeechEngine],
        places: Sequence[Placement],
        *,
        on_notice: Callable[[Warned], None],
        marker: Path | None = None,
    ) -> None:
        self._build = build
        self._places = tuple(places)
        self._on_notice = on_notice
        self._marker = marker
        self._told: set[str] = set()
        self._place = self._places[0]
        if self._place.device == "cuda" and marker is not None and marker.exists():
            self._places = tuple(place for place in self._places if place.device != "cuda")
            self._place = self._places[0]
            self._tell(
                "cuda_abort",
                "the last start died at its first use of the GPU, most likely for a missing or unfit cuDNN "
                f'library; transcribing on the processor (install cuDNN, or set [whisper].device = "cpu"; '
                f"remove {marker} to try the GPU again)",
            )
        self._engine: SpeechEngine | None = self._open()

    @property
    def place(self) -> Placement:
        """Where the engine runs now."""
        return self._place

    @property
    def description(self) -> str:
        return self._present().description

    @property
    def english_only(self) -> bool:
        return self._present().english_only

    def detect_language(self, samples: Samples) -> LanguageGuess:
        return self._try(lambda engine: engine.detect_language(samples))

    def transcribe(
        self,
        samples: Samples,
        *,
        language: str,
        beam_size: int = 1,
        initial_prompt: str = "",
        hotwords: tuple[str, ...] = (),
        window: Window = "auto",
        retry: bool = True,
    ) -> Heard:
        return self._try(
            lambda engine: engine.transcribe(
                samples,
                language=language,
                beam_size=beam_size,
                initial_prompt=initial_prompt,
                hotwords=hotwords,
                window=window,
                retry=retry,
            )
        )

    def _try(self, call: Callable[[SpeechEngine], AnswerT]) -> AnswerT:
        while True:
            engine = self._present()
            try:
                return call(engine)
            except Exception as error:
                if trouble_of(error, self._place.device) is None:
                    raise
                failure = error
            # Outside the handler: the traceback would keep the poisoned model, and its memory, alive.
            del engine
            failure.__traceback__ = None
            self._move(failure)

    def _present(self) -> SpeechEngine:
        if self._engine is None:
            self._engine = self._open()
        return self._engine

    def _open(self) -> SpeechEngine:
        while True:
            marked = self._place.device == "cuda" and self._marker is not None
            try:
                if marked:
                    self._mark()
                return self._build(self._place)
            except Exception as error:
                if trouble_of(error, self._place.device) is None:
                    raise
                failure = error
            finally:
                # Reached by every way out but the death of the process.
                if marked and self._marker is not None:
                    self._marker.unlink(missing_ok=True)
            failure.__traceback__ = None
            self._move(failure)

    def _mark(self) -> None:
        assert self._marker is not None
        try:
            self._marker.write_text("the GPU was about to be used for the first time\n", encoding="utf-8")
        except OSError as error:
            log.warning("%s cannot be written: %s", self._marker, error)

    def _move(self, error: Exception) -> None:
        """Drop the engine and choose the next place; ModelError if there is none."""
        trouble = trouble_of(error, self._place.device)
        assert trouble is not None
        place = next_place(self._places, self._place, trouble)
        if place is None:
            raise ModelError(
                f"the speech model cannot run ({self._place}): {error}",
                mend="a smaller [whisper].model needs less memory" if trouble == "memory" else "",
            ) from error
        self._engine = None
        gc.collect()
        log.warning("leaving %s: %s", self._place, error)
        self._tell(trouble, f"{_CAUSE[trouble]} ({self._place}: {error}); now using {place}")
        self._place = place

    def _tell(self, code: str, message: str) -> None:
        if code not in self._told:
            self._told.add(code)
            self._on_notice(Warned(where="whisper", code=code, message=message))
