from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.domain.text import plain
from stt_daemon.sessions.text import iso_local

any_text = st.text(st.characters(categories=None))  # type: ignore[arg-type]


def test_escape_sequences_lose_what_makes_a_terminal_obey() -> None:
    assert plain("\x1b[31mred\x1b[0m \x9b2Jgone\x07") == "[31mred[0m 2Jgone"


def test_text_that_only_looks_like_markup_stays() -> None:
    assert plain("a [/INST] b [MASK] [/usr/bin/foo]") == "a [/INST] b [MASK] [/usr/bin/foo]"


def test_line_breaks_become_one_space() -> None:
    assert plain("one\r\ntwo\u2028three\tfour") == "one two three four"


def test_bidi_overrides_go_and_right_to_left_letters_stay() -> None:
    assert plain("\u202eevil\u202c \u2066x\u2069 שלום") == "evil x שלום"


def test_a_lone_surrogate_is_replaced_and_a_split_pair_joined() -> None:
    assert plain("a\ud800b") == "a\ufffdb"
    assert plain("\ud83d\ude00") == "😀"


def test_joined_emoji_survive() -> None:
    family = "👩\u200d👩\u200d👧 ❤\ufe0f"
    assert plain(family) == family


@given(any_text)
def test_nothing_unprintable_passes(text: str) -> None:
    made = plain(text)
    made.encode("utf-8")
    assert not [c for c in made if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}]
    assert plain(made) == made


def test_a_moment_carries_its_offset_and_milliseconds() -> None:
    moment = iso_local(1_764_500_000.1234)
    assert moment[19:23] == ".123"
    assert moment[23] in "+-"
