"""Lengths of time: "45 min", "an hour and a half", "1 h 30 m". Pure.

Months and years have no fixed length, working days no fixed clock: they are found and have no value.
"""

from __future__ import annotations

from decimal import Decimal

from stt_daemon.values.amounts import PIECES, RANGE, doubted
from stt_daemon.values.candidates import Mention, merged
from stt_daemon.values.numbers import Number, Numbers
from stt_daemon.values.tokens import DASHES, Tokens, word_set
from stt_daemon.values.typed import Duration

_UNITS = {
    name: seconds
    for seconds, names in (
        (604_800, "week weeks"),
        (86_400, "day days"),
        (3600, "hour hours hr hrs h"),
        (60, "minute minutes min mins"),
        (1, "second seconds sec secs"),
    )
    for name in names.split()
}
_NO_FIXED_LENGTH = word_set("month months year years quarter quarters fortnight decade decades")
_WORKING = frozenset(("business", "working", "work"))
_PARTS = {"half": Decimal("0.5"), "quarter": Decimal("0.25")}


def durations(tokens: Tokens, numbers: Numbers) -> list[Mention]:
    """Every length of time, those in doubt without their value."""
    found: list[Mention] = []
    for place in range(len(tokens)):
        if found and place < found[-1].end:
            continue
        mention = _at(tokens, numbers, place)
        if mention is not None:
            found.append(mention)
    return merged([doubted(tokens, numbers, mention) for mention in found], RANGE)


def _at(tokens: Tokens, numbers: Numbers, place: int) -> Mention | None:
    number = numbers.starting.get(place)
    if number is None:
        if tokens.form(place) not in ("a", "an") or tokens.form(place + 1) not in _UNITS:
            return None
        number = Number(place, place + 1, Decimal(1))
    end, why = _unit(tokens, number)
    if not end:
        return None
    if tokens.form(place - 1) in DASHES and tokens.joined(place) and not tokens.is_digits(place - 2):
        why = why or "a minus or a dash"
    if why or number.value is None:
        return Mention(place, end, None, why or number.why)
    size = _UNITS[tokens.form(end - 1)]
    seconds = number.value * size
    if tokens.says(end, "and", "a") and tokens.form(end + 2) in _PARTS:
        seconds, end = seconds + _PARTS[tokens.form(end + 2)] * size, end + 3
    return _with_smaller(tokens, numbers, Mention(place, end, Duration(seconds)), size)


def _unit(tokens: Tokens, number: Number) -> tuple[int, str]:
    """Where the unit after the number ends (0: there is none), and what leaves the length open."""
    place = number.end
    if tokens.form(place) in DASHES and tokens.joined(place) and tokens.joined(place + 1):
        place += 1  # "a 20-minute call"
    form = tokens.form(place)
    if form in _WORKING and tokens.form(place + 1) in _UNITS:
        return place + 2, "working time"
    if form in _NO_FIXED_LENGTH:
        return place + 1, "no fixed length"
    return (place + 1, "") if form in _UNITS else (0, "")


def _with_smaller(tokens: Tokens, numbers: Numbers, mention: Mention, size: int) -> Mention:
    """An hour *and twenty minutes*: more of it, in smaller units each time."""
    assert isinstance(mention.value, Duration)
    seconds = mention.value.seconds
    end = mention.end
    while True:
        place = end + 1 if tokens.form(end) == "and" else end
        number = numbers.starting.get(place)
        if number is None:
            break
        unit = tokens.form(number.end)
        smaller = 60 if unit == "m" and size == 3600 else _UNITS.get(unit, 0)
        if not smaller:
            if place == end or tokens.ends_at(number.end):  # "an hour and forty five"
                return Mention(mention.start, number.end, None, PIECES)
            break
        if smaller >= size or number.value is None:
            return Mention(mention.start, number.end + 1, None, PIECES)
        seconds, size, end = seconds + number.value * smaller, smaller, number.end + 1
    return Mention(mention.start, end, Duration(seconds))
