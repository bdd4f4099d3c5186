"""The newest words survive Laya's cut, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.lanes.laya_state import newest_that_fits


def bytes_as_tokens(text: str) -> list[int]:
    """The costliest tokenizer there is: a token for each byte."""
    return [place for place, char in enumerate(text) for _ in char.encode("utf-8")]


def pairs_as_tokens(text: str) -> list[int]:
    """One whose cuts depend on where the text begins."""
    return list(range(0, len(text), 2))


def test_what_fits_stays_as_it_is() -> None:
    assert newest_that_fits(["- one", "- two"], 11, bytes_as_tokens) == ("- one\n- two", 11)


def test_the_oldest_words_go_first_and_the_rest_of_their_line_is_still_a_line() -> None:
    lines = ["- we ship it on Friday", "- yes"]
    assert newest_that_fits(lines, 15, bytes_as_tokens) == ("- Friday\n- yes", 14)
    assert newest_that_fits(lines, 10, bytes_as_tokens) == ("- yes", 5)


@pytest.mark.parametrize(
    "text",
    [
        "we will ship the release on Friday",
        "Мы выпустим релиз в пятницу",
        "我们星期五发布这个版本而且大家都同意了",
        "เราจะปล่อยรุ่นนี้ในวันศุกร์และทุกคนเห็นด้วย",
        "سنصدر هذا الإصدار يوم الجمعة",
        "हम शुक्रवार को यह संस्करण जारी करेंगे",
        "👩‍👩‍👧‍👦" * 12,
    ],
)
def test_in_any_script_the_last_words_are_there(text: str) -> None:
    state, tokens = newest_that_fits(["- " + text * 10], 90, bytes_as_tokens)
    assert state.startswith("- ")
    assert tokens == len(state.encode("utf-8")) <= 90
    assert state.endswith(text[-5:])


def test_no_room_is_no_state() -> None:
    assert newest_that_fits(["- a"], 0, bytes_as_tokens) == ("", 0)


@given(
    st.lists(st.text(alphabet="ab é会👍\u0301", max_size=40), max_size=6),
    st.integers(min_value=8, max_value=80),
    st.sampled_from([bytes_as_tokens, pairs_as_tokens]),
)
def test_the_state_never_exceeds_its_room_and_is_the_end_of_what_was_said(texts, room, tokenizer) -> None:
    lines = ["- " + " ".join(text.split()) for text in texts]
    whole = "\n".join(lines)
    state, tokens = newest_that_fits(lines, room, tokenizer)
    assert tokens == len(tokenizer(state)) <= room
    assert whole.endswith(state.removeprefix("- "))
    assert all(line.startswith("- ") for line in state.split("\n") if state)
