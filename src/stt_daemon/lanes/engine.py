"""The speech engine on faster-whisper. Worker thread only; importing this module loads no model library."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from stt_daemon.domain import SAMPLE_RATE
from stt_daemon.lanes.language import LanguageGuess
from stt_daemon.lanes.loops import comes_twice, repeats_itself
from stt_daemon.lanes.placement import Placement
from stt_daemon.lanes.speech_engine import NOTHING_HEARD, Heard, Piece, Samples, Window

log = logging.getLogger(__name__)

FRAMES_PER_S = 100
WINDOW_S = 30.0
FULL_FRAMES = int(WINDOW_S) * FRAMES_PER_S

# The encoder's cost grows with its window, and most segments are far shorter than the 30 s it was trained
# on. It needs to see some silence after the words, or the decoder repeats itself: with 1 s of margin 12 %
# word errors, with 2 s and at least 10 s in all 2.5 %, as with the full window (40 utterances, tiny.en).
MIN_WINDOW_S = 10.0
WINDOW_MARGIN_S = 2.0

# When a result is not to be trusted. The first two are Whisper's own limits.
MAX_COMPRESSION_RATIO = 2.4
MIN_LOGPROB = -1.0
SILENCE_NO_SPEECH = 0.6
# Speech measured 1.3 to 4.9 tokens a second, dense scripts about twice that, a runaway decoder 13 and more.
TOKENS_PER_S = 10
SPARE_TOKENS = 16

# The decoder has 448 places. CTranslate2 writes into half of what it is allowed at most, so the other half
# is for the prompt: this much for the words and this much for the hotwords.
DECODER_TOKENS = 448
PROMPT_TOKENS = 100

# A phrase of this many words that follows itself: too long for emphasis, and how a short window goes wrong.
DOUBLED_WORDS = 4

# The second round is not always word for word, nor at once: half a minute of speech hardly holds this long a
# phrase twice, and if it does, the full window hears it twice as well.
RETURNING_WORDS = 8

# Shorter audio holds no phoneme, and the library raises on none at all.
MIN_SAMPLES = SAMPLE_RATE // 20

RETRY_TEMPERATURE = 0.4
RETRY_SAMPLES = 2


def window_frames(duration_s: float, window: Window) -> int:
    """Frames the encoder gets for audio of this length; an even number, since it halves them."""
    needed = max(MIN_WINDOW_S, duration_s + WINDOW_MARGIN_S)
    if window == "full" or needed >= WINDOW_S:
        return FULL_FRAMES
    return int(needed * FRAMES_PER_S / 2) * 2


def token_cap(duration_s: float) -> int:
    """The most tokens that speech of this length can need."""
    return int(duration_s * TOKENS_PER_S) + SPARE_TOKENS


class FasterWhisperEngine:
    """One loaded model, warmed with a silent call.

    `folder` holds the CTranslate2 files, `name` is for people. `cpu_threads` 0 leaves the number to the
    library. What CTranslate2 raises passes through untranslated; `FallbackEngine` knows its texts.
    """

    def __init__(self, folder: Path, name: str, place: Placement, *, cpu_threads: int = 0) -> None:
        self._model: Any = _load_model(folder, place, cpu_threads)
        self.english_only = not self._model.model.is_multilingual
        self.description = f"{name}, {self._model.model.compute_type} on {place.device}"
        with self._encoding(np.zeros(SAMPLE_RATE, np.float32), window_frames(1.0, "auto")) as silence:
            self._decode(silence, language="en", max_new_tokens=1)
        self._model.forget()

    def detect_language(self, samples: Samples) -> LanguageGuess:
        if self.english_only:
            return LanguageGuess("en", 1.0)
        if len(samples) < MIN_SAMPLES:
            return LanguageGuess("", 0.0)
        with self._encoding(samples, window_frames(len(samples) / SAMPLE_RATE, "auto")) as audio:
            language, probability, _ = self._model.detect_language(audio)
        return LanguageGuess(language, float(probability))

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
        if len(samples) < MIN_SAMPLES:
            return NOTHING_HEARD
        duration = len(samples) / SAMPLE_RATE
        options: dict[str, Any] = {
            "language": "en" if self.english_only else language or None,
            "beam_size": beam_size,
            **self._prompts(initial_prompt, hotwords),
        }
        try:
            if duration > WINDOW_S:
                return self._long(samples, options)
            return self._short(samples, duration, window, retry, options)
        except ValueError as error:
            # What the library says when detection is left with nothing to look at.
            if "empty sequence" in str(error) or "arg is an empty" in str(error):
                log.info("nothing to detect a language in: %s", error)
                return NOTHING_HEARD
            raise
        finally:
            self._model.forget()

    def _short(
        self, samples: Samples, duration: float, window: Window, retry: bool, options: dict[str, Any]
    ) -> Heard:
        """One window. A suspicious result is tried again with the full window, then with some chance."""
        frames = window_frames(duration, window)
        cap = token_cap(duration)
        with self._encoding(samples, frames) as audio:
            first = self._decode(audio, max_new_tokens=self._allowance(cap, options), **options)
        if not retry or not _suspicious(first, cap) or _silent(first):
            return first
        tries = [first]
        with self._encoding(samples, FULL_FRAMES) as audio:
            if frames < FULL_FRAMES or first.tokens >= cap:
                tries.append(self._decode(audio, **options))
            if _suspicious(tries[-1], cap) and not _silent(tries[-1]):
                chance = {"temperature": RETRY_TEMPERATURE, "best_of": RETRY_SAMPLES}
                tries.append(self._decode(audio, **options, **chance))
        return _best(tries, cap)

    def _long(self, samples: Samples, options: dict[str, Any]) -> Heard:
        """More than one window: Whisper's own way, stepping from timestamp to timestamp."""
        with self._encoding(samples, FULL_FRAMES, reuse=False) as audio:
            return self._decode(
                audio,
                **options,
                without_timestamps=False,
                temperature=[0.0, RETRY_TEMPERATURE],
                compression_ratio_threshold=MAX_COMPRESSION_RATIO,
                log_prob_threshold=MIN_LOGPROB,
                no_speech_threshold=SILENCE_NO_SPEECH,
            )

    def _decode(self, audio: Samples, **options: Any) -> Heard:
        # The thresholds are off: nothing is hidden by the library, the guards judge with all evidence.
        defaults: dict[str, Any] = {
            "without_timestamps": True,
            "condition_on_previous_text": False,
            "vad_filter": False,
            "temperature": 0.0,
            "compression_ratio_threshold": None,
            "log_prob_threshold": None,
            "no_speech_threshold": None,
        }
        found, info = self._model.transcribe(audio, **{**defaults, **options})
        pieces = tuple(
            Piece(
                text=piece.text,
                t0=float(piece.start),
                t1=float(piece.end),
                avg_logprob=float(piece.avg_logprob),
                no_speech_prob=float(piece.no_speech_prob),
                compression_ratio=float(piece.compression_ratio),
                tokens=len(piece.tokens),
            )
            for piece in found
        )
        return Heard(pieces, str(info.language), float(info.language_probability))

    @contextmanager
    def _encoding(self, samples: Samples, frames: int, *, reuse: bool = True) -> Iterator[Samples]:
        """Set the encoder's window. Within one piece of audio, equal windows are encoded once."""
        self._model.look_at(samples, frames, reuse)
        yield samples

    def _allowance(self, tokens: int, options: dict[str, Any]) -> int:
        """The `max_new_tokens` with which CTranslate2 writes at least up to `tokens`.

        It stops at half of the total length, prompt included; the total may not exceed the decoder's.
        """
        given = sum(PROMPT_TOKENS for name in ("initial_prompt", "hotwords") if name in options)
        special = 5  # start of previous, start, language, task, no timestamps
        return min(2 * tokens, DECODER_TOKENS - given - special)

    def _prompts(self, initial_prompt: str, hotwords: tuple[str, ...]) -> dict[str, Any]:
        """Prompt and hotwords cut to what leaves the decoder its room: a long list must not raise."""
        tokenizer = self._model.hf_tokenizer
        given: dict[str, Any] = {}
        if initial_prompt.strip():
            ids = tokenizer.encode(" " + initial_prompt.strip(), add_special_tokens=False).ids
            given["initial_prompt"] = ids[-PROMPT_TOKENS:]
        if hotwords:
            ids = tokenizer.encode(" " + ", ".join(hotwords), add_special_tokens=False).ids
            given["hotwords"] = tokenizer.decode(ids[:PROMPT_TOKENS])
        return given


