# ruff: noqa: E501 - replies stand as they came
"""Replies: read whole in any dress, or not at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.triage.reply import Sections, Unusable, parse_reply

PLAIN = Sections(("Anna sends the report [u1]", "Budget 500 [u2]"), "Summary:\n- A report.")


@pytest.mark.parametrize(
    "reply",
    [
        "NEW FACTS:\n- Anna sends the report [u1]\n- Budget 500 [u2]\nBRIEF:\nSummary:\n- A report.",
        "**NEW FACTS:**\n- Anna sends the report [u1]\n- Budget 500 [u2]\n**BRIEF:**\nSummary:\n- A report.\n",
        "**NEW FACTS**:\n- Anna sends the report [u1]\n- Budget 500 [u2]\n\n__BRIEF__\nSummary:\n- A report.",
        "## NEW FACTS\n\n* Anna sends the report [u1]\n* Budget 500 [u2]\n\n## Brief\n\nSummary:\n* A report.",
        "# **New Facts**\n- Anna sends the report [u1]\n- Budget 500 [u2]\n# **Brief**\nSummary:\n- A report.",
        "NEW FACTS：\r\n- Anna sends the report [u1]\r\n- Budget 500 [u2]\r\nBRIEF：\r\nSummary:\r\n- A report.\r\n",
        "```\nNEW FACTS:\n- Anna sends the report [u1]\n- Budget 500 [u2]\nBRIEF:\nSummary:\n- A report.\n```",
        "NEW FACTS:\n```\n- Anna sends the report [u1]\n- Budget 500 [u2]\n```\nBRIEF:\n```text\nSummary:\n- A report.\n```",
        "<think>NEW FACTS:\n- no\nBRIEF:\n</think>\nNEW FACTS:\n- Anna sends the report [u1]\n- Budget 500 [u2]\n"
        "BRIEF:\nSummary:\n- A report.",
        "Sure! Let me think. They talk about NEW FACTS: and more.\n\nNEW FACTS:\n1. Anna sends the report [u1]\n"
        "2. Budget 500 [u2]\nBRIEF:\nSummary:\n• A report.",
        "BRIEF:\nSummary:\n- A report.\nNEW FACTS:\n- Anna sends the report [u1]\n- Budget 500 [u2]",
        "  new facts:\n  - Anna sends the report [u1]\n  - Budget 500 [u2]\n  brief:\n  Summary:\n  - A report.",
        "NEW FACTS\n- Anna sends the report [u1]\n- Budget 500 [u2]\nBRIEF\nSummary:\n- A report.",
        "1. NEW FACTS:\n- Anna sends the report [u1]\n- Budget 500 [u2]\n2. BRIEF:\nSummary:\n- A report.",
        "NEW FACTS: - Anna sends the report [u1]\n- Budget 500 [u2]\nBRIEF: Summary:\n- A report.",
        "NEW FACTS:\nAnna sends the report [u1]\nBudget 500 [u2]\nBRIEF:\nSummary:\n- A report.",
        "NEW FACTS:\n- Anna sends\n  the report [u1]\n- Budget 500 [u2]\nBRIEF:\nSummary:\n- A report.",
        "NEW FACTS:\n- Anna sends the report [u1]\n- Budget 500 [u2]\nBRIEF:\nSummary:\n- A report.\n\n"
        "Prior Details:\n- An old fact.",
    ],
)
def test_the_two_sections_are_read_in_any_dress(reply: str) -> None:
    assert parse_reply(reply) == PLAIN


@pytest.mark.parametrize(
    "none", ["none", "None.", "- none", "(none)", "- No new facts.", "N/A", "", "**none**"]
)
def test_no_facts_may_be_said_in_several_ways(none: str) -> None:
    assert parse_reply(f"NEW FACTS:\n{none}\nBRIEF:\nA talk.") == Sections((), "A talk.")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "lacks the section NEW FACTS and the section BRIEF"),
        ("done", "lacks the section NEW FACTS and the section BRIEF"),
        ("[u1] Anna: I send the report.\n[u2] Ben: Fine.", "lacks the section NEW FACTS and"),
        ("NEW FACTS:\n- Budget 500", "lacks the section BRIEF"),
        ("BRIEF:\n- Budget 500", "lacks the section NEW FACTS"),
        ("NEW FACTS:\n- a b\nBRIEF:\nx\nBRIEF:\ny", "BRIEF stands in the reply twice"),
        ("NEW FACTS:\n- a b\nNEW FACTS:\n- c\nBRIEF:\ny", "NEW FACTS stands in the reply twice"),
        ("Brief and to the point.\nNEW FACTS:\n- a b", "lacks the section BRIEF"),
        ('{"new_facts": [], "brief": ""}', "lacks"),
    ],
)
def test_what_is_not_in_the_form_is_rejected_whole(reply: str, reason: str) -> None:
    result = parse_reply(reply)
    assert isinstance(result, Unusable)
    assert reason in result.reason


def test_a_heading_that_somebody_said_is_a_word_in_a_note() -> None:
    reply = "NEW FACTS:\n- BRIEF: was shouted [u1]\n- Ben said: NEW FACTS: none\nBRIEF:\n- Somebody said BRIEF: done"
    assert parse_reply(reply) == Sections(
        ("BRIEF: was shouted [u1]", "Ben said: NEW FACTS: none"), "- Somebody said BRIEF: done"
    )


@pytest.mark.parametrize(
    ("reply", "facts"),
    [
        ("NEW FACTS:\n- one two\n- three four\n- fi", ("one two", "three four")),
        ("NEW FACTS:\n- one two\n- three four\nBRIEF:\nSummary: a mee", ("one two",)),
        ("NEW FACTS:\n- one two\n- three four\n", ("one two",)),
        ("NEW FACTS:\n- on", ()),
        ("NEW FACTS:", ()),
    ],
)
def test_of_a_cut_reply_the_facts_count_without_the_last_line(reply: str, facts: tuple[str, ...]) -> None:
    assert parse_reply(reply, cut=True) == Sections(facts, "")


def test_a_cut_reply_without_facts_is_rejected() -> None:
    assert isinstance(parse_reply("BRIEF:\nSummary: a mee", cut=True), Unusable)


def test_the_narrative_keeps_its_headings_and_loses_what_was_copied_or_repeated() -> None:
    reply = "NEW FACTS:\nnone\nBRIEF:\n**Summary:** a talk\n\n- one\n- one\n\x1b[2Jtwo\nCURRENT LEDGER:\n- copied\n"
    assert parse_reply(reply) == Sections((), "**Summary:** a talk\n- one\n[2Jtwo")


def test_a_reply_with_nothing_in_it_reads_as_nothing() -> None:
    assert parse_reply("NEW FACTS:\nnone\nBRIEF:\nnone") == Sections((), "")


PIECES = st.sampled_from(
    [
        "NEW FACTS:",
        "BRIEF:",
        "**",
        "## ",
        "\n",
        "\r\n",
        "- ",
        "none",
        "[u1]",
        "<think>",
        "</think>",
        "```",
        "：",
        " ",
    ]
)


@given(st.lists(PIECES | st.text(max_size=12), max_size=40).map("".join), st.booleans())
def test_any_reply_is_read_or_rejected_and_holds_no_control_bytes(reply: str, cut: bool) -> None:
    result = parse_reply(reply, cut=cut)
    if isinstance(result, Sections):
        assert all(fact.strip() and "\n" not in fact for fact in result.facts)
        assert "\x1b" not in result.narrative
        assert not cut or result.narrative == ""


@settings(max_examples=8, deadline=None)
@given(
    st.sampled_from(
        ["*", "# ", "- ", "NEW FACTS", "BRIEF ", " ", "`", "<think", "1. ", "[u1", "_", "\n", "a "]
    )
)
def test_a_long_reply_is_read_in_linear_time(piece: str) -> None:
    started = time.process_time()
    parse_reply(piece * 40_000)
    parse_reply("NEW FACTS:\n" + piece * 20_000 + "\nBRIEF:\n" + piece * 20_000)
    assert time.process_time() - started < 10  # quadratic would be minutes
