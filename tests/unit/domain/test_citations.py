"""Citations: read, checked, removed, and never shown half."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.domain.citations import (
    Citation,
    CitationFilter,
    CitationIndex,
    check_citations,
    citations_in,
    qualify,
)
from tests.unit.conversation.helpers import NOW, THEN

INDEX = CitationIndex(
    NOW,
    frozenset({*(Citation(NOW, n) for n in (1, 2, 3, 5, 12)), Citation(THEN, 4), Citation(THEN, 5)}),
    {"s1": THEN},
)


@pytest.mark.parametrize(
    ("reply", "shown", "cites"),
    [
        ("It ships Friday [u12].", "It ships Friday [u12].", ["u12"]),
        ("Both [u1, u3] say so.", "Both [u1, u3] say so.", ["u1", "u3"]),
        ("Both [u1][u3].", "Both [u1][u3].", ["u1", "u3"]),
        ("Both [U1; u 3 and u12].", "Both [u1, u3, u12].", ["u1", "u3", "u12"]),
        ("Twice [u1] [u1].", "Twice [u1] [u1].", ["u1"]),
        ("Invented [u99].", "Invented.", []),
        ("Half invented [u99, u3] it is.", "Half invented [u3] it is.", ["u3"]),
        ("Padded [ u003 ].", "Padded [u3].", ["u3"]),
        ("A range [u1-u3].", "A range [u1, u2, u3].", ["u1", "u2", "u3"]),
        ("A range with a hole [u3–u5].", "A range with a hole [u3, u5].", ["u3", "u5"]),
        ("Words [u1 to u2].", "Words [u1, u2].", ["u1", "u2"]),
        ("Backwards [u3-u1].", "Backwards.", []),
        ("Into nothing [u3-u40].", "Into nothing.", []),
        ("Before [s1:u4].", f"Before [{THEN}:u4].", [f"{THEN}:u4"]),
        ("Before [s1:u4-u5].", f"Before [{THEN}:u4, {THEN}:u5].", [f"{THEN}:u4", f"{THEN}:u5"]),
        (f"Lasting [{THEN}:u4].", f"Lasting [{THEN}:u4].", [f"{THEN}:u4"]),
        ("Unknown alias [s7:u4].", "Unknown alias.", []),
        ("With words [u12, Anna].", "With words [u12, Anna].", ["u12"]),
        ("With words [u99, Anna].", "With words.", []),
        ("With alias [s1:u4 Anna].", f"With alias [{THEN}:u4 Anna].", [f"{THEN}:u4"]),
        (
            "No citation: [see above], [12], [x], [], a[0].",
            "No citation: [see above], [12], [x], [], a[0].",
            [],
        ),
        ("Markdown [link](http://h) and [ ] box.", "Markdown [link](http://h) and [ ] box.", []),
        ("[[u1]]", "[[u1]]", ["u1"]),
        ("Open [under construction", "Open [under construction", []),
        ("Torn [u1", "Torn", []),
        ("Torn [u1, u", "Torn", []),
        ("Code:\n```\nx[u99]\n```\nbut [u99] here.", "Code:\n```\nx[u99]\n```\nbut here.", []),
        ("New line [u1\n] stays.", "New line u1\n] stays.", []),
        ("Nested [u11[u99]].", "Nested u11].", []),
        ("Nested [[u11[u99]].", "Nested […u11…].", []),
        ("Nested [[u99]u11].", "Nested […u11].", []),
        ("Nested [ [u99] u11].", "Nested [ … u11].", []),
        ("Spaces   kept  \nhere ", "Spaces   kept  \nhere ", []),
    ],
)
def test_only_existing_lines_stay_cited(reply: str, shown: str, cites: list[str]) -> None:
    checked = check_citations(reply, INDEX)
    assert checked.text.rstrip() == shown.rstrip()
    assert [cite.form(NOW) for cite in checked.cites] == cites


def test_what_was_dropped_is_named() -> None:
    assert check_citations("No [u99] and [u1, u77].", INDEX).dropped == ("u99", "u77")


def test_nothing_of_a_bracket_is_shown_before_it_is_decided() -> None:
    reader = CitationFilter(INDEX)
    assert reader.feed("On Friday [u") == "On Friday"
    assert reader.feed("9") == ""
    assert reader.feed("9]") == ""
    assert reader.feed(".") == "."
    reader = CitationFilter(INDEX)
    assert reader.feed("On Friday [u1") == "On Friday"
    assert reader.feed("2] it") == " [u12] it"


def test_a_bracket_that_cannot_be_a_citation_is_not_held_back() -> None:
    assert CitationFilter(INDEX).feed("see [ab") == "see [ab"


REPLIES = st.text(alphabet="[]us:123459,-– \n`ab.", max_size=60) | st.lists(
    st.sampled_from(["[u1]", "[u99]", " ", "[u1,", "u3]", "text", "[s1:u4]", "\n```\n", "[", "]", "and"]),
    max_size=12,
).map("".join)


@settings(deadline=None)
@given(REPLIES, st.lists(st.integers(1, 7), max_size=30))
def test_the_pieces_a_reply_arrives_in_make_no_difference(reply: str, sizes: list[int]) -> None:
    reader, rest = CitationFilter(INDEX), reply
    out = ""
    for size in sizes:
        out += reader.feed(rest[:size])
        rest = rest[size:]
    out += reader.feed(rest) + reader.finish()
    whole = check_citations(reply, INDEX)
    assert out == whole.text == reader.result().text
    assert reader.result() == whole


@settings(deadline=None)
@given(REPLIES)
def test_outside_code_only_known_lines_remain_and_all_are_listed(reply: str) -> None:
    checked = check_citations(reply.replace("`", ""), INDEX)
    assert set(checked.cites) <= INDEX.known
    again = check_citations(checked.text + "!", INDEX)
    assert again.text == checked.text + "!"
    assert set(again.cites) == set(checked.cites)
    assert citations_in([checked.text], NOW) <= INDEX.known


def test_a_text_from_another_session_keeps_pointing_there() -> None:
    assert qualify("see [u1, u2] and [s]", THEN, NOW) == f"see [{THEN}:u1, {THEN}:u2] and [s]"
    assert qualify("see [u1]", NOW, NOW) == "see [u1]"
    assert qualify(f"see [{THEN}:u1]", NOW, "20270101-000000") == f"see [{THEN}:u1]"
