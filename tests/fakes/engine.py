"""A speech engine whose answers a test queues up; behind the real lane it stands for a model."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

import numpy as np

from stt_daemon.lanes.language import LanguageGuess
from stt_daemon.lanes.speech_engine import NOTHING_HEARD, Heard, Piece, Samples, Window


def heard(
    text: str,
    *,
    language: str = "en",
    probability: float = 0.99,
    avg_logprob: float = -0.2,
    no_speech_prob: float = 0.02,
    compression_ratio: float = 1.2,
    tokens: int = 10,
) -> Heard:
    """What an engine returns for clear speech, unless told otherwise."""
    piece = Piece(text, 0.0, 1.0, avg_logprob, no_speech_prob, compression_ratio, tokens)
    return Heard((piece,), language, probability)


def speechlike(seconds: float = 2.0, level: float = 0.1, seed: int = 1) -> Samples:
    """Noise in bursts of a fifth of a second: as loud and as restless as speech, and not speech."""
    count = int(seconds * 16_000)
    noise = np.random.default_rng(seed).normal(size=count) * level
    bursts = (np.arange(count) // 3200) % 2 == 0
    return (noise * np.where(bursts, 1.0, 0.02)).astype(np.float32)


@dataclass(frozen=True)
class Call:
    """One use of the fake engine."""

    samples: Samples
    language: str
    beam_size: int
    initial_prompt: str
    hotwords: tuple[str, ...]
    window: Window
    retry: bool


class FakeEngine:
    """Gives the queued answers in order, an exception by raising it; then the last one for ever.

    `hold()` makes each call wait until `release()`; `entered` is set when a call has begun.
    """

    def __init__(
        self,
        *answers: Heard | Exception,
        guesses: tuple[LanguageGuess, ...] = (LanguageGuess("en", 0.99),),
        english_only: bool = False,
        description: str = "fake, int8 on cpu",
    ) -> None:
        self.english_only = english_only
        self.description = description
        self.calls: list[Call] = []
        self.guessed = 0
        self.threads: set[str] = set()
        self.entered = threading.Event()
        self._answers = deque(answers)
        self._guesses = deque(guesses)
        self._last: Heard | Exception = NOTHING_HEARD
        self._gate = threading.Event()
        self._gate.set()

    def hold(self) -> None:
        self._gate.clear()

    def release(self) -> None:
        self._gate.set()

    def detect_language(self, samples: Samples) -> LanguageGuess:
        self.guessed += 1
        return self._guesses.popleft() if len(self._guesses) > 1 else self._guesses[0]

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
        self.threads.add(threading.current_thread().name)
        self.calls.append(Call(samples, language, beam_size, initial_prompt, hotwords, window, retry))
        self.entered.set()
        if not self._gate.wait(30):
            raise TimeoutError("nobody released the fake engine")
        if self._answers:
            self._last = self._answers.popleft()
        if isinstance(self._last, Exception):
            raise self._last
        return self._last
