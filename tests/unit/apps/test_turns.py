"""When turns end."""

from __future__ import annotations

from stt_daemon.apps.assistant.turns import TurnDetector
from stt_daemon.domain import Utterance


def said(number: int, t0: float, t1: float) -> Utterance:
    return Utterance(
        f"u{number}",
        number,
        t0,
        t1,
        "2026-01-01T10:00:00+00:00",
        "Speaker",
        "mic",
        "word",
        "en",
        "",
        -0.2,
        0.0,
    )


def ids(detector: TurnDetector) -> list[tuple[str, ...]]:
    return [turn.utterances for turn in detector.settled()]


def test_a_turn_ends_after_the_quiet_gap_and_not_before() -> None:
    detector = TurnDetector(1.5)
    detector.speech_started(1.0)
    detector.speech_ended(3.0)
    detector.utterance(said(1, 1.0, 3.0))
    detector.time_passed(4.4)
    assert ids(detector) == []
    detector.time_passed(4.5)
    assert ids(detector) == [("u1",)]
    detector.time_passed(9.0)
    assert ids(detector) == []


def test_speech_within_the_gap_joins_the_same_turn() -> None:
    detector = TurnDetector(1.5)
    detector.speech_started(1.0)
    detector.speech_ended(3.0)
    detector.utterance(said(1, 1.0, 3.0))
    detector.time_passed(4.0)
    detector.speech_started(4.2)
    detector.speech_ended(5.0)
    detector.utterance(said(2, 4.2, 5.0))
    detector.time_passed(7.0)
    assert ids(detector) == [("u1", "u2")]


def test_a_turn_waits_for_its_last_words_to_be_written_down() -> None:
    detector = TurnDetector(1.5)
    detector.speech_started(1.0)
    detector.speech_ended(3.0)
    detector.transcription_waits(True)
    detector.time_passed(10.0)
    assert ids(detector) == []
    detector.utterance(said(1, 1.0, 3.0))
    detector.transcription_waits(False)
    assert ids(detector) == [("u1",)]


def test_under_lag_the_boundary_between_two_turns_is_kept() -> None:
    detector = TurnDetector(1.5)
    detector.transcription_waits(True)
    detector.speech_started(1.0)
    detector.speech_ended(3.0)
    detector.time_passed(6.0)
    detector.speech_started(6.0)
    detector.speech_ended(8.0)
    detector.utterance(said(1, 1.0, 3.0))
    assert ids(detector) == []
    detector.utterance(said(2, 6.0, 8.0))
    assert ids(detector) == [("u1",)]
    detector.transcription_waits(False)
    detector.time_passed(9.5)
    assert ids(detector) == [("u2",)]


def test_a_forced_cut_does_not_end_a_turn() -> None:
    detector = TurnDetector(1.5)
    detector.speech_started(0.0)
    detector.utterance(said(1, 0.0, 28.0))
    detector.time_passed(40.0)
    assert ids(detector) == []
    detector.speech_ended(50.0)
    detector.utterance(said(2, 28.0, 50.0))
    detector.time_passed(51.5)
    assert ids(detector) == [("u1", "u2")]


def test_the_end_of_the_source_settles_the_last_turn_at_once() -> None:
    detector = TurnDetector(1.5)
    detector.speech_started(1.0)
    detector.utterance(said(1, 1.0, 3.0))
    detector.source_stopped()
    assert ids(detector) == [("u1",)]


def test_speech_that_held_no_words_makes_no_turn() -> None:
    detector = TurnDetector(1.5)
    detector.speech_started(1.0)
    detector.speech_ended(3.0)
    detector.time_passed(20.0)
    assert ids(detector) == []


def test_a_cleared_detector_has_forgotten_what_was_said() -> None:
    detector = TurnDetector(1.5)
    detector.speech_started(1.0)
    detector.utterance(said(1, 1.0, 3.0))
    detector.clear()
    detector.source_stopped()
    assert ids(detector) == []
