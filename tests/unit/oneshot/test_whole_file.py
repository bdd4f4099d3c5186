from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest

from stt_daemon.errors import AudioError
from stt_daemon.lanes.language import LanguageGuess
from stt_daemon.lanes.speech_engine import NOTHING_HEARD, Heard, Piece, Samples, Window
from stt_daemon.wiring.long_form import Announcer
from stt_daemon.wiring.offline import WholeFileTranscriber


class FakeEngine:
    """Hears what it is told to hear, and announces each piece."""

    description = "fake"
    english_only = False

    def __init__(self, heard: Heard, announcer: Announcer) -> None:
        self.heard = heard
        self.announcer = announcer
        self.beam_size = 0

    def detect_language(self, samples: Samples) -> LanguageGuess:
        return LanguageGuess("en", 1.0)

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
        self.beam_size = beam_size
        for piece in self.heard.pieces:
            self.announcer(piece.t1)
        return self.heard


def piece(text: str, t0: float, t1: float, *, logprob: float = -0.2, no_speech: float = 0.01) -> Piece:
    return Piece(text, t0, t1, logprob, no_speech, 1.2, 5)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """3 s of something as uneven as speech, then 3 s of digital silence."""
    swell = np.abs(np.sin(np.arange(48_000) * 2 * np.pi / 16_000))
    loud = np.random.default_rng(1).normal(0, 4000, 48_000) * swell
    path = tmp_path / "talk.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(np.concatenate([loud.astype(np.int16), np.zeros(48_000, np.int16)]).tobytes())
    return path


def make(heard: Heard, *, prompt: str = "") -> tuple[WholeFileTranscriber, FakeEngine]:
    announcer = Announcer()
    engine = FakeEngine(heard, announcer)
    transcriber = WholeFileTranscriber(
        engine, announcer, beam_size=5, initial_prompt=prompt, hotwords=(), speaker="Speaker"
    )
    return transcriber, engine


def test_pieces_become_numbered_utterances_in_the_files_own_time(talk: Path) -> None:
    transcriber, engine = make(Heard((piece(" One.", 0.0, 1.5), piece(" Two.", 1.5, 3.0)), "en", 0.9))
    result = transcriber.transcribe(talk, lambda *_: None)
    assert [(u.id, u.seq, u.text, u.t0, u.t1) for u in result.utterances] == [
        ("u1", 1, "One.", 0.0, 1.5),
        ("u2", 2, "Two.", 1.5, 3.0),
    ]
    assert (result.language, result.duration_s, engine.beam_size) == ("en", 6.0, 5)


def test_what_the_guards_refuse_is_no_utterance_and_takes_no_number(talk: Path) -> None:
    heard = (
        piece(" Thanks for watching!", 3.5, 5.5),
        piece(" [Music]", 0.0, 0.5),
        piece(" Names: Foo, Bar", 0.5, 1.0),
        piece(" Words.", 1.0, 2.0),
    )
    transcriber, _ = make(Heard(heard, "en", 0.9), prompt="Names: Foo, Bar")
    result = transcriber.transcribe(talk, lambda *_: None)
    assert [(u.id, u.text) for u in result.utterances] == [("u1", "Words.")]


def test_a_file_without_speech_has_no_utterances_and_no_language(talk: Path) -> None:
    transcriber, _ = make(NOTHING_HEARD)
    result = transcriber.transcribe(talk, lambda *_: None)
    assert (result.utterances, result.language) == ((), "")


def test_progress_runs_from_nothing_to_all(talk: Path) -> None:
    told: list[tuple[float, float]] = []
    transcriber, _ = make(Heard((piece(" One.", 0.0, 1.5), piece(" Two.", 1.5, 9.0)), "en", 0.9))
    transcriber.transcribe(talk, lambda done, total: told.append((done, total)))
    assert told == [(0.0, 6.0), (1.5, 6.0), (6.0, 6.0), (6.0, 6.0)]


def test_a_file_without_sound_is_a_readable_error(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("words", encoding="utf-8")
    transcriber, _ = make(NOTHING_HEARD)
    with pytest.raises(AudioError):
        transcriber.transcribe(tmp_path / "x.txt", lambda *_: None)
