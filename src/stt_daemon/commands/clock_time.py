"""Reading a time of day. Pure.

A time between one and half past twelve means two moments; without "am", "pm", a part of the day or the
24-hour way of writing (13 to 23, 0, a leading zero) the answer is both, as a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from stt_daemon.commands.values import TimeOfDay, Unreadable
from stt_daemon.commands.words import clean, ends, starts, words

_WRITTEN = re.compile(r"(\d{1,2})[:.](\d\d)")

_PARTS = (
    ("in the morning", "morning"),
    ("this morning", "morning"),
    ("in the afternoon", "afternoon"),
    ("this afternoon", "afternoon"),
    ("in the evening", "evening"),
    ("this evening", "evening"),
    ("at night", "night"),
    ("tonight", "night"),
    ("am", "am"),
    ("a m", "am"),
    ("pm", "pm"),
    ("p m", "pm"),
)

_BELONGS_TO: dict[str, dict[int, int]] = {
    "am": {hour: hour % 12 for hour in range(1, 13)},
    "pm": {hour: hour % 12 + 12 for hour in range(1, 13)},
    "morning": {hour: hour for hour in range(1, 12)},
    "afternoon": {12: 12, **{hour: hour + 12 for hour in range(1, 7)}},
    "evening": {hour: hour + 12 for hour in range(4, 12)},
    "night": {12: 0, **{hour: hour + 12 for hour in range(6, 12)}, **{hour: hour for hour in range(1, 5)}},
}
"""For each part of the day the hours of the 12-hour clock that are clearly meant, on the 24-hour clock."""


def read_time(text: str) -> TimeOfDay | Unreadable:
    """A time of day: "14:30", "at 9 pm", "half past nine in the evening", "noon"."""
    text = clean(text)
    unreadable = Unreadable(f"“{text.strip()[:40]}” is not a time of day")
    found = words(text)
    if not found or re.search(r"[-+−]\s*\d|[%$€£]", text):
        return unreadable
    first, last = max(starts(found)), min(ends(found))
    said = [word.form for word in (found[first:last] if first < last else found)]
    while len(said) > 1 and said[0] in ("at", "by", "the"):
        said.pop(0)
    if said in (["noon"], ["midday"], ["12", "noon"]):
        return TimeOfDay(12, 0)
    if said in (["midnight"], ["12", "midnight"]):
        return TimeOfDay(0, 0)
    part, said = _part_of_day(said)
    if said[-1:] == ["oclock"] or said[-2:] == ["o", "clock"]:
        said = said[:-1] if said[-1] == "oclock" else said[:-2]
        exact = True
    else:
        exact = bool(part)
    shape = _shape(said, exact=exact)
    if shape is None:
        return unreadable
    hour, offset, full_day = shape
    return _placed(hour, offset, part, full_day=full_day) or unreadable


def _part_of_day(said: list[str]) -> tuple[str, list[str]]:
    for words_of_part, part in _PARTS:
        tail = words_of_part.split()
        if said[-len(tail) :] == tail and len(said) > len(tail):
            return part, said[: -len(tail)]
    return "", said


def _shape(said: Sequence[str], *, exact: bool) -> tuple[int, int, bool] | None:
    """The hour said, the minutes from it (negative before it), and whether it is written the 24-hour way."""
    if len(said) == 1:
        written = _WRITTEN.fullmatch(said[0])
        if written:
            return _checked(int(written[1]), int(written[2]), len(written[1]) == 2 and written[1][0] == "0")
        return (
            _checked(int(said[0]), 0, False) if exact and said[0].isdecimal() and len(said[0]) <= 2 else None
        )
    if "past" in said or "to" in said:
        return _relative(said)
    if len(said) == 2 and all(word.isdecimal() for word in said) and len(said[1]) == 2:
        return _checked(int(said[0]), int(said[1]), said[0][0] == "0")
    if (
        len(said) == 3
        and said[1] in ("o", "oh")
        and said[0].isdecimal()
        and len(said[2]) == 1
        and said[2].isdecimal()
    ):
        return _checked(int(said[0]), int(said[2]), False)
    return None


def _relative(said: Sequence[str]) -> tuple[int, int, bool] | None:
    """ "Half past nine", "a quarter to ten", "twenty minutes past three"."""
    place = next(i for i, word in enumerate(said) if word in ("past", "to"))
    amount = [word for word in said[:place] if word not in ("a", "minutes", "minute")]
    hours = said[place + 1 :]
    if len(amount) != 1 or len(hours) != 1 or not hours[0].isdecimal():
        return None
    if amount[0] in ("half", "quarter"):
        minutes = 30 if amount[0] == "half" else 15
    elif amount[0].isdecimal() and 0 < int(amount[0]) < 60:
        minutes = int(amount[0])
    else:
        return None
    if said[place] == "to":
        if amount[0] == "half":
            return None
        minutes = -minutes
    hour = int(hours[0])
    return (hour, minutes, False) if 0 <= hour <= 23 else None


def _checked(hour: int, minute: int, full_day: bool) -> tuple[int, int, bool] | None:
    return (hour, minute, full_day) if 0 <= hour <= 23 and 0 <= minute <= 59 else None


def _placed(hour: int, offset: int, part: str, *, full_day: bool) -> TimeOfDay | Unreadable | None:
    """The moment on the 24-hour clock; a question if there are two; None if hour and part contradict."""
    if full_day or hour == 0 or hour > 12:
        return None if part else _moment(hour, offset)
    if part and hour in _BELONGS_TO[part] and not (hour == 12 and offset < 0):
        return _moment(_BELONGS_TO[part][hour], offset)
    first, second = _moment(hour % 12, offset), _moment(hour % 12 + 12, offset)
    options = tuple(f"{_twelve(moment)}" for moment in sorted((first, second), key=lambda m: m.hour))
    return Unreadable(f"that could be {options[0]} or {options[1]}", options)


def _moment(hour: int, offset: int) -> TimeOfDay:
    minutes = (hour * 60 + offset) % (24 * 60)
    return TimeOfDay(minutes // 60, minutes % 60)


def _twelve(moment: TimeOfDay) -> str:
    return f"{moment.hour % 12 or 12}:{moment.minute:02d} {'am' if moment.hour < 12 else 'pm'}"
