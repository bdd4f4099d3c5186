"""Nothing is invented, and nothing that was said is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stt_daemon.lanes.guards import Evidence, Repeats, judge_sound, judge_text, measure
from tests.fakes.engine import speechlike

CLEAR = Evidence(voiced_s=2.0, level_db=-20, avg_logprob=-0.2, no_speech_prob=0.02, compression_ratio=1.2)
SILENT = Evidence(voiced_s=0.3, level_db=-45, avg_logprob=-1.0, no_speech_prob=0.9, compression_ratio=1.0)


def tone(level: float) -> np.ndarray:
    return (level * np.sin(2 * np.pi * 440 * np.arange(48_000) / 16_000)).astype(np.float32)


def test_digital_silence_is_dropped_before_the_model() -> None:
    assert "too quiet" in judge_sound(measure(np.zeros(16_000, np.float32)))


def test_near_silence_is_dropped_before_the_model() -> None:
    assert "too quiet" in judge_sound(measure(speechlike(20, level=10 ** (-75 / 20))))


@pytest.mark.parametrize("level", [0.5, 0.02])
def test_steady_tones_and_noise_are_dropped_at_any_loudness(level: float) -> None:
    noise = np.random.default_rng(3).normal(size=48_000).astype(np.float32) * level
    assert "steady" in judge_sound(measure(noise))
    assert "steady" in judge_sound(measure(tone(level)))


@pytest.mark.parametrize("level", [0.5, 0.02, 0.004])
def test_loud_and_quiet_speech_goes_to_the_model(level: float) -> None:
    assert judge_sound(measure(speechlike(2, level=level))) == ""


def test_a_scrap_shorter_than_a_frame_counts_as_silence() -> None:
    assert judge_sound(measure(np.ones(10, np.float32))) != ""


@pytest.mark.parametrize(
    "text",
    [
        "Thanks for watching!",
        "Vielen Dank fürs Zuschauen.",
        "ご視聴ありがとうございました",
        "Спасибо за просмотр.",
        "you",
        ".",
        "",
    ],
)
def test_text_from_silence_is_dropped_in_any_language(text: str) -> None:
    assert judge_text(text, SILENT).dropped != ""


@pytest.mark.parametrize(
    "text",
    ["Thank you, ship it Friday.", "Thanks for watching!", "No, no, no.", "(we agreed on five)", "Yes."],
)
def test_clear_speech_is_kept_whatever_it_says(text: str) -> None:
    assert judge_text(text, CLEAR).text == text


def test_a_short_answer_with_middling_evidence_is_kept() -> None:
    # Measured on two words between pauses, and on a short turn over a telephone.
    assert judge_text("Ask not", replace(CLEAR, voiced_s=1.0, avg_logprob=-1.2, no_speech_prob=0.52)).text
    assert judge_text("Hello?", replace(CLEAR, voiced_s=0.13, avg_logprob=-0.41, no_speech_prob=0.09)).text


def test_a_high_no_speech_probability_alone_does_not_drop_what_the_model_is_sure_of() -> None:
    assert judge_text("We ship it on Friday.", replace(CLEAR, no_speech_prob=0.85)).text


def test_a_guess_is_dropped() -> None:
    assert (
        "guesses" in judge_text("The Big Bang", replace(CLEAR, avg_logprob=-3.2, no_speech_prob=0.4)).dropped
    )


def test_more_words_than_the_voice_can_hold_are_dropped() -> None:
    evidence = replace(CLEAR, voiced_s=0.3, avg_logprob=-0.7)
    assert "0.3 s" in judge_text("I'm gonna go ahead and get the camera.", evidence).dropped


def test_nobody_measured_the_voice_so_nobody_counts_words() -> None:
    evidence = replace(CLEAR, voiced_s=None, avg_logprob=-0.7)
    assert judge_text("I'm gonna go ahead and get the camera.", evidence).text


@pytest.mark.parametrize("label", ["[BLANK_AUDIO]", "(upbeat music)", "♪♪"])
def test_sound_labels_are_dropped_on_any_evidence(label: str) -> None:
    assert "label" in judge_text(label, CLEAR).dropped


@pytest.mark.parametrize(
    "text", ["Terms: Foo, Bar", "terms foo bar", "Terms: Foo, Bar. Terms: Foo, Bar.", " Terms: Foo, Bar."]
)
def test_the_prompt_itself_is_dropped_on_any_evidence(text: str) -> None:
    assert "echo" in judge_text(text, CLEAR, prompt="Terms: Foo, Bar").dropped


def test_a_part_of_the_prompt_is_dropped_only_on_weak_evidence() -> None:
    weak = replace(CLEAR, avg_logprob=-0.85)
    assert judge_text("Foo", CLEAR, prompt="Terms: Foo, Bar").text == "Foo"
    assert "echo" in judge_text("Foo", weak, prompt="Terms: Foo, Bar").dropped


def test_a_spoken_hotword_is_kept() -> None:
    assert judge_text("Kubernetes.", CLEAR, hotwords=("Kubernetes", "Postgres", "Kafka")).text


def test_the_whole_list_of_hotwords_is_an_echo() -> None:
    words = ("Kubernetes", "Postgres", "Kafka")
    assert "echo" in judge_text("Kubernetes, Postgres, Kafka", CLEAR, hotwords=words).dropped


def test_a_sentence_with_words_of_the_prompt_is_kept() -> None:
    text = "The budget of Foo and Bar is settled."
    assert judge_text(text, CLEAR, prompt="Terms: Foo, Bar").text == text


def test_a_loop_is_collapsed_and_flagged_with_its_count() -> None:
    verdict = judge_text("The same thing again. " * 1347, replace(CLEAR, compression_ratio=60))
    assert verdict.text == "The same thing again."
    assert verdict.flags == ("loop", "loop:1347")


def test_a_sure_loop_over_silence_is_dropped() -> None:
    evidence = replace(SILENT, avg_logprob=-0.03, compression_ratio=29)
    assert judge_text("you " * 200, evidence).dropped


def test_identical_segments_on_weak_evidence_are_written_once() -> None:
    repeats = Repeats()
    weak = replace(CLEAR, no_speech_prob=0.7)
    kept = [not repeats.judge("Thank you.", weak) for _ in range(1347)]
    assert kept.count(True) == 1
    assert repeats.judge("Thank you.", weak) == "the same text 1348 times in a row"


def test_short_answers_may_come_again_and_again() -> None:
    repeats = Repeats()
    assert [repeats.judge("No.", CLEAR) for _ in range(10)] == [""] * 10


def test_a_long_text_that_will_not_end_is_written_a_few_times() -> None:
    repeats = Repeats()
    kept = [not repeats.judge("Your call is important to us.", CLEAR) for _ in range(1347)]
    assert kept.count(True) == Repeats.KEPT


def test_another_text_ends_a_row() -> None:
    repeats = Repeats()
    weak = replace(CLEAR, no_speech_prob=0.7)
    assert [repeats.judge(text, weak) for text in ("Thank you.", "Yes.", "Thank you.")] == [""] * 3
