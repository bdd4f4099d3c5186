# ruff: noqa: E501 - replies stand as they came
"""The grammar of a reply: what it lets through is what the parser reads."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.triage.grammar import FACTS_A_LINE, HEADINGS, reply_grammar
from stt_daemon.triage.reply import Sections, parse_reply

_SYMBOL = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{\d+,?\d*\}|[a-z]+|[()|?*+]|\s+')


def pattern(grammar: str) -> str:
    """The grammar, which never refers to itself, as a regular expression."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())

    def expand(body: str) -> str:
        symbols = _SYMBOL.findall(body)
        assert "".join(symbols) == body
        return "".join(
            f"(?:{expand(rules[one])})" if one.isalpha()
            else f"(?:{re.escape(one[1:-1].encode().decode('unicode_escape'))})" if one[0] == '"'
            else one.replace("[", "[", 1) if not one.isspace() else ""
            for one in symbols
        )  # fmt: skip

    return expand(rules["root"])


def lets_through(reply: str, grammar: str) -> bool:
    return re.fullmatch(pattern(grammar), reply) is not None


TWO = reply_grammar(["u1", "u2"], (), HEADINGS)


@pytest.mark.parametrize(
    "reply",
    [
        "NEW FACTS:\nnone\nBRIEF:\nSummary:\nA talk.\n",
        "NEW FACTS:\n- [u1] Budget 500\nBRIEF:\nSummary:\nA talk.\nDecisions:\n- one\n- two\n",
        "NEW FACTS:\n- [u1, u2] Budget\n- [u1] Anna pays\n- [u2] x y\nBRIEF:\nSummary:\nA.\nOpen Questions:\n- q?\n",
    ],
)
def test_the_form_is_let_through(reply: str) -> None:
    assert lets_through(reply, TWO)


@pytest.mark.parametrize(
    "reply",
    [
        "done",
        "BRIEF:\nSummary:\nA talk.\n",
        "NEW FACTS:\n- Budget 500\nBRIEF:\nSummary:\nA talk.\n",
        "NEW FACTS:\n- [u9] Budget 500\nBRIEF:\nSummary:\nA talk.\n",
        "NEW FACTS:\n- [u2] Budget 500\n- [u1] Anna pays\nBRIEF:\nSummary:\nA talk.\n",
        "NEW FACTS:\nnone\nBRIEF:\n",
        "NEW FACTS:\n" + "- [u1] Budget 500\n" * (FACTS_A_LINE + 1) + "BRIEF:\nSummary:\nA talk.\n",
        "NEW FACTS:\nnone\nBRIEF:\nSummary:\n" + "word " * 60 + "\n",
    ],
)
def test_what_is_not_the_form_is_not(reply: str) -> None:
    assert not lets_through(reply, TWO)


def test_a_required_line_cannot_be_passed_over_but_may_hold_nothing() -> None:
    grammar = reply_grammar(["u1", "u2"], {"u2"}, HEADINGS)
    brief = "BRIEF:\nSummary:\nA talk.\n"
    assert not lets_through(f"NEW FACTS:\nnone\n{brief}", grammar)
    assert not lets_through(f"NEW FACTS:\n- [u1] Budget 500\n{brief}", grammar)
    assert lets_through(f"NEW FACTS:\n- [u2] none\n{brief}", grammar)


def test_without_utterances_or_headings_the_form_is_free() -> None:
    grammar = reply_grammar([], (), ())
    assert lets_through("NEW FACTS:\n- Budget 500\nBRIEF:\n- a point\nsome prose\n", grammar)


def test_an_id_that_is_none_does_not_enter_the_grammar() -> None:
    assert '"; root' not in reply_grammar(['u1"; root ::= "x'], (), HEADINGS)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sets(st.sampled_from(["u1", "u2"])), st.sampled_from([HEADINGS, HEADINGS[:2], ()]))
def test_every_reply_it_lets_through_can_be_read(
    data: st.DataObject, need: set[str], parts: tuple[str, ...]
) -> None:
    small = pattern(reply_grammar(["u1", "u2"], need, parts)).replace("{0,47}", "{0,3}")
    reply = data.draw(st.from_regex(small, fullmatch=True, alphabet=st.characters(exclude_categories=["Cs", "Cc"])
                                    | st.just("\n")))  # fmt: skip
    result = parse_reply(reply)
    assert isinstance(result, Sections) or "twice" in result.reason
