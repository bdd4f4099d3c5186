"""Reasoning leaves the answer in every form; a mention of its tags stays; cutting changes nothing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.llm.reasoning import ReasoningFilter, strip_reasoning

REMOVED = [
    ("<think>hm</think>yes", "yes"),
    ("<thinking>hm</thinking>yes", "yes"),
    ("<reasoning>hm</reasoning>yes", "yes"),
    ("<THINK>hm</Think>yes", "yes"),
    ("<think>\n\n</think>\n\nyes", "\n\nyes"),
    ("one <think>hm</think>two", "one two"),
    # repeated
    ("<think>a</think>one <think>b</think>two <reasoning>c</reasoning>three", "one two three"),
    ("<think>a</think><think>b</think>yes", "yes"),
    ("<think><think>a</think>yes", "yes"),
    ("<think>a<think>b</think>c</think>yes", "yes"),
    # only a closing tag
    ("hm</think>yes", "yes"),
    ("let me see\nhm\n</think>\n\nyes", "\n\nyes"),
    ("hm</think>ho</think>yes", "yes"),
    ("<think>a</think>b</think>yes", "yes"),
    ("hm</think>", ""),
    # a closing tag too many behind the answer
    ("<think>hm</think>yes</think>", "yes"),
    ("<think>hm</think>yes</think>\n</think>\n", "yes"),
    # unclosed
    ("<think>hm and so on", ""),
    ("yes<think>hm", "yes"),
    ("<think>hm</thi", ""),
    # other families
    ("[THINK]hm[/THINK]yes", "yes"),
    ("◁think▷hm◁/think▷yes", "yes"),
    ("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>yes", "yes"),
    ("<think/>yes", "yes"),
    # mentions inside reasoning do not end it
    ('<think>I write "</think>" soon</think>yes', "yes"),
    ("<think>I write `</think>` soon</think>yes", "yes"),
]
KEPT = [
    "no tags at all",
    "Models wrap it in `<think>` tags.",
    "Close it with `</think>` then.",
    "Both `<think>` and `</think>` mark it, `<thinking>` too.",
    "In code: `a <think> b </think> c` ends here.",
    "``a ` <think> b`` ends here.",
    'The tag "<think>" opens it.',
    "The tag '</think>' closes it.",
    "The tag “<reasoning>” and the tag «</reasoning>».",
    'He wrote "use <think> and </think> here" in the chat.',
    "```xml\n<think>\nhm\n</think>\n```\nThat was it.",
    "~~~\n<think>\n~~~\nend",
    "> ```\n> <think>\n> ```\nend",
    "- item\n  ```\n  <think>x\n  ```\nend",
    "a < b and [x] and <thin> and <thinker>, </thing>",
    "math: 3 <think",
    "a `lonely backtick and it's \"open",
    "",
]


@pytest.mark.parametrize(("raw", "visible"), REMOVED)
def test_reasoning_is_removed(raw: str, visible: str) -> None:
    assert strip_reasoning(raw) == visible


@pytest.mark.parametrize("text", KEPT)
def test_a_mention_of_a_tag_stays(text: str) -> None:
    assert strip_reasoning(text) == text


def test_a_backtick_that_never_closes_hides_no_tag() -> None:
    assert strip_reasoning("a `b <think>hm</think>\nc `d` e") == "a `b \nc `d` e"


def test_reasoning_after_an_answer_that_quotes_a_tag_is_still_removed() -> None:
    assert strip_reasoning("Use `<think>`.<think>hm</think> Done.") == "Use `<think>`. Done."


def test_a_lone_closing_tag_voids_what_was_shown() -> None:
    reasoning = ReasoningFilter()
    assert reasoning.feed("let me see").text == "let me see"
    shown = reasoning.feed("</think>yes")
    assert (shown.text, shown.reset) == ("yes", True)
    assert reasoning.removed


def test_nothing_is_held_back_without_need() -> None:
    reasoning = ReasoningFilter()
    assert reasoning.feed("word").text == "word"
    assert reasoning.feed(" <b").text == " <b"
    assert reasoning.feed(" <").text == " "
    assert reasoning.feed("x").text == "<x"


NAMES = ["think", "thinking", "reasoning"]
TAGS = [f"<{slash}{name}>" for slash in ("", "/") for name in NAMES]
MARKS = ["<", ">", "/", "thi", "nk>", "<think/>", "[THINK]", "[/THINK]", "<|channel|>final<|message|>"]
QUOTES = ["`", "``", "```", "~~~", '"', "'", "“", "”"]
WORDS = ["word", "a", "é", "你", "xml", "\U0001f600", "İ"]
ALPHABET = st.sampled_from([*TAGS, *MARKS, *QUOTES, *WORDS, "\n", "\n\n", " ", "  ", "> "])
RAW = st.lists(ALPHABET, max_size=30).map("".join)


@settings(max_examples=500)
@given(RAW, st.data())
def test_the_answer_does_not_depend_on_how_it_was_cut(raw: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(raw)), max_size=12))
    edges = [0, *sorted(cuts), len(raw)]
    assert replay([raw[a:b] for a, b in pairwise(edges)]) == strip_reasoning(raw)


@settings(max_examples=300)
@given(RAW)
def test_one_character_at_a_time_gives_the_same_answer(raw: str) -> None:
    assert replay(list(raw)) == strip_reasoning(raw)


@given(st.text(alphabet="ab`\"'\n ~>.", max_size=60))
def test_text_without_tags_passes_unchanged(text: str) -> None:
    assert replay(list(text)) == text


@given(st.text(alphabet="secr \n`<>", max_size=30), st.text(alphabet="answer \n", max_size=30))
def test_a_block_in_front_never_leaves_a_trace(secret: str, answer: str) -> None:
    assert strip_reasoning(f"<think>{secret}.</think>{answer}") == answer


def replay(pieces: list[str]) -> str:
    """What a screen shows that follows every piece and every reset; checked against the filter's own text."""
    reasoning = ReasoningFilter()
    screen = ""
    for shown in [*(reasoning.feed(piece) for piece in pieces), reasoning.close()]:
        screen = shown.text if shown.reset else screen + shown.text
    assert screen == reasoning.text
    return screen
