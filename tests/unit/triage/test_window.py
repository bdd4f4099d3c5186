"""The newest lines under the budget, oldest first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.triage.window import Entry, join_state, state_lines


def said(text: str, number: int = 1) -> Entry:
    return Entry(f"u{number}", "Speaker", text, float(number), number + 0.5)


def typed(speaker: str, text: str) -> Entry:
    return Entry("", speaker, text, 1.0, 1.0)


def test_the_newest_lines_are_kept_in_the_order_of_speech() -> None:
    entries = [said("one", 1), said("two", 2), said("three", 3)]
    assert state_lines(entries, budget=13) == ["- two", "- three"]
    assert state_lines(entries, budget=12) == ["- three"]
    assert join_state(state_lines(entries, budget=100)) == "- one\n- two\n- three"


def test_an_older_line_that_would_fit_does_not_jump_the_one_that_does_not() -> None:
    entries = [said("a", 1), said("far too long for this", 2), said("b", 3)]
    assert state_lines(entries, budget=12) == ["- b"]


def test_a_chat_turn_says_who_wrote_it_and_speech_does_not() -> None:
    lines = state_lines([said("hello"), typed("You", "when?"), typed("Assistant", "on Friday")], budget=100)
    assert lines == ["- hello", "- You: when?", "- Assistant: on Friday"]


def test_a_line_alone_over_the_budget_loses_its_oldest_words() -> None:
    assert state_lines([said("older"), said("we ship it on Friday")], budget=12) == ["- on Friday"]


def test_a_line_without_blanks_loses_its_oldest_characters() -> None:
    assert state_lines([said("会議は金曜日に終わる" * 20)], budget=12) == [
        "- " + ("会議は金曜日に終わる" * 20)[-10:]
    ]


def test_an_entry_is_one_line_without_control_characters() -> None:
    assert state_lines([said("a\n- b\x1b[2J\tc\ud800")], budget=100) == ["- a - b[2J c\ufffd"]


def test_entries_without_words_make_no_line() -> None:
    assert state_lines([said(" \n"), typed("You", "")], budget=100) == []
    assert state_lines([], budget=100) == []


@given(
    st.lists(st.text(alphabet="ab 会\n", max_size=30), max_size=8), st.integers(min_value=10, max_value=60)
)
def test_the_state_stays_under_the_budget_and_ends_with_the_newest_words(
    texts: list[str], budget: int
) -> None:
    entries = [said(text, number) for number, text in enumerate(texts)]
    state = join_state(state_lines(entries, budget=budget))
    assert len(state) <= budget
    words = [" ".join(text.split()) for text in texts if text.split()]
    if words:
        assert state.endswith(words[-1][-1])
