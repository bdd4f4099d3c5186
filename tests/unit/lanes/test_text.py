"""Words, loops, sound labels and seams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.lanes.labels import is_only_labels
from stt_daemon.lanes.loops import collapse_loops, comes_twice, repeats_itself
from stt_daemon.lanes.seams import join_seam
from stt_daemon.lanes.words import norms, split_words, word_count


@given(st.text())
def test_the_words_of_a_text_join_to_it(text: str) -> None:
    assert "".join(split_words(text)) == text.strip()


def test_comparison_ignores_case_and_punctuation() -> None:
    assert norms("Hello, World!") == norms(" hello world")


def test_marks_that_make_letters_do_not_split_words() -> None:
    assert norms("नमस्ते दुनिया") == ("नमस्ते", "दुनिया")


def test_scripts_without_spaces_are_counted_by_character() -> None:
    assert word_count("你好世界") == 2.0


@pytest.mark.parametrize(
    "text",
    [
        "No, no, no.",
        "He had had enough.",
        "Very, very, very, very good.",
        "Thank you. Thank you. Thank you.",
        "no no no no no",
        "Again and again and again we tried.",
        "はははははは",
        "Call 1000000000000.",
        "The cat sat on the mat. The dog sat on the mat.",
    ],
)
def test_what_people_say_twice_stays(text: str) -> None:
    assert collapse_loops(text) == (text, 1)


@pytest.mark.parametrize(
    ("text", "kept", "rounds"),
    [
        ("The same thing again. " * 1347, "The same thing again.", 1347),
        (
            "I'm going to the store. " * 40 + "And then we left.",
            "I'm going to the store. And then we left.",
            40,
        ),
        ("So " + "you " * 30 + "said it.", "So you said it.", 30),
        ("ありがとうございました。" * 5, "ありがとうございました。", 5),
        ("спасибо за просмотр " * 9, "спасибо за просмотр", 9),
        ("नमस्ते दुनिया " * 10, "नमस्ते दुनिया", 10),
        ("ha" * 40, "hahaha", 40),
        (
            "I hope this tool becomes a helpful resource and sparks innovation. " * 3,
            "I hope this tool becomes a helpful resource and sparks innovation.",
            3,
        ),
    ],
)
def test_a_loop_is_cut_to_one_round_and_counted(text: str, kept: str, rounds: int) -> None:
    assert collapse_loops(text) == (kept, rounds)


@given(st.lists(st.sampled_from(["a", "b", "c d", "e."]), max_size=40))
def test_a_collapsed_text_has_no_loop_left(words: list[str]) -> None:
    once, _ = collapse_loops(" ".join(words))
    assert collapse_loops(once) == (once, 1)


def test_a_sentence_said_twice_in_one_breath_is_noticed() -> None:
    assert repeats_itself("We ship it on Friday. We ship it on Friday.", 4)
    assert not repeats_itself("No, no, no. He had had it.", 4)


def test_a_long_phrase_that_comes_again_after_other_words_is_noticed() -> None:
    again = "they all call me a Yankee down here"
    assert comes_twice(f"Not much. {again}. Now, well, {again.upper()}!", 8)
    assert not comes_twice(f"Not much. {again}. Now, well, they all call me a Yankee.", 8)
    assert not comes_twice("no " * 15, 8)
    assert comes_twice("no " * 16, 8)


@pytest.mark.parametrize(
    "text",
    [
        "[BLANK_AUDIO]",
        "(upbeat music)",
        "*Musik*",
        "♪",
        "♪♪ ♪",
        "♪ (music) ♪",
        "[MUSIC PLAYING]",
        "(SPEAKING FOREIGN LANGUAGE)",
        "(speaking in foreign language)",
        "[Musique]",
        "[музыка]",
        "（笑）",
        "[音楽]",
        "(拍手)",
        "[음악]",
        "(ضحك)",
        "(Applaus) [Lachen]",
        "...",
        ". . .",
    ],
)
def test_nothing_but_labels_is_not_speech(text: str) -> None:
    assert is_only_labels(text)


@pytest.mark.parametrize(
    "text",
    [
        "(we agreed on five)",
        "Thank you.",
        "[applause] Thank you all.",
        "♪ we will rock you ♪",
        "(and the music was too loud for everybody)",
        "The music stopped.",
        "你好",
    ],
)
def test_words_in_brackets_or_beside_labels_are_speech(text: str) -> None:
    assert not is_only_labels(text)


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("and kept me", "me honest", "honest"),
        ("and kept me,", "Me honest", "honest"),
        ("you kept me", "kept me honest", "honest"),
        ("the man", "Many people", "Many people"),
        ("and then he", "had had enough", "had had enough"),
        ("I said no.", "No, never", "No, never"),
        ("yes", "Yes.", "Yes."),
        ("人", "人口", "人口"),
        ("", "me honest", "me honest"),
    ],
)
def test_a_word_that_a_cut_doubled_is_said_once(before: str, after: str, joined: str) -> None:
    assert join_seam(before, after) == joined
