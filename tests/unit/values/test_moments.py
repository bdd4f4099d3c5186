"""Moments: what a clock time, a day and a length of time come to, and when they come to nothing."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.errors import ConfigError
from stt_daemon.values import At, Search, SystemZone, find, zone_named
from stt_daemon.values.typed import Instant
from tests.unit.values.helpers import CHICAGO, VIENNA, at, clock, one


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("half past nine", "10-08 09:30"),
        ("at a quarter to ten", "10-08 09:45"),
        ("at a quarter of ten", "10-08 09:45"),
        ("twenty past eleven", "10-08 11:20"),
        ("ten minutes to nine", "10-08 08:50"),
        ("at nine oh five", "10-08 09:05"),
        ("nine-thirty", "10-08 09:30"),
        ("nine thirty p.m.", "10-08 21:30"),
        ("at nine o'clock", "10-08 09:00"),
        ("ten a m", "10-08 10:00"),
        ("10p", "10-08 22:00"),
        ("9.45am", "10-08 09:45"),
        ("at 09:30", "10-08 09:30"),
        ("at noon", "10-08 12:00"),
        ("at midnight", ""),
        ("at 12", "10-08 12:00"),
        ("seven in the evening", "10-08 19:00"),
        ("tonight at nine", "10-08 21:00"),
        ("tomorrow morning at nine", "10-09 09:00"),
        ("9:30am tomorrow", "10-09 09:30"),
        ("tomorrow at 14:30", "10-09 14:30"),
        ("today at 3", "10-08 15:00"),
        ("at 14:30", "10-08 14:30"),
        ("in half an hour", "10-08 08:30"),
        ("in two and a half hours", "10-08 10:30"),
        ("an hour and ten minutes from now", "10-08 09:10"),
    ],
)
def test_a_moment_is_read(text: str, moment: str) -> None:
    assert clock(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "at 9:30 EST",
        "9:30Z",
        "9:30 local time",
        "9:30 Berlin time",
        "nine thirty Pacific",
        "9:30 on the 9th",
        "9:30am October 9",
        "9 a.m. on Friday",
        "Fri 9am",
        "next week at 9am",
        "9 to 10",
        "9:30-10",
        "between 9 and 10",
        "from twenty to ten",
        "9 or 10 at the dock at 9 or 10",
        "9:30 or later",
        "not before 9:30am",
        "after 9:30am",
        "9:30am or so",
        "9:30ish",
        "in 9:30",
        "in nine thirty",
        "at 2",
        "at one thirty",
        "half past two",
        "half nine",
        "at 00:30",
        "9am tonight",
        "15:00 in the morning",
        "13pm",
        "9:30pm this morning",
        "Tomorrow. 9:30am",
        "This morning was slow. 9:30am",
        "tomorrow at 9",
        "midnight tomorrow",
        "yesterday at 9:30am",
        "every day at 9:30am",
        "in a couple of hours",
        "in 30 to 40 minutes",
        "in an hour or two",
        "in less than an hour",
        "in two days",
        "in 45",
        "at 930",
        "quarter past",
        "ten minutes before 9:30am",
        "shortly before ten",
        "half an hour before noon",
        "9:30am day after",
        "9:30 minus ten minutes",
        "9:30 AM/PM",
        "from 9:30am",
        "through 9:30am",
        "every hour at 9:30am",
        "within two hours",
        "in an hour and forty five",
        "nine thirty ten o'clock",
        "nine, nine thirty",
        "as early as 9:30am",
        "9:30, 10 at the latest",
        "by Friday",
        "the 15th",
        "tomorrow",
    ],
)
def test_a_moment_in_doubt_is_found_and_left_open(text: str) -> None:
    found = find(text, Search("instant"), at())
    assert found
    assert all(candidate.value is None and candidate.why for candidate in found)


@pytest.mark.parametrize(
    "text",
    [
        "about 3 pallets",
        "at 10 Main Street",
        "we have 9",
        "score 3:2",
        "exit 9",
        "$9",
        "ratio 99:99",
        "5th",
        "",
    ],
)
def test_other_numbers_are_no_moments(text: str) -> None:
    assert all(candidate.value is None for candidate in find(text, Search("instant"), at()))


@pytest.mark.parametrize(
    ("now", "text", "moment"),
    [
        # without am or pm: the next occurrence, within twelve hours
        ("2026-10-08T08:00", "at 9:30", "10-08 09:30"),
        ("2026-10-08T14:00", "at 9:30", "10-08 21:30"),
        ("2026-10-08T22:30", "at 9:30", "10-09 09:30"),
        ("2026-10-08T07:00", "at 20:00", ""),
        ("2026-10-08T09:00", "at 20:00", "10-08 20:00"),
        # it has just passed: as likely said about that as about the evening
        ("2026-10-08T09:40", "at 9:30", ""),
        # with am or pm: today, or within twelve hours, never in the past
        ("2026-10-08T07:00", "at 9 pm", "10-08 21:00"),
        ("2026-10-08T22:00", "at 6 am", "10-09 06:00"),
        ("2026-10-08T10:00", "at 9:30 am", ""),
        ("2026-10-08T22:00", "at midnight", "10-09 00:00"),
        # after midnight
        ("2026-10-08T01:00", "tomorrow at 9:30 am", ""),
        ("2026-10-08T04:59", "tomorrow at 9:30 am", ""),
        ("2026-10-08T05:00", "tomorrow at 9:30 am", "10-09 09:30"),
        ("2026-10-08T01:00", "tonight at nine", ""),
        ("2026-10-08T22:00", "tonight at nine", ""),
    ],
)
def test_when_it_was_said_decides(now: str, text: str, moment: str) -> None:
    assert clock(text, at(now)) == moment


@pytest.mark.parametrize(
    ("near", "text", "moment"),
    [
        ("2026-10-08T14:00", "at 2", "10-08 14:00"),
        ("2026-10-09T08:00", "at 9:30", "10-09 09:30"),
        ("2026-10-08T22:00", "at 9:30", "10-08 21:30"),
        ("2026-10-09T08:00", "tomorrow at 9", "10-09 09:00"),
        ("2026-10-08T15:30", "at 9:30", ""),  # six hours from both readings
        ("2026-10-08T06:00", "at 7", ""),  # the reading nearest to it has passed
        ("2026-10-09T08:00", "at 4 pm", "10-08 16:00"),  # am or pm was said
    ],
)
def test_a_known_moment_decides_between_am_and_pm(near: str, text: str, moment: str) -> None:
    assert clock(text, at(near=near)) == moment


@pytest.mark.parametrize(
    ("zone", "evening_before", "gone", "before", "after"),
    [
        (CHICAGO, "2026-03-07T21:00", "2:30 am", "1:59 am", "3:00 am"),
        (VIENNA, "2026-03-28T21:00", "2:30 am", "1:59 am", "3:00 am"),
        (CHICAGO, "2026-10-31T21:00", "1:30 am", "12:59 am", "2:00 am"),
        (VIENNA, "2026-10-24T21:00", "2:30 am", "1:59 am", "3:00 am"),
    ],
)
def test_at_the_edges_of_summer_time_only_what_is_one_moment_is_read(
    zone: ZoneInfo, evening_before: str, gone: str, before: str, after: str
) -> None:
    when = at(evening_before, zone)
    assert one(gone, when=when).why == "the clocks change then"
    for text in (before, after):
        value = one(text, when=when).value
        assert isinstance(value, Instant)
        assert value.at.astimezone(timezone.utc).astimezone(zone).replace(tzinfo=None) == value.at.replace(
            tzinfo=None
        )


def test_a_length_of_time_runs_through_the_change_of_clocks() -> None:
    assert clock("in two hours", at("2026-03-08T01:00")) == "03-08 04:00"
    assert clock("in two hours", at("2026-11-01T00:30")) == "11-01 01:30"


def test_twelve_hours_are_real_hours() -> None:
    """From 0:30 to 13:00 the clock faces are 12:30 apart, but an hour is missing, or comes twice."""
    assert clock("at 13:00", at("2026-10-08T00:30")) == ""
    assert clock("at 13:00", at("2026-03-08T00:30")) == "03-08 13:00"
    assert clock("at 13:00", at("2026-10-08T01:20")) == "10-08 13:00"
    assert clock("at 13:00", at("2026-11-01T01:20")) == ""


@settings(deadline=None, max_examples=150)
@given(
    zone=st.sampled_from((CHICAGO, VIENNA)),
    change=st.sampled_from(("03-08", "11-01", "03-29", "10-25")),
    before=st.integers(0, 24 * 60),
    hour=st.integers(1, 12),
    minute=st.integers(0, 59),
    half=st.sampled_from(("am", "pm", "")),
)
def test_around_the_edges_a_moment_is_one_and_never_past(
    zone: ZoneInfo, change: str, before: int, hour: int, minute: int, half: str
) -> None:
    noon = datetime.fromisoformat(f"2026-{change}T12:00").replace(tzinfo=zone).astimezone(timezone.utc)
    now = (noon - timedelta(minutes=before)).astimezone(zone)
    value = one(f"at {hour}:{minute:02d} {half}", when=At(now, zone)).value
    if value is None:
        return
    assert isinstance(value, Instant)
    assert value.at.replace(fold=0).utcoffset() == value.at.replace(fold=1).utcoffset()
    moment = value.at.astimezone(timezone.utc)
    assert moment >= now.astimezone(timezone.utc)
    if not half:
        assert moment - now.astimezone(timezone.utc) <= timedelta(hours=12)
    assert (value.at.hour % 12 or 12, value.at.minute) == (hour, minute)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its zone for a process")
def test_the_zone_of_the_machine_has_its_summer_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Vienna")
    time.tzset()
    try:
        zone = zone_named("")
        assert isinstance(zone, SystemZone)
        for month in (1, 3, 7, 10):
            moment = datetime(2026, month, 28, 23, 30, tzinfo=timezone.utc)
            assert moment.astimezone(zone).isoformat() == moment.astimezone(VIENNA).isoformat()
        when = At(datetime(2026, 3, 28, 21, 0, tzinfo=zone), zone)
        assert one("2:30 am", when=when).why == "the clocks change then"
        assert one("3:30 am", when=when).value is not None
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("name", ["Nowhere/City", "../../etc/passwd", "Europe"])
def test_an_unknown_zone_is_a_problem_with_its_name(name: str) -> None:
    with pytest.raises(ConfigError, match="no time zone"):
        zone_named(name)
