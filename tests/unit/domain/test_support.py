"""Citations beside the right line, and replies without any."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.conversation import Citation, CitationFilter, CitationIndex, check_citations
from stt_daemon.domain.support import LineSupport, words_of
from tests.unit.conversation.helpers import NOW, THEN

TALK = {
    1: "Good morning everybody, shall we begin?",
    2: "The library is open source, give it a star on GitHub.",
    3: "We put a lot of effort into making it stable, efficient and easy.",
    4: "Feedback from the community is key to making it better.",
    5: "Shipping moves to the fourth of March.",
    6: "Yes, agreed.",
    7: "Then the budget is 42,500 euros for the whole quarter.",
    8: "Thanks for watching, download it and tell me.",
}


def index(lines: dict[int, str] = TALK, session: str = NOW) -> CitationIndex:
    said = {Citation(session, number): text for number, text in lines.items()}
    return CitationIndex(NOW, frozenset(said), {}, said)


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        # One that fits stays, wherever the claim begins.
        ("Give the library a star on GitHub [u2].", "Give the library a star on GitHub [u2]."),
        (
            "The library is open source. You find that in [u2].",
            "The library is open source. You find that in [u2].",
        ),
        ("The star is for GitHub [u2], the budget is 42,500 euros [u7].",) * 2,
        # The line beside the right one goes, with the word that joined it.
        ("Feedback of the community is key [u4] and [u5].", "Feedback of the community is key [u4]."),
        ("Feedback of the community is key [u3, u4, u5].", "Feedback of the community is key [u4]."),
        ("Lines [u4], [u5] and [u7] say feedback.", "Lines [u4], [u5] and [u7] say feedback."),
        # A wrong one alone is replaced by the right one, once.
        ("It is stable, efficient and easy [u7].", "It is stable, efficient and easy [u3]."),
        ("It is stable, efficient and easy [u7] and [u8].", "It is stable, efficient and easy [u3]."),
        ("It is stable, efficient and easy [u7] and [u3].", "It is stable, efficient and easy [u3]."),
        # Two sentences may rest on two lines.
        ("Give a star on GitHub. The budget is 42,500 euros [u2, u7].",) * 2,
        # A short answer beside the clear line is evidence, one far away is not.
        ("They moved shipping to the fourth of March [u5, u6].",) * 2,
        ("Give the library a star on GitHub [u2, u6].", "Give the library a star on GitHub [u2]."),
        # Nothing is judged where no line is clear: other words, other languages, citations first.
        ("All were of one mind about the plan [u6].",) * 2,
        ("Die Bibliothek ist quelloffen [u2]. Danke [u8].",) * 2,
        ("図書館は公開されています [u2]。",) * 2,
        ("- [u7] The library has a star on GitHub.\n- [u2] The budget is 42,500 euros.",) * 2,
        # A reply that cites nothing ends with what it rests on, if that is clear.
        ("Give the library a star on GitHub.", "Give the library a star on GitHub. [u2]"),
        (
            "It is stable and efficient, not easy. The budget is 42,500 euros.",
            "It is stable and efficient, not easy. The budget is 42,500 euros. [u3, u7]",
        ),
        ("See the documentation of GitHub for what repositories do.",) * 2,
        ("The transcript does not say.",) * 2,
        ("```\nGive the library a star on GitHub\n```",) * 2,
        # An id that does not exist leaves the reply without any.
        ("Give the library a star on GitHub [u99].", "Give the library a star on GitHub. [u2]"),
    ],
)
def test_a_citation_points_to_the_line_that_says_it(reply: str, shown: str) -> None:
    checked = check_citations(reply, index())
    assert checked.text == shown
    assert {cite.utterance for cite in checked.cites} == {
        part for part in ("u2", "u3", "u4", "u5", "u6", "u7", "u8") if part in shown
    }


def test_what_was_changed_is_named() -> None:
    checked = check_citations("It is stable, efficient and easy [u7] and [u8].", index())
    assert [cite.utterance for cite in checked.loose] == ["u7", "u8"]
    assert [cite.utterance for cite in checked.found] == ["u3"]


def test_no_more_than_three_lines_are_named_for_a_reply() -> None:
    reply = " ".join(text for number, text in TALK.items() if number in (2, 3, 4, 5, 7))
    assert len(check_citations(reply, index()).cites) == 3


def test_lines_of_another_session_are_judged_too_and_those_of_earlier_replies_never() -> None:
    assert check_citations("Give the library a star on GitHub.", index(session=THEN)).text.endswith(
        f" [{THEN}:u2]"
    )
    known = index()
    old = Citation(THEN, 9)
    wider = CitationIndex(NOW, known.known | {old}, {}, known.said)
    reply = f"Give the library a star on GitHub [{THEN}:u9]."
    assert check_citations(reply, wider).text == reply


def test_of_equal_lines_the_newest_is_named() -> None:
    twice = LineSupport({"old": "the budget is forty euros", "new": "the budget is forty euros", "x": "else"})
    assert twice.best("budget forty euros") == "new"


def test_words_are_compared_by_their_beginning_and_numbers_whole() -> None:
    assert words_of("Challenges: the 42,500 of it") == words_of("challenging? of 42,500!")
    assert words_of("42,500") != words_of("42,501")


REPLIES = st.lists(
    st.sampled_from(
        [
            *TALK.values(),
            " [u2]",
            " and",
            " [u7]",
            ", ",
            ".",
            "\n",
            "[u3, u4]",
            "```\n",
            " u",
            "[",
            "]",
            " a",
            "[u99]",
        ]
    ),
    max_size=12,
).map("".join)


@given(REPLIES, st.lists(st.integers(1, 9), max_size=40))
def test_the_pieces_make_no_difference_and_the_words_stay(reply: str, sizes: list[int]) -> None:
    whole = check_citations(reply, index())
    reader, rest, shown = CitationFilter(index()), reply, ""
    for size in sizes:
        shown += reader.feed(rest[:size])
        rest = rest[size:]
    shown += reader.feed(rest) + reader.finish()
    assert shown == reader.result().text == whole.text
    assert set(whole.cites) <= index().known
    for text in TALK.values():
        assert whole.text.count(text) == reply.count(text)
