"""Special tokens, fences and halves of surrogate pairs."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.llm.cleaning import (
    SPECIAL_TOKENS,
    AnswerEdges,
    SurrogateJoiner,
    clean_tail,
    unfence,
    well_formed,
)


@pytest.mark.parametrize("token", SPECIAL_TOKENS)
def test_a_trailing_special_token_is_removed(token: str) -> None:
    assert clean_tail(f"yes.{token}") == "yes."


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  yes \n", "yes"),
        ("yes</s> <|im_end|>\n", "yes"),
        ("<|im_end|>", ""),
        ("the token </s> ends it", "the token </s> ends it"),
        ("it ends with `</s>`", "it ends with `</s>`"),
        ("a <|im_e", "a <|im_e"),
        ("a < b <", "a < b <"),
    ],
)
def test_blanks_go_at_both_ends_and_tokens_only_at_the_end(raw: str, clean: str) -> None:
    assert clean_tail(raw) == clean


PARTS = st.sampled_from([*SPECIAL_TOKENS, " ", "\n", "word", "<", "<|", "|>", "</s", "a"])


@given(st.lists(PARTS, max_size=12).map("".join), st.lists(st.integers(0, 200), max_size=10))
def test_the_pieces_given_out_add_up_to_the_clean_text_however_it_was_cut(raw: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    cleaner = AnswerEdges()
    given_out = "".join(cleaner.feed(raw[a:b]) for a, b in pairwise(edges))
    assert given_out + cleaner.close() == clean_tail(raw)


INNER = "```py\nx = 1\n```"


@pytest.mark.parametrize(
    ("fenced", "bare"),
    [
        ("```\nNEW FACTS:\n- a\n```", "NEW FACTS:\n- a"),
        ("```markdown\n# Brief\ntext\n```", "# Brief\ntext"),
        ("\n```text\r\nline\r\n```\r\n", "line"),
        ("~~~\nline\n~~~", "line"),
        (f"```markdown\nbefore\n{INNER}\nafter\n```", f"before\n{INNER}\nafter"),
        (f"````\nbefore\n{INNER}\nafter\n````", f"before\n{INNER}\nafter"),
        ("```markdown\nbefore\n```\nplain\n```\nafter\n```", "before\n```\nplain\n```\nafter"),
        ("```markdown\ncut by the limit", "cut by the limit"),
    ],
)
def test_72_the_outer_fence_goes_and_inner_ones_stay(fenced: str, bare: str) -> None:
    assert unfence(fenced) == bare


@pytest.mark.parametrize(
    "text",
    [
        "no fence",
        "",
        f"before\n{INNER}",
        f"{INNER}\nafter",
        f"{INNER}\nbetween\n{INNER}",
        "```\na\n```\nbetween\n```\nb\n```",
        "```py\ncut by the limit",
        "```",
    ],
)
def test_a_fence_that_does_not_wrap_the_whole_reply_stays(text: str) -> None:
    assert unfence(text) == text


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert well_formed("a\ud800b") == "a\ufffdb"
    assert well_formed("a\udfff") == "a\ufffd"
    assert well_formed("\ud83d\ude00") == "\U0001f600"
    assert well_formed("plain \U0001f600") == "plain \U0001f600"


@given(st.text(alphabet=st.characters(codec=None)))
def test_well_formed_text_always_encodes(text: str) -> None:
    assert well_formed(text).encode().decode() == well_formed(well_formed(text))


def test_a_pair_cut_in_two_is_joined_again() -> None:
    joiner = SurrogateJoiner()
    assert [joiner.feed("a\ud83d"), joiner.feed("\ude00b"), joiner.feed("\ud83d"), joiner.close()] == [
        "a",
        "\U0001f600b",
        "",
        "\ufffd",
    ]
