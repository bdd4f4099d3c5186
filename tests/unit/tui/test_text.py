from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from stt_daemon.apps.tui.text import cells, label, shown, shown_lines
from tests.tui.saying import HOSTILE


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_nothing_steers_the_terminal(text: str) -> None:
    assert all(unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp") for char in shown(text))


@given(st.text())
def test_every_character_takes_its_own_columns_whatever_stands_beside_it(text: str) -> None:
    drawn = shown(text)
    assert cells(drawn) == cell_len(drawn) == sum(map(get_character_cell_size, drawn))


@given(st.text())
def test_showing_twice_changes_nothing_more(text: str) -> None:
    assert shown(shown(text)) == shown(text)


def test_brackets_stay_as_they_are() -> None:
    assert shown("a [/INST] b [/] [bold]c") == "a [/INST] b [/] [bold]c"


def test_a_title_reads_no_markup() -> None:
    assert label("[bold]x[/] [inf 2]").plain == "[bold]x[/] [inf 2]"


def test_joined_emoji_are_shown_as_their_parts() -> None:
    assert shown("👩‍🔬 ❤️ 👍🏽") == "👩🔬 ❤ 👍"


def test_persian_keeps_its_non_joiner() -> None:
    assert shown("می‌خواهم") == "می‌خواهم"


def test_piled_accents_are_cut_down() -> None:
    assert len(shown("z" + "\u0301" * 500)) == 4


def test_line_ends_are_kept_where_a_text_has_lines() -> None:
    assert shown_lines("a\r\nb\x1b[2J\n\tc") == ["a", "b[2J", "    c"]
