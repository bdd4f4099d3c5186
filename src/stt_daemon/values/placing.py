"""Placing clock times on the axis of real time, with both edges of daylight saving. Pure.

Moments are compared in UTC throughout: Python compares two local times of one zone by their clock faces,
which is wrong by an hour at the edges.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal

from stt_daemon.values.candidates import At
from stt_daemon.values.clocks import Clock
from stt_daemon.values.days import DayWord
from stt_daemon.values.typed import Instant

NEXT_WITHIN = timedelta(hours=12)
"""How far off the next occurrence may be of an hour whose day was not said."""

SMALL_HOURS = 2
"""An hour up to this one, without am or pm, is as likely the afternoon as the night."""

JUST_PASSED = timedelta(minutes=30)
"""A bare time that passed so recently is about the past as likely as about twelve hours from now."""

AFTER_MIDNIGHT = 5
"""Until this hour "tomorrow" may mean the day that has already begun."""

FURTHEST_S = 30 * 86_400
"""Nobody counts further ahead than a month in hours and minutes."""

_PART_HOURS: dict[str, dict[int, int]] = {
    "am": {hour: hour % 12 for hour in range(1, 13)},
    "pm": {hour: hour % 12 + 12 for hour in range(1, 13)},
    "morning": {hour: hour for hour in range(1, 12)},
    "afternoon": {12: 12, **{hour: hour + 12 for hour in range(1, 7)}},
    "evening": {hour: hour + 12 for hour in range(4, 12)},
    "night": {hour: hour + 12 for hour in range(6, 12)},
}
"""For each part of the day the hours of the 12-hour clock that it clearly means, on the 24-hour clock."""


def place(clock: Clock, words: list[DayWord], at: At) -> Instant | str:
    """The moment a clock time means, or why it is open."""
    if clock.why:
        return clock.why
    if any(not word.placed for word in words):
        return "a date, a weekday or another day"
    days = {word.day for word in words if word.day}
    if len(days) > 1:
        return "two days are named"
    hours = _hours(clock, [word.part for word in words if word.part])
    if isinstance(hours, str):
        return hours
    local = at.now.astimezone(at.zone)
    day = days.pop() if days else ""
    if day and local.hour < AFTER_MIDNIGHT and (day == "tomorrow" or any(w.part == "night" for w in words)):
        return "said after midnight, it may be either day"
    if day and hours == (0,):
        return "midnight ends one day and begins the next"
    if day:
        on = local.date() + timedelta(days=1 if day == "tomorrow" else 0)
        return _on(on, hours, clock.minute, at, day)
    if len(hours) == 2 and at.near is not None:
        return _nearest(at.near, at.near.astimezone(at.zone).date(), hours, clock.minute, at)
    return _next(local.date(), hours, clock.minute, at, explicit=bool(clock.half) or bool(words))


def _hours(clock: Clock, parts: list[str]) -> tuple[int, ...] | str:
    """The hours of the 24-hour clock it can be, one or two, or why there is none."""
    hour = clock.hour
    if clock.half:
        said = {_PART_HOURS[clock.half].get(hour, hour)}
    elif clock.written_24:
        said = {hour}
    else:
        said = {hour % 12, hour % 12 + 12}
    for part in parts:
        face = hour % 12 or 12
        meant = _PART_HOURS[part].get(face)
        if meant is None or meant not in said:
            return "the part of the day contradicts the hour"
        said = {meant}
    return tuple(sorted(said))


def _on(day: date, hours: tuple[int, ...], minute: int, at: At, name: str) -> Instant | str:
    """On a day that was named."""
    if len(hours) == 2:
        if at.near is not None:
            return _nearest(at.near, day, hours, minute, at, only=True)
        if name == "tomorrow":
            return "am or pm is not said"
        found = _next(day, hours, minute, at, explicit=False)
        if isinstance(found, Instant) and found.at.date() != day:
            return "am or pm is not said"
        return found
    moment = local_moment(day, hours[0], minute, at.zone)
    if isinstance(moment, str):
        return moment
    return Instant(moment) if _utc(moment) >= _utc(at.now) else "the time has passed"


def _nearest(
    near: datetime, day: date, hours: tuple[int, ...], minute: int, at: At, *, only: bool = False
) -> Instant | str:
    """The reading nearest to a moment that is known; with `only`, of that one day."""
    readings = []
    for offset in (0,) if only else (-1, 0, 1):
        for hour in hours:
            moment = local_moment(day + timedelta(days=offset), hour, minute, at.zone)
            if isinstance(moment, datetime):
                readings.append((abs(_utc(moment) - _utc(near)), moment))
            elif _face_gap(day + timedelta(days=offset), hour, minute, near, at.zone) <= NEXT_WITHIN / 2:
                return moment
    readings.sort(key=lambda reading: reading[0])
    if not readings or (len(readings) > 1 and readings[0][0] == readings[1][0]):
        return "am or pm is not said"
    nearest = readings[0][1]
    return Instant(nearest) if _utc(nearest) >= _utc(at.now) else "the time has passed"


def _next(today: date, hours: tuple[int, ...], minute: int, at: At, *, explicit: bool) -> Instant | str:
    """The next occurrence, if it is within twelve hours (or, with am or pm said, still today)."""
    now = _utc(at.now)
    moments: list[datetime] = []
    for offset in (-1, 0, 1):
        for hour in hours:
            moment = local_moment(today + timedelta(days=offset), hour, minute, at.zone)
            if isinstance(moment, datetime):
                moments.append(moment)
            elif _face_gap(today + timedelta(days=offset), hour, minute, at.now, at.zone) <= NEXT_WITHIN:
                return moment
    moments.sort(key=_utc)
    coming = next((moment for moment in moments if _utc(moment) >= now), None)
    if coming is None:
        return "the time has passed"
    if explicit:
        near_enough = _utc(coming) - now <= NEXT_WITHIN or coming.date() == today
        return Instant(coming) if near_enough else "the time has passed today"
    if any(timedelta(0) < now - _utc(moment) <= JUST_PASSED for moment in moments):
        return "the time has just passed"
    if _utc(coming) - now > NEXT_WITHIN:
        return "the next time is more than twelve hours off"
    if coming.hour <= SMALL_HOURS or (len(hours) == 2 and 1 <= coming.hour % 12 <= SMALL_HOURS):
        return "a small hour without am or pm"
    return Instant(coming)


def local_moment(day: date, hour: int, minute: int, zone: tzinfo) -> datetime | str:
    """A clock time on a day; at the edges of daylight saving it does not exist or exists twice."""
    naive = datetime.combine(day, time(hour, minute))
    first, second = naive.replace(tzinfo=zone, fold=0), naive.replace(tzinfo=zone, fold=1)
    if first.utcoffset() != second.utcoffset():
        return "the clocks change then"
    return first


def later(at: At, seconds: Decimal) -> Instant | str:
    """So many seconds from now; always one moment, whatever the clocks do."""
    if seconds > FURTHEST_S:
        return "too far off"
    moment = _utc(at.now) + timedelta(seconds=float(seconds))
    return Instant(moment.astimezone(at.zone).replace(microsecond=0))


def _face_gap(day: date, hour: int, minute: int, moment: datetime, zone: tzinfo) -> timedelta:
    """How far a clock face that is no one moment lies from a moment, by the clock faces."""
    face = datetime.combine(day, time(hour, minute), timezone.utc)
    return abs(face - moment.astimezone(zone).replace(tzinfo=timezone.utc))


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(timezone.utc)
