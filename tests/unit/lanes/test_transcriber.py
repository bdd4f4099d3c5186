"""From a segment to a recognition, with a scripted engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stt_daemon.domain import Segment
from stt_daemon.lanes.agreement import Agreed
from stt_daemon.lanes.language import LanguageGuess
from stt_daemon.lanes.speech_engine import NOTHING_HEARD
from stt_daemon.lanes.transcriber import Transcriber
from tests.fakes.engine import FakeEngine, heard, speechlike

SEGMENT = Segment(
    wav="a.wav",
    reason="speech",
    t0=0.0,
    t1=5.0,
    speech_t0=0.3,
    speech_t1=4.7,
    voiced_s=4.0,
    level_db=-20.0,
    wall=0.0,
)
SPEECH = speechlike(5.0)


def test_clear_speech_becomes_a_recognition() -> None:
    result = Transcriber().finish(FakeEngine(heard(" We ship it.")), SEGMENT, SPEECH)
    assert (result.text, result.language, result.flags, result.dropped) == ("We ship it.", "en", (), "")
    assert (result.avg_logprob, result.no_speech_prob) == (-0.2, 0.02)


def test_silence_never_reaches_the_model() -> None:
    engine = FakeEngine(heard("Thanks for watching!"))
    result = Transcriber().finish(engine, SEGMENT, np.zeros(80_000, np.float32))
    assert "too quiet" in result.dropped
    assert (engine.calls, engine.guessed) == ([], 0)


def test_an_engine_that_hears_nothing_gives_no_utterance() -> None:
    assert Transcriber().finish(FakeEngine(NOTHING_HEARD), SEGMENT, SPEECH).dropped == "no words"


def test_the_prompt_is_always_the_configured_one_and_never_what_was_said() -> None:
    engine = FakeEngine(heard("First."), heard("you " * 99), heard("Third."))
    transcriber = Transcriber(initial_prompt="Names: Ada", hotwords=("Ada", " "))
    for _ in range(3):
        transcriber.finish(engine, SEGMENT, SPEECH)
    assert {(call.initial_prompt, call.hotwords) for call in engine.calls} == {("Names: Ada", ("Ada",))}


def test_an_echo_of_the_prompt_is_dropped() -> None:
    transcriber = Transcriber(initial_prompt="Terms: Foo, Bar")
    assert "echo" in transcriber.finish(FakeEngine(heard("Terms: Foo, Bar")), SEGMENT, SPEECH).dropped


def test_live_transcription_is_greedy_unless_told_otherwise() -> None:
    engine = FakeEngine(heard("Text."))
    Transcriber().finish(engine, SEGMENT, SPEECH)
    Transcriber(beam_size=5).finish(engine, SEGMENT, SPEECH)
    assert [call.beam_size for call in engine.calls] == [1, 5]


def test_an_unsure_segment_is_transcribed_in_the_language_of_the_session() -> None:
    engine = FakeEngine(heard("We ship it."), guesses=(LanguageGuess("en", 0.99), LanguageGuess("fr", 0.5)))
    transcriber = Transcriber()
    for _ in range(2):
        transcriber.finish(engine, SEGMENT, SPEECH)
    assert [call.language for call in engine.calls] == ["en", "en"]
    assert transcriber.language == "en"


def test_a_dropped_segment_settles_no_language() -> None:
    transcriber = Transcriber()
    silent = heard("you", avg_logprob=-1.2, no_speech_prob=0.95)
    transcriber.finish(FakeEngine(silent, guesses=(LanguageGuess("en", 1.0),)), SEGMENT, SPEECH)
    assert transcriber.language == ""


def test_an_english_only_model_is_never_asked_for_a_language() -> None:
    engine = FakeEngine(heard("Text."), english_only=True)
    Transcriber().finish(engine, SEGMENT, SPEECH)
    assert (engine.guessed, engine.calls[0].language) == (0, "en")


def test_a_configured_language_is_used_without_detection() -> None:
    engine = FakeEngine(heard("Texte."))
    Transcriber(language="fr").finish(engine, SEGMENT, SPEECH)
    assert (engine.guessed, engine.calls[0].language) == (0, "fr")


def test_a_word_doubled_by_a_forced_cut_is_removed_and_flagged() -> None:
    engine = FakeEngine(heard("which kept me"), heard("me honest"))
    transcriber = Transcriber()
    first = transcriber.finish(engine, replace(SEGMENT, reason="max", t1=5.0), SPEECH)
    second = transcriber.finish(engine, replace(SEGMENT, wav="b.wav", t0=5.0, t1=9.0), SPEECH)
    assert (first.text, first.flags) == ("which kept me", ("forced_cut",))
    assert (second.text, second.flags) == ("honest", ("seam",))


def test_a_word_said_again_after_a_pause_stays() -> None:
    engine = FakeEngine(heard("which kept me"), heard("me honest"))
    transcriber = Transcriber()
    transcriber.finish(engine, SEGMENT, SPEECH)
    second = transcriber.finish(engine, replace(SEGMENT, t0=5.0, t1=9.0), SPEECH)
    assert second.text == "me honest"


def test_a_loop_is_collapsed_with_its_count() -> None:
    engine = FakeEngine(heard("I see it now. " * 12, compression_ratio=9.0))
    result = Transcriber().finish(engine, SEGMENT, SPEECH)
    assert (result.text, result.flags) == ("I see it now.", ("loop", "loop:12"))


def test_identical_texts_without_much_voice_are_written_once() -> None:
    engine = FakeEngine(heard("Thank you.", avg_logprob=-0.85))
    transcriber = Transcriber()
    results = [transcriber.finish(engine, SEGMENT, SPEECH) for _ in range(3)]
    assert [result.text for result in results] == ["Thank you.", "", ""]
    assert results[2].dropped == "the same text 3 times in a row"


def test_a_file_found_after_a_crash_is_not_judged_by_a_voice_nobody_measured() -> None:
    engine = FakeEngine(heard("All that was said before the crash.", avg_logprob=-0.6))
    found = replace(SEGMENT, reason="lost", voiced_s=0.0)
    assert Transcriber().finish(engine, found, SPEECH).text


def test_partial_passes_are_hurried_and_commit_what_they_agree_on() -> None:
    engine = FakeEngine(heard("We ship"), heard("We ship it"))
    transcriber = Transcriber(beam_size=5)
    transcriber.suppose(engine, 1.0, SPEECH)
    second = transcriber.suppose(engine, 1.0, SPEECH)
    assert second.agreed == Agreed("We ship", "it")
    assert {(call.beam_size, call.retry) for call in engine.calls} == {(1, False)}


def test_a_doubtful_pass_shows_what_stood_before() -> None:
    engine = FakeEngine(heard("We ship"), heard("We ship"), heard("you " * 50))
    transcriber = Transcriber()
    for _ in range(2):
        transcriber.suppose(engine, 1.0, SPEECH)
    third = transcriber.suppose(engine, 1.0, SPEECH)
    assert (third.words, third.agreed, third.doubt) == ((), Agreed("We ship", ""), "a loop")


def test_partials_settle_no_language() -> None:
    transcriber = Transcriber()
    transcriber.suppose(FakeEngine(heard("Oui")), 1.0, SPEECH)
    assert transcriber.language == ""
