"""Reading sentences the way facts are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.triage import facts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("twenty three people", "23 people"),
        ("twenty-three", "23"),
        ("the twenty third", "the 23rd"),
        ("a hundred and twenty", "120"),
        ("twelve hundred", "1,200"),
        ("40.000 Euro", "40,000 euros"),
        ("0.125", "zero point one two five"),
        ("forty thousand", "40k"),
        ("forty thousand", "40K"),
        ("two point five million", "2.5 million"),
        ("2.5 million", "2500000"),
        ("$3M", "three million dollars"),
        ("zero point six", "0.60"),
        ("minus five degrees", "-5 degrees"),
        ("007", "7"),
        ("10:00", "ten"),
        ("fifty percent", "50 %"),
        ("the third one", "the 3rd one"),
        ("３０ people", "30 people"),
    ],
)
def test_a_number_has_one_form_however_it_is_said_or_written(one: str, other: str) -> None:
    assert facts.read(one).numbers == facts.read(other).numbers != ()


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("in twenty twenty six", "2026"),
        ("at ten thirty", "10:30"),
        ("call four one five", "415"),
        ("in Q three", "q3"),
        ("it costs 1.200 euros", "1.2"),
        ("two million", "2"),
    ],
)
def test_what_was_said_in_pieces_shows_what_is_written_in_one(said: str, claim: str) -> None:
    assert facts.read(said).says(claim)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is 5 degrees", "It is -5 degrees"),
        ("At 10 a.m.", "At 10 p.m."),
        ("At 10am", "At 10pm"),
        ("Latency < 5 ms", "Latency > 5 ms"),
        ("It costs 40", "It costs 40k"),
        ("Es kostet 40 Euro", "Es kostet 40.000 Euro"),
        ("Version 3.1", "Version 3.1.4"),
    ],
)
def test_what_makes_a_difference_is_read_as_one(one: str, other: str) -> None:
    assert facts.read(one).normal != facts.read(other).normal


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("by Friday", ("friday",)),
        ("on Fridays, or Tue", ("friday", "tuesday")),
        ("we may meet in May", ("may",)),
        ("may 3", ("may",)),
        ("they march on", ()),
        ("March 3rd and tomorrow", ("march", "tomorrow")),
        ("the sun is out", ()),
    ],
)
def test_dates(text: str, dates: tuple[str, ...]) -> None:
    assert facts.read(text).dates == dates


@pytest.mark.parametrize(
    ("text", "names", "possible"),
    [
        ("we asked Anna and Ben's team", {"anna", "ben"}, set()),
        ("Anna asked us", set(), {"anna"}),
        ("The deadline is near. Budget is fine", set(), set()),
        ("GitHub is down, iPhone too", {"github", "iphon"}, set()),
        ("the API of v2", {"api", "v2"}, set()),
        ("so I'm here and I know", set(), set()),
        ("anna said so", set(), set()),
        ("ANNA SAID SO", set(), set()),
    ],
)
def test_names_are_read_from_capital_letters(text: str, names: set[str], possible: set[str]) -> None:
    read = facts.read(text)
    assert (set(read.names), set(read.possible)) == (names, possible)


def test_a_denial_is_counted_in_any_spelling() -> None:
    said = ("we do not ship", "we don't ship", "we don’t ship", "we dont ship", "wir liefern nicht")
    assert [facts.read(text).negations for text in said] == [1, 1, 1, 1, 1]


@pytest.mark.parametrize("text", ["we might move", "Maybe Friday", "Do we move?", "If it works we ship"])
def test_what_nobody_settled_is_hedged(text: str) -> None:
    assert facts.read(text).hedged


def test_the_claims_are_numbers_dates_and_names_but_not_a_mere_one() -> None:
    read = facts.read("One of us tells Anna the first 12 on Friday")
    assert read.claims == {"12", "anna", "friday"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("launches", "launch"),
        ("hiring", "hires"),
        ("planning", "plans"),
        ("policies", "policy"),
        ("Ben's", "Ben"),
    ],
)
def test_endings_that_change_nothing_are_cut(one: str, other: str) -> None:
    assert facts.stem(one) == facts.stem(other)


def test_that_something_was_done_is_not_cut_away() -> None:
    assert facts.stem("fixed") != facts.stem("fix")


def test_ideographs_are_read_one_by_one_with_their_numbers() -> None:
    read = facts.read("会议在3月5日开始")
    assert read.numbers == ("3", "5")
    assert "议" in read.words


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    read = facts.read(text)
    assert read.claims <= read.every_word | set(read.joined)
    assert read.names.isdisjoint(read.possible)


@given(st.integers(0, 999_999))
def test_every_whole_number_in_digits_is_itself(number: int) -> None:
    assert facts.read(f"about {number:,} of {number}").numbers == (str(number), str(number))
