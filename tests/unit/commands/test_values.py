"""Typed arguments: read when there is one sensible reading, else not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.commands.clock_time import read_time
from stt_daemon.commands.values import (
    Duration,
    TimeOfDay,
    Unreadable,
    read_duration,
    read_number,
    read_text,
)

SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen"""
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
PIECES = (
    """a an half quarter quarters of and one two ten 5 1.5 hour hours minute minutes s 30 past to pm at o"""
)


def in_words(number: int) -> str:
    """A number as people say it, by another road than the reader's."""
    small, tens = SMALL.split(), TENS.split()
    if number < 20:
        return small[number]
    if number < 100:
        return tens[number // 10 - 2] + (f"-{small[number % 10]}" if number % 10 else "")
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = f" and {in_words(number % size)}" if number % size else ""
            return f"{in_words(number // size)} {name}{rest}"
    raise AssertionError(number)


@settings(deadline=None)
@given(st.integers(0, 999_999))
def test_every_number_is_read_in_words_and_in_digits(number: int) -> None:
    assert read_number(in_words(number)) == number
    assert read_number(str(number)) == number
    assert read_number(f"{number:,}") == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("twenty five", 25),
        ("Twenty-five.", 25),
        ("um, seven please", 7),
        ("a hundred and three", 103),
        ("the last 4", 4),
    ],
)
def test_a_spoken_number_is_read(text: str, number: int) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "to",
        "for",
        "won",
        "-5",
        "minus five",
        "5%",
        "2.5",
        "one one",
        "ten fifteen",
        "10-15",
        "a few",
        "two or three",
    ],
)
def test_what_is_not_one_whole_number_is_not_read(text: str) -> None:
    assert isinstance(read_number(text), Unreadable)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("ten minutes", 600),
        ("90 s", 90),
        ("90s", 90),
        ("an hour and a half", 5400),
        ("one hour and a half", 5400),
        ("half an hour", 1800),
        ("a half hour", 1800),
        ("a quarter of an hour", 900),
        ("three quarters of an hour", 2700),
        ("two and a half hours", 9000),
        ("1.5 hours", 5400),
        ("1h 30m", 5400),
        ("one hour and thirty minutes", 5400),
        ("two minutes, thirty seconds", 150),
        ("for twenty-five minutes, please", 1500),
        ("a minute", 60),
        ("two days", 172_800),
    ],
)
def test_a_duration_is_read(text: str, seconds: int) -> None:
    assert read_duration(text) == Duration(seconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ten",
        "minutes",
        "a couple of minutes",
        "an hour or two",
        "ten to twenty minutes",
        "thirty seconds two minutes",
        "-5 minutes",
        "1.5 seconds",
        "zero minutes",
        "two minutes and",
        "one hour thirty",
        "2 weeks",
    ],
)
def test_what_is_not_one_duration_is_not_read(text: str) -> None:
    assert isinstance(read_duration(text), Unreadable)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("14:30", (14, 30)),
        ("14.30", (14, 30)),
        ("09:30", (9, 30)),
        ("0:15", (0, 15)),
        ("at 9 pm", (21, 0)),
        ("9pm", (21, 0)),
        ("2:30 p.m.", (14, 30)),
        ("half past nine in the evening", (21, 30)),
        ("a quarter to ten pm", (21, 45)),
        ("ten to one pm", (12, 50)),
        ("five past three in the afternoon", (15, 5)),
        ("nine o'clock in the morning", (9, 0)),
        ("nine thirty pm", (21, 30)),
        ("nine oh five am", (9, 5)),
        ("twenty one thirty", (21, 30)),
        ("twenty past fourteen", (14, 20)),
        ("noon", (12, 0)),
        ("12 pm", (12, 0)),
        ("12 am", (0, 0)),
        ("midnight", (0, 0)),
        ("eight tonight", (20, 0)),
    ],
)
def test_a_time_of_day_is_read(text: str, time: tuple[int, int]) -> None:
    assert read_time(text) == TimeOfDay(*time)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("half past nine", ("9:30 am", "9:30 pm")),
        ("9:30", ("9:30 am", "9:30 pm")),
        ("nine o'clock", ("9:00 am", "9:00 pm")),
        ("12:30", ("12:30 am", "12:30 pm")),
        ("a quarter to twelve pm", ("11:45 am", "11:45 pm")),
        ("two in the evening", ("2:00 am", "2:00 pm")),
    ],
)
def test_a_time_that_comes_twice_a_day_is_asked_about(text: str, options: tuple[str, ...]) -> None:
    reading = read_time(text)
    assert isinstance(reading, Unreadable)
    assert reading.options == options


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nine",
        "21",
        "half nine",
        "half to nine",
        "25:00",
        "12:75",
        "14:30 pm",
        "tomorrow at nine pm",
        "9-10 pm",
        "tonight",
    ],
)
def test_what_is_no_time_of_day_is_not_read(text: str) -> None:
    reading = read_time(text)
    assert isinstance(reading, Unreadable)
    assert not reading.options


@settings(deadline=None)
@given(st.integers(0, 23), st.integers(0, 59))
def test_every_time_written_the_24_hour_way_is_read(hour: int, minute: int) -> None:
    if hour not in (10, 11, 12):  # these are written the same on both clocks
        assert read_time(f"{hour:02d}:{minute:02d}") == TimeOfDay(hour, minute)
    half = "am" if hour < 12 else "pm"
    assert read_time(f"at {hour % 12 or 12}:{minute:02d} {half}") == TimeOfDay(hour, minute)


@pytest.mark.parametrize(
    "text", ["", "  ", "a\0b", "a\nb", "a\x1b[31m", "\ud800", "a\u202eb", "a\u2028b", "x" * 2001]
)
def test_a_text_with_control_characters_is_not_read(text: str) -> None:
    assert isinstance(read_text(text), Unreadable)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_text_upsets_a_reader(text: str) -> None:
    number, duration, time = read_number(text), read_duration(text), read_time(text)
    assert isinstance(number, Unreadable) or 0 <= number < 10**9
    assert isinstance(duration, Unreadable) or duration.seconds > 0
    assert isinstance(time, Unreadable) or (0 <= time.hour < 24 and 0 <= time.minute < 60)


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES.split()), max_size=8))
def test_no_order_of_words_upsets_a_reader(said: list[str]) -> None:
    text = " ".join(said)
    for reading in (read_number(text), read_duration(text), read_time(text)):
        assert isinstance(reading, int | Duration | TimeOfDay | Unreadable)