def _suspicious(heard: Heard, cap: int) -> bool:
    return bool(heard.pieces) and (
        heard.tokens >= cap
        or repeats_itself(heard.text, DOUBLED_WORDS)
        or comes_twice(heard.text, RETURNING_WORDS)
        or heard.compression_ratio > MAX_COMPRESSION_RATIO
        or heard.avg_logprob < MIN_LOGPROB
    )


def _silent(heard: Heard) -> bool:
    """Suspicious because nobody speaks: another try costs time and invents something else."""
    return heard.no_speech_prob > SILENCE_NO_SPEECH and heard.avg_logprob < MIN_LOGPROB


def _best(tries: list[Heard], cap: int) -> Heard:
    """The first that is not suspicious, else the most probable of those that do not run away."""
    for heard in tries:
        if not _suspicious(heard, cap):
            return heard
    sane = [h for h in tries if h.compression_ratio <= MAX_COMPRESSION_RATIO and h.tokens < cap]
    return max(sane or tries, key=lambda heard: heard.avg_logprob)


def _load_model(folder: Path, place: Placement, cpu_threads: int) -> Any:
    import tqdm

    # Its default lock is a multiprocessing one, whose tracker process talks about leaks on the terminal.
    tqdm.tqdm.set_lock(threading.RLock())
    from faster_whisper import WhisperModel

    class ShortWindowModel(WhisperModel):  # type: ignore[misc]  # the library is untyped
        """A model whose encoder sees only the frames it is told to look at.

        The library pads every window with zeros to 30 s; the tail beyond `frames` is cut off again. The
        output is kept while the same audio is looked at, so that detection and decoding share it.
        """

        looking_at: Samples | None = None
        frames = FULL_FRAMES
        reuse = False
        kept: Any = None

        def look_at(self, samples: Samples, frames: int, reuse: bool) -> None:
            if samples is not self.looking_at or frames != self.frames or not reuse:
                self.kept = None
            self.looking_at, self.frames, self.reuse = samples, frames, reuse

        def forget(self) -> None:
            self.looking_at = self.kept = None

        def encode(self, features: Any) -> Any:
            if self.kept is not None:
                return self.kept
            output = super().encode(features[..., : self.frames])
            if self.reuse:
                self.kept = output
            return output

    return ShortWindowModel(
        str(folder), device=place.device, compute_type=place.compute_type, cpu_threads=cpu_threads
    )
