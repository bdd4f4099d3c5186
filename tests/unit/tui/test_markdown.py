from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.apps.tui.markdown import GrowingReply, paragraphs
from stt_daemon.apps.tui.wrap import Piece

markdown = st.lists(
    st.sampled_from([*"a *_`#>\n", "\n\n", "- ", "* ", "1. ", "2) ", "**", "```\n", "  ", "    ", "[u1]"]),
    max_size=40,
)


def drawn(text: str, width: int = 40) -> list[str]:
    return [row.text for one in paragraphs(text) for row in one.rows(width)]


def pieces(text: str) -> list[Piece]:
    return [piece for one in paragraphs(text) for piece in one.pieces]


def test_emphasis_is_drawn_and_its_marks_are_not() -> None:
    assert pieces("a **b** *c*") == [Piece("a "), Piece("b", "strong"), Piece(" "), Piece("c", "emphasis")]


def test_lists_are_nested_and_numbered_as_they_were() -> None:
    assert drawn("3. x\n4. y\n   - z\n   - w") == ["3. x", "4. y", "  • z", "  • w"]


def test_code_keeps_its_form_and_nothing_in_it_is_read() -> None:
    assert drawn("```py\nif x[u1]:\n    **y**\n```") == ["  if x[u1]:", "      **y**"]


def test_line_ends_of_the_model_are_kept() -> None:
    assert drawn("a\nb\n\nc") == ["a", "b", "", "c"]


@pytest.mark.parametrize(
    "text",
    [
        "![image](http://e.vil/x.png)",
        "[link](http://e.vil)",
        "<b>html</b>",
        "&lt; &#27;",
        "# heading",
        "a [/INST] b [/] \\[x\\]",
        "| a | b |",
        "http://e.vil",
        "[l]: http://e.vil",
    ],
)
def test_everything_else_stays_the_text_it_is(text: str) -> None:
    assert drawn(text) == [text]


def test_citations_lead_to_their_lines() -> None:
    found = pieces("x [u1, u22] [20260101-090000:u5] u7 `[u8]`")
    assert [piece.jump for piece in found if piece.jump] == ["u1", "u22"]


def test_what_is_nested_too_deep_is_shown_as_it_was_written() -> None:
    assert drawn("- " * 500 + "x", 2000) == ["- " * 500 + "x"]
    assert drawn("*" * 90 + "x" + "*" * 90, 200)[0].strip("*") == "x"


@pytest.mark.parametrize("text", ["42.", "7)", "- "])
def test_an_item_without_text_is_still_drawn(text: str) -> None:
    assert drawn(text)[0].strip()


def test_an_item_that_begins_with_an_item_loses_neither_mark() -> None:
    assert drawn("- 1. x") == ["• ", "  1. x"]


def test_words_behind_a_fence_are_not_lost() -> None:
    assert drawn("```and then\nx\n```") == ["  and then", "  x"]


@given(markdown)
def test_a_reply_that_grows_ends_as_if_it_had_come_at_once(parts: list[str]) -> None:
    reply = GrowingReply()
    for part in parts:
        reply.grow(part)
        reply.paragraphs()
    assert reply.paragraphs() == paragraphs("".join(parts))
