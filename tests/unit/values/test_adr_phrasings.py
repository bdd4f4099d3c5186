"""Phrasings that earlier ways of reading got wrong, each with what must come of it."""

from __future__ import annotations

import pytest

from stt_daemon.values import Search, ask, find, settle
from tests.unit.values.helpers import CHICAGO, NOW, always_yes, answers, at, clock, example, one, read

ARRIVAL = (example().named("arrival_time"),)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("ETA 9:30am", "10-08 09:30"),
        ("will be there by 9:30", "10-08 09:30"),
        ("in 45 min", "10-08 08:45"),
        ("arriving around 2pm", "10-08 14:00"),
        ("by 9:30", "10-08 09:30"),
        ("ETA 10:30 at the receiver", "10-08 10:30"),
        ("9:30am", "10-08 09:30"),
        ("correction ETA 10:30", "10-08 10:30"),
        ("9:30", "10-08 09:30"),
        ("at 10", "10-08 10:00"),
        ("45 min out", "10-08 08:45"),
        ("around 10", "10-08 10:00"),
        ("arriving 9:30", "10-08 09:30"),
        ("be there 9:30", "10-08 09:30"),
        ("eta 9:30", "10-08 09:30"),
        # An hour that is no clock time without am or pm is a length of time here, never 13:30.
        ("1:30 out", "10-08 09:30"),
    ],
)
def test_clean_controls_are_accepted_by_the_syntax(text: str, moment: str) -> None:
    assert clock(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "in 9:30",
        "eta 2",
        "sat 9am",
        "Tomorrow. ETA 9:30am",
        "Not today. ETA 10am",
        "tomorrow at 9",
        "ETA 10:30 or so",
        "9:30 on I-80",
    ],
)
def test_syntax_in_doubt_has_no_value_even_if_the_classifier_confirms(text: str) -> None:
    assert clock(text) == ""
    asked = ask(ARRIVAL, text, now=NOW, zone=CHICAGO)  # type: ignore[arg-type]
    (outcome,) = settle(asked, always_yes(asked))
    assert outcome.status == "unparseable"
    assert outcome.quoted in text


@pytest.mark.parametrize(
    "text",
    [
        "won’t make it by 10",
        "tow eta 9:30",
        "parts eta 9:30",
        "old eta 9:30",
        "customer wants him there by 9:30",
        "eta was 9:30",
        "eta 9:30 nvm",
        "call me by 9:30",
        "eta 9:30 at pickup",
        "arrived 9:30",
        "back by 10",
    ],
)
@pytest.mark.parametrize(("main", "guard"), [(0.05, 0.05), (0.9, 0.9), (0.5, 0.1)])
def test_meaning_is_left_to_the_classifier_and_its_no_its_guard_and_its_doubt_count(
    text: str, main: float, guard: float
) -> None:
    asked = ask(ARRIVAL, text, now=NOW, zone=CHICAGO)  # type: ignore[arg-type]
    assert asked.questions
    found = settle(asked, answers(asked, lambda _: main, lambda _: guard))
    assert all(outcome.value is None for outcome in found)


def test_three_pallets_are_no_time() -> None:
    assert find("about 3 pallets", Search("instant"), at()) == ()


def test_the_appointment_is_told_from_the_arrival_by_the_classifier() -> None:
    asked = ask(ARRIVAL, "he’ll be there by 9:30, is the appointment still 6 to 2?", now=NOW, zone=CHICAGO)  # type: ignore[arg-type]
    ((_, candidates),) = asked.candidates
    assert [candidate.span.text for candidate in candidates] == ["9:30", "6 to 2"]
    right = answers(asked, lambda n: 0.9 if n == 1 else 0.05, lambda n: 0.05 if n == 1 else 0.9)
    assert str(settle(asked, right)[0].value) == "Thu Oct 8, 9:30 AM CDT"
    assert settle(asked, always_yes(asked))[0].status == "unclear"


def test_the_question_says_how_the_words_were_read() -> None:
    asked = ask(ARRIVAL, "ETA 9:30am", now=NOW, zone=CHICAGO)  # type: ignore[arg-type]
    assert "“9:30am” (read as Thu Oct 8, 9:30 AM CDT)" in asked.questions["arrival_time.1"]["instructions"]


def test_temperature_and_seal() -> None:
    assert read("-10F", "temperature") == "-10 °F"
    assert read("run at 34 degrees", "temperature", scale="F") == "34 °F"
    assert read("seal 123456", "identifier", labels=("seal",)) == "123456"
    assert one("seal 123456", "identifier", labels=("seal",)).span.text == "123456"
