"""Where a text that is too long may begin."""

from __future__ import annotations

import pytest

from stt_daemon.domain.cuts import word_start


@pytest.mark.parametrize(
    ("text", "at", "rest"),
    [
        ("on Friday", 0, "on Friday"),
        ("on Friday", 1, "Friday"),
        ("on Friday", 2, "Friday"),
        ("on Friday", 3, "Friday"),
        ("on Friday", 4, "riday"),
        ("on Friday", 99, ""),
        ("on Friday", -1, "on Friday"),
        ("会議は金曜日", 2, "は金曜日"),
        ("cafe\u0301s", 4, "s"),
    ],
)
def test_a_text_begins_with_a_word_where_one_follows(text: str, at: int, rest: str) -> None:
    assert text[word_start(text, at) :] == rest


def test_a_blank_far_away_is_not_waited_for() -> None:
    text = "x" * 100 + " end"
    assert word_start(text, 10) == 10
    assert text[word_start(text, 95) :] == "end"
