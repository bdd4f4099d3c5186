from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from stt_daemon.apps.tui.text import shown
from stt_daemon.apps.tui.wrap import Piece, Row, wrap

texts = st.text(alphabet=st.sampled_from("ab é日語👩\u0301 -"), max_size=120).map(shown)


def broken(text: str, width: int, **how: int | bool) -> list[str]:
    return [row.text for row in wrap([Piece(text)], width, **how)]  # type: ignore[arg-type]


def joined(rows: list[Row]) -> str:
    return "".join(("" if at == 0 else row.glue) + row.text[row.indent :] for at, row in enumerate(rows))


def test_rows_end_at_blanks() -> None:
    assert broken("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_a_word_that_just_fits_is_not_broken() -> None:
    assert broken("the quick", 9) == ["the quick"]


def test_a_word_wider_than_the_row_is_cut() -> None:
    assert broken("ab " + "w" * 12, 5) == ["ab", "wwwww", "wwwww", "ww"]


def test_further_rows_hang() -> None:
    assert broken("one two three four", 14, hang=4) == ["one two three", "    four"]


def test_a_hang_that_leaves_no_room_shrinks() -> None:
    assert broken("one two three", 9, hang=5) == ["one two", "  three"]


def test_wide_characters_count_twice_and_may_be_parted() -> None:
    assert broken("日本語テスト", 5) == ["日本", "語テ", "スト"]


def test_an_accent_stays_with_its_letter() -> None:
    assert broken("e\u0301" * 4, 2) == ["e\u0301e\u0301", "e\u0301e\u0301"]


def test_code_keeps_its_blanks() -> None:
    assert broken("a    b", 4, fold=True) == ["a   ", " b"]


def test_styles_and_jumps_survive_the_break() -> None:
    rows = wrap([Piece("see "), Piece("this line", "strong", "u1"), Piece(" now")], 8)
    assert [row.pieces for row in rows] == [
        (Piece("see "), Piece("this", "strong", "u1")),
        (Piece("line", "strong", "u1"), Piece(" now")),
    ]


@given(texts, st.integers(2, 30), st.integers(0, 12))
def test_no_row_is_too_wide(text: str, width: int, hang: int) -> None:
    assert all(cell_len(row) <= width for row in broken(text, width, hang=hang))


@given(texts, st.integers(1, 30), st.integers(0, 12), st.booleans())
def test_rows_and_what_stood_between_them_are_the_text(text: str, width: int, hang: int, fold: bool) -> None:
    rows = wrap([Piece(text)], width, hang=hang, fold=fold)
    whole = joined(rows)
    assert text.startswith(whole)
    assert not text[len(whole) :].strip(" ")


@given(texts, st.integers(2, 30))
def test_only_blanks_are_lost_at_a_break(text: str, width: int) -> None:
    assert all(not row.glue.strip(" ") for row in wrap([Piece(text)], width)[1:])
