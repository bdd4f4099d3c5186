"""What real Whisper weights make of real speech, and of sounds that are none, through the real engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import jiwer
import numpy as np
import pytest

from stt_daemon.domain import Segment
from stt_daemon.lanes.engine import FULL_FRAMES, FasterWhisperEngine
from stt_daemon.lanes.guards import Evidence, judge_text
from stt_daemon.lanes.speech_engine import Samples, SpeechEngine
from stt_daemon.lanes.transcriber import Recognition, Transcriber

JFK = (
    "And so, my fellow Americans, ask not what your country can do for you, "
    "ask what you can do for your country."
)
FRENCH = (
    "pendant le second siècle je fis serment d'ouvrir tous les trésors de la terre à quiconque me mettrait "
    "en liberté mais je ne fus pas plus heureux dans le troisième je promis de faire puissant monarque mon "
    "libérateur d'être toujours près de lui en esprit"
)


def segment(samples: Samples, *, voiced: float = 0.8) -> Segment:
    """As if the detector had called most of it speech."""
    seconds = len(samples) / 16_000
    return Segment("x.wav", "speech", 0.0, seconds, 0.0, seconds, voiced * seconds, -20.0, 0.0)


def hear(engine: SpeechEngine, samples: Samples, transcriber: Transcriber | None = None) -> Recognition:
    return (transcriber or Transcriber()).finish(engine, segment(samples), samples)


def error_rate(reference: str, text: str) -> float:
    def plain(words: str) -> str:
        return " ".join(re.sub(r"[^\w\s]", " ", words.lower()).split())

    return jiwer.wer(plain(reference), plain(text))


def judge_without_gate(engine: SpeechEngine, samples: Samples, prompt: str = "") -> str:
    """What the guards drop on the model's evidence alone, had the loudness gate let it pass."""
    heard = engine.transcribe(samples, language="en", initial_prompt=prompt)
    evidence = Evidence(
        0.8 * len(samples) / 16_000,
        -20.0,
        heard.avg_logprob,
        heard.no_speech_prob,
        heard.compression_ratio,
    )
    return judge_text(heard.text, evidence, prompt=prompt).dropped


def zeros() -> Samples:
    return np.zeros(5 * 16_000, np.float32)


def noise() -> Samples:
    return (np.random.default_rng(0).normal(size=5 * 16_000) * 0.03).astype(np.float32)


def tone() -> Samples:
    return (0.2 * np.sin(2 * np.pi * 440 * np.arange(5 * 16_000) / 16_000)).astype(np.float32)


def test_clear_speech_is_written_down(english: SpeechEngine, jfk: Samples) -> None:
    result = hear(english, jfk)
    assert error_rate(JFK, result.text) <= 0.15
    assert (result.language, result.flags) == ("en", ())


def test_very_quiet_speech_survives(english: SpeechEngine, jfk: Samples) -> None:
    quiet = np.round(jfk * 0.02 * 32768).astype(np.float32) / 32768
    assert error_rate(JFK, hear(english, quiet).text) <= 0.15


def test_a_prompt_does_not_hurt_clear_speech(english: SpeechEngine, jfk: Samples) -> None:
    transcriber = Transcriber(initial_prompt="Terms: Foo, Bar", hotwords=("Kennedy", "inauguration"))
    assert error_rate(JFK, hear(english, jfk, transcriber).text) <= 0.15


def test_a_sentence_is_not_written_down_twice_with_other_words_in_between(
    english: SpeechEngine, shared_audio: Callable[[str], Samples]
) -> None:
    end_of_call = shared_audio("phone-call.wav")[348_064:]
    assert hear(english, end_of_call).text.count("Yankee") == 1


@pytest.mark.parametrize("sound", [zeros, noise, tone])
def test_sounds_without_speech_give_no_utterance(english: SpeechEngine, sound: Callable[[], Samples]) -> None:
    assert hear(english, sound()).dropped


@pytest.mark.parametrize("sound", [zeros, noise, tone])
def test_they_give_none_even_when_the_model_is_asked(
    english: SpeechEngine, sound: Callable[[], Samples]
) -> None:
    assert judge_without_gate(english, sound())


def test_a_prompt_over_silence_is_not_echoed(english: SpeechEngine) -> None:
    assert hear(english, zeros(), Transcriber(initial_prompt="Terms: Foo, Bar")).dropped
    assert judge_without_gate(english, zeros(), "Terms: Foo, Bar")


