"""Phrases that change the mode."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.commands import ModePhrases, mode_change

PHRASES = ModePhrases(("assistant chat",), ("assistant command",), ("assistant stop",))


@pytest.mark.parametrize(
    ("text", "mode", "before", "after"),
    [
        ("Assistant chat.", "chat", "", ""),
        ("assistant, chat", "chat", "", ""),
        ("Um, assistant chat, what did we decide?", "chat", "", "what did we decide?"),
        ("Okay so assistant command mute the mic please.", "command", "", "mute the mic please."),
        ("That is done. Assistant command. Mute.", "command", "That is done.", "Mute."),
        ("Assistant stop.", "idle", "", ""),
        ("Thank you, that is all, assistant stop.", "idle", "Thank you, that is all,", ""),
        ("ASSISTANT-CHAT please", "chat", "", ""),
    ],
)
def test_a_phrase_changes_the_mode_and_gives_back_the_rest(
    text: str, mode: str, before: str, after: str
) -> None:
    change = mode_change(text, PHRASES)
    assert change is not None
    assert (change.mode, change.before, change.after) == (mode, before, after)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We spoke about the assistant chat yesterday.",
        "The assistant stop was a bad idea.",
        "assistant",
        "assistant shot",
        "my assistants chat a lot",
        "command",
    ],
)
def test_talking_about_a_phrase_changes_nothing(text: str) -> None:
    assert mode_change(text, PHRASES) is None


def test_several_changes_in_one_turn_are_found_one_after_the_other() -> None:
    first = mode_change("Assistant chat. Who owns it? Assistant stop.", PHRASES)
    assert first is not None
    second = mode_change(first.after, PHRASES)
    assert second is not None
    assert (first.mode, second.mode, second.before, second.after) == ("chat", "idle", "Who owns it?", "")


def test_the_longer_of_two_phrases_wins() -> None:
    phrases = ModePhrases(("computer",), ("computer do",), ())
    change = mode_change("Computer, do mute.", phrases)
    assert change is not None
    assert (change.mode, change.after) == ("command", "mute.")


def test_no_phrases_mean_no_change() -> None:
    assert mode_change("assistant chat", ModePhrases(("", "..."))) is None


@settings(deadline=None)
@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["assistant", "chat", "stop", ".", ",", "um"]), max_size=9).map(" ".join)
)
def test_no_text_upsets_the_search_and_the_parts_come_from_it(text: str) -> None:
    change = mode_change(text, PHRASES)
    if change is not None:
        assert len(change.before) + len(change.after) <= len(text) * 3
