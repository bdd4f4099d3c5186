"""The session's language follows confident speech and nothing else."""

from __future__ import annotations

from stt_daemon.lanes.language import LanguageGuess, SessionLanguage

EN = LanguageGuess("en", 0.99)
FR = LanguageGuess("fr", 0.97)
UNSURE_FR = LanguageGuess("fr", 0.55)


def hear(language: SessionLanguage, guess: LanguageGuess, voiced_s: float) -> str:
    chosen = language.choose(guess, voiced_s)
    language.learn(guess, voiced_s)
    return chosen


def test_the_first_confident_segment_settles_it() -> None:
    language = SessionLanguage()
    assert hear(language, EN, 5) == "en"
    assert language.current == "en"


def test_an_unsure_segment_is_transcribed_in_the_session_language() -> None:
    language = SessionLanguage()
    hear(language, EN, 5)
    assert hear(language, UNSURE_FR, 5) == "en"
    assert language.current == "en"


def test_a_short_segment_is_transcribed_in_the_session_language() -> None:
    language = SessionLanguage()
    hear(language, EN, 5)
    assert hear(language, LanguageGuess("de", 1.0), 0.8) == "en"
    assert language.current == "en"


def test_one_confident_segment_keeps_its_own_language_and_the_session_its_own() -> None:
    language = SessionLanguage()
    hear(language, EN, 5)
    assert hear(language, FR, 5) == "fr"
    assert language.current == "en"
    hear(language, EN, 5)
    hear(language, FR, 5)
    assert language.current == "en"


def test_two_confident_segments_in_a_row_move_the_session() -> None:
    language = SessionLanguage()
    hear(language, EN, 5)
    hear(language, FR, 5)
    hear(language, UNSURE_FR, 5)
    hear(language, FR, 5)
    assert language.current == "fr"


def test_a_silent_start_settles_nothing() -> None:
    language = SessionLanguage()
    assert language.choose(LanguageGuess("en", 1.0), 0.0) == "en"
    language.learn(LanguageGuess("en", 1.0), 0.0)
    assert language.current == ""


def test_before_anything_is_known_a_short_segment_has_its_own_guess() -> None:
    assert SessionLanguage().choose(UNSURE_FR, 0.5) == "fr"


def test_a_configured_language_is_always_the_answer() -> None:
    language = SessionLanguage("de")
    assert not language.needs_guess
    assert hear(language, FR, 9) == "de"
    assert language.current == "de"


def test_a_continued_session_goes_on_in_its_language() -> None:
    language = SessionLanguage(known="fr")
    assert language.choose(LanguageGuess("en", 0.6), 5) == "fr"
    assert language.needs_guess
