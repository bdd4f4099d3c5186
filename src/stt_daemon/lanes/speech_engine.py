"""The port between the whisper lane and a speech recogniser.

Types only. An engine is made and used in the lane's worker thread and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from stt_daemon.lanes.language import LanguageGuess

Samples = NDArray[np.float32]
"""Mono audio at 16 kHz, -1 to 1, shape (n,)."""

Window = Literal["auto", "full"]
"""How much padding the encoder sees: as much as a segment needs, or always 30 s."""


@dataclass(frozen=True)
class Piece:
    """One decoded stretch; a segment of up to 30 s gives one at most. `t0`, `t1`: seconds into the audio."""

    text: str
    t0: float
    t1: float
    avg_logprob: float
    no_speech_prob: float
    compression_ratio: float
    tokens: int


@dataclass(frozen=True)
class Heard:
    """All that an engine makes of one piece of audio. No pieces: it heard nothing."""

    pieces: tuple[Piece, ...]
    language: str
    language_probability: float

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces).strip()

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    @property
    def avg_logprob(self) -> float:
        """Mean over the tokens of all pieces; 0 when there are none."""
        return self._mean([piece.avg_logprob for piece in self.pieces])

    @property
    def no_speech_prob(self) -> float:
        """Mean over the tokens of all pieces; 1 when there are none."""
        return self._mean([piece.no_speech_prob for piece in self.pieces]) if self.pieces else 1.0

    @property
    def compression_ratio(self) -> float:
        """The worst of all pieces."""
        return max((piece.compression_ratio for piece in self.pieces), default=0.0)

    def _mean(self, values: list[float]) -> float:
        weights = [max(piece.tokens, 1) for piece in self.pieces]
        return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights) if values else 0.0


NOTHING_HEARD = Heard((), "", 0.0)


class SpeechEngine(Protocol):
    """A loaded recogniser."""

    @property
    def description(self) -> str:
        """For people: model, number format and device ("tiny.en, int8 on cpu")."""

    @property
    def english_only(self) -> bool:
        """Whether the weights know English alone."""

    def detect_language(self, samples: Samples) -> LanguageGuess:
        """The most likely language; an empty guess if the audio is too short to tell."""

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
        """Recognise one segment. `language` "" means detect.

        Without `retry` a suspicious result is returned as it is, for callers who are in a hurry. Raises
        ModelError when the model cannot run here.
        """