@pytest.mark.parametrize("name", ["silence-10s.wav", "room-noise-20s.wav", "tone-5s.wav"])
def test_the_shared_sounds_give_no_utterance(
    english: SpeechEngine, shared_audio: Callable[[str], Samples], name: str
) -> None:
    assert hear(english, shared_audio(name)).dropped


def test_a_short_turn_over_a_telephone_is_kept(
    english: SpeechEngine, shared_audio: Callable[[str], Samples]
) -> None:
    # 0.13 s of it are called speech, and it is 11 dB quieter than the rest of the call.
    turn = shared_audio("phone-call.wav")[103_744:113_792]
    result = Transcriber().finish(english, replace(segment(turn), voiced_s=0.13), turn)
    assert "hello" in result.text.lower()


def test_audio_without_a_sample_is_an_empty_result(english: SpeechEngine) -> None:
    assert english.transcribe(np.zeros(0, np.float32), language="").pieces == ()
    assert english.transcribe(np.zeros(100, np.float32), language="").pieces == ()


def test_a_long_prompt_and_many_hotwords_leave_room_to_write(english: SpeechEngine, jfk: Samples) -> None:
    heard = english.transcribe(
        jfk, language="en", initial_prompt="A word or two. " * 200, hotwords=("Kennedy",) * 300
    )
    assert error_rate(JFK, heard.text) <= 0.15


def test_the_short_window_writes_what_the_full_one_writes(english: SpeechEngine, jfk: Samples) -> None:
    full = english.transcribe(jfk, language="en", window="full")
    assert error_rate(full.text, english.transcribe(jfk, language="en", window="auto").text) <= 0.1


def test_a_decoder_that_runs_away_in_the_short_window_is_caught_by_the_full_one(
    english: SpeechEngine, shared_audio: Callable[[str], Samples]
) -> None:
    # Cut 0.2 s behind its last word, this sentence makes the short window repeat its second half.
    sentence = shared_audio("demo-talk.wav")[595_264:703_104]
    heard = english.transcribe(sentence, language="en")
    assert heard.text.lower().count("sparks some innovation") == 1


def test_audio_longer_than_a_window_is_heard_to_its_end(
    english: SpeechEngine, shared_audio: Callable[[str], Samples]
) -> None:
    heard = english.transcribe(shared_audio("demo-talk.wav"), language="en")
    assert "hey guys" in heard.text.lower()
    assert "enjoyed the demo" in heard.text.lower()


def test_detection_and_decoding_share_one_encoding(multilingual: SpeechEngine, jfk: Samples) -> None:
    engine = multilingual._present()  # type: ignore[attr-defined]
    assert isinstance(engine, FasterWhisperEngine)
    model = engine._model
    engine.detect_language(jfk)
    kept = model.kept
    assert kept is not None
    model.look_at(jfk, model.frames, True)
    assert model.kept is kept
    model.look_at(jfk, FULL_FRAMES, True)
    assert model.kept is None
    model.forget()


def test_without_a_language_the_engine_detects_one(multilingual: SpeechEngine, jfk: Samples) -> None:
    heard = multilingual.transcribe(jfk, language="")
    assert heard.language == "en"
    assert error_rate(JFK, heard.text) <= 0.15


def test_french_is_transcribed_as_french(
    multilingual: SpeechEngine, shared_audio: Callable[[str], Samples]
) -> None:
    transcriber = Transcriber()
    result = hear(multilingual, shared_audio("french.wav"), transcriber)
    assert (result.language, transcriber.language) == ("fr", "fr")
    assert error_rate(FRENCH, result.text) <= 0.4


def test_one_unsure_french_segment_leaves_an_english_session_english(
    multilingual: SpeechEngine, jfk: Samples, shared_audio: Callable[[str], Samples]
) -> None:
    transcriber = Transcriber()
    hear(multilingual, jfk, transcriber)
    scrap = shared_audio("french.wav")[: 2 * 16_000]
    assert multilingual.detect_language(scrap).language == "fr"
    result = hear(multilingual, scrap, transcriber)
    assert transcriber.language == "en"
    assert result.dropped or result.language == "en"
    assert hear(multilingual, jfk, transcriber).language == "en"


@pytest.mark.parametrize("sound", [zeros, noise, tone])
def test_the_multilingual_model_invents_nothing_either(
    multilingual: SpeechEngine, sound: Callable[[], Samples]
) -> None:
    transcriber = Transcriber()
    assert hear(multilingual, sound(), transcriber).dropped
    assert transcriber.language == ""
    assert judge_without_gate(multilingual, sound())
