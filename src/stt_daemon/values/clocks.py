"""Clock times in a text, as they are said: "9:30am", "half past nine", "nine oh five", "at 10", "noon". Pure.

A clock time here is an hour and a minute with what was said about am and pm; on which day and in which half
of it that lies is decided in `instants`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from stt_daemon.domain.number_words import cardinal
from stt_daemon.values.days import DayWords
from stt_daemon.values.numbers import Number, Numbers
from stt_daemon.values.tokens import DASHES, Tokens, word_set
from stt_daemon.values.zone_words import zone_at

Half = Literal["am", "pm", ""]

_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})")
_DOTTED = re.compile(r"([0-9]{1,2})\.([0-9]{2})")

# Before a bare number these make it a time of day, if it counts nothing after it.
_CUES = word_set("at by around about before until till til after past from between eta for maybe like since")
_NOT_BEFORE = frozenset("$€£¥#°%")
_NAMED = {"noon": 12, "midday": 12, "midnight": 0}
_PAST = frozenset(("past", "after"))
_TO = frozenset(("to", "before", "till", "til"))


@dataclass(frozen=True)
class Clock:
    """The tokens from `start` up to `end`: an hour (0 to 23) and a minute as said.

    `half` is what was said about am and pm. `written_24` is True for 0 and 13 to 23, and for a leading zero,
    which nobody writes for the afternoon. `why` names what leaves the time open.
    """

    start: int
    end: int
    hour: int
    minute: int
    half: Half = ""
    written_24: bool = False
    why: str = ""


class ClockFinder:
    """Finds the clock times of one text; `days` tells where a bare number is a time because of its day."""

    def __init__(self, tokens: Tokens, numbers: Numbers, days: DayWords) -> None:
        self._tokens = tokens
        self._numbers = numbers
        self._days = days

    def find(self) -> Iterator[Clock]:
        """From left to right, without overlap."""
        place = 0
        while place < len(self._tokens):
            clock = (
                self._named(place)
                or self._written(place)
                or self._relative(place)
                or self._two_numbers(place)
                or self._hour(place)
            )
            if clock is None:
                place += 1
            else:
                yield clock
                place = clock.end

    def half_at(self, place: int) -> tuple[Half, int]:
        """ "am", "p.m.", "a m" or a joined "a": which half of the day, and where it ends."""
        tokens = self._tokens
        form = tokens.form(place)
        if form in ("am", "pm"):
            return ("am" if form == "am" else "pm"), place + 1
        if form not in ("a", "p"):
            return "", place
        half: Half = "am" if form == "a" else "pm"
        if tokens.form(place + 1) == "." and tokens.form(place + 2) == "m":
            return half, place + (4 if tokens.form(place + 3) == "." and tokens.joined(place + 3) else 3)
        if tokens.form(place + 1) == "m":
            return half, place + 2
        if tokens.joined(place) and tokens.is_digits(place - 1):
            return half, place + 1
        return "", place

    def _named(self, place: int) -> Clock | None:
        tokens = self._tokens
        start = place
        if tokens.form(place) == "12" and tokens.form(place + 1) in _NAMED:
            place += 1
        if tokens.form(place) not in _NAMED:
            return None
        hour = _NAMED[tokens.form(place)]
        return Clock(start, place + 1, hour, 0, "am" if hour == 0 else "pm")

    def _written(self, place: int) -> Clock | None:
        """ "9:30", "9.30am"; with seconds or out of range it is open."""
        tokens = self._tokens
        raw = tokens.raw(place)
        if tokens.form(place - 1) in _NOT_BEFORE:
            return None
        half, end = self.half_at(place + 1)
        hit = _CLOCK.fullmatch(raw)
        if hit is None:
            dotted = _DOTTED.fullmatch(raw)
            if dotted is None or not self._stands_alone(place, end, half):
                return None
            why = "" if half else "a decimal number or a time"
            return self._checked(place, end, dotted[1], dotted[2], half, why)
        return self._checked(place, end, hit[1], hit[2], half)

    def _checked(
        self, place: int, end: int, hour: str, minute: str, half: Half, why: str = ""
    ) -> Clock | None:
        if int(minute) > 59 or int(hour) > 23:
            return None
        zero = hour[0] == "0"
        if half and (zero or int(hour) > 12) and not 1 <= int(hour) <= 12:
            why = "am or pm contradicts the hour"
        return Clock(place, end, int(hour), int(minute), half, (zero or int(hour) > 12) and not half, why)

    def _relative(self, place: int) -> Clock | None:
        """ "Half past nine", "a quarter to ten", "ten minutes to nine"; "ten to nine" may be a range."""
        tokens = self._tokens
        at = place + 1 if tokens.form(place) in ("a", "an") else place
        form = tokens.form(at)
        number = self._numbers.starting.get(at)
        if form in ("half", "quarter"):
            minutes, at, sure = (30 if form == "half" else 15), at + 1, True
        elif number is not None and number.value is not None and number.value in range(1, 60):
            minutes, at = int(number.value), number.end
            sure = minutes > 12 and tokens.form(at) in ("past", "to")
            if tokens.form(at) in ("minutes", "minute", "min"):
                at, sure = at + 1, True
        else:
            return None
        word = "to" if form == "quarter" and tokens.form(at) == "of" else tokens.form(at)
        hour = self._numbers.starting.get(at + 1)
        if word not in _PAST | _TO:
            return self._half_nine(place, at, form)
        if hour is None or hour.value is None or hour.value not in range(1, 13):
            named = (form == "half" and word == "past") or (form == "quarter" and word in ("past", "to"))
            return Clock(place, at + 1, 0, 0, why="the hour is not said") if named else None
        half, end = self.half_at(hour.end)
        if not half and not tokens.ends_at(end) and tokens.form(end) != "oclock":
            return None
        if word in _TO and form == "half":
            return Clock(place, end, int(hour.value), 0, half, why="half to an hour")
        if word == "to" and form != "quarter" and tokens.form(place - 1) in ("from", "between"):
            return Clock(place, end, int(hour.value), 0, half, why="a range")
        if not sure and word != "past":
            return Clock(place, end, int(hour.value), 0, half, why="minutes to the hour, or a range of hours")
        return self._moved(place, end, int(hour.value), minutes if word in _PAST else -minutes, half)

    def _half_nine(self, place: int, at: int, form: str) -> Clock | None:
        """ "Half nine" is 9:30 to some and 8:30 to others."""
        number = self._numbers.starting.get(at)
        if form != "half" or number is None or number.value is None or number.value not in range(1, 13):
            return None
        half, end = self.half_at(number.end)
        if not half and not self._tokens.ends_at(end):
            return None
        return Clock(place, end, int(number.value), 30, half, why="half an hour before or after")

    def _moved(self, start: int, end: int, hour: int, minutes: int, half: Half) -> Clock:
        """Minutes to or past the hour; what crosses noon or midnight with am or pm said is open."""
        end = end + 1 if self._tokens.form(end) == "oclock" else end
        total = hour % 12 * 60 + minutes
        why = "am or pm of the hour or of the time" if half and total < 0 else ""
        total %= 12 * 60
        return Clock(start, end, total // 60 or 12, total % 60, half, why=why)

    def _two_numbers(self, place: int) -> Clock | None:
        """ "Nine thirty", "nine oh five", "9 30"."""
        tokens = self._tokens
        hour = self._whole(place, 12)
        if hour is None:
            return None
        if tokens.form(hour.end) in ("oh", "o") and self._numbers.starting.get(hour.end + 1):
            digit = cardinal([tokens.form(hour.end + 1)])
            if digit is None or not 0 < digit < 10:
                return None
            minute, end = digit, hour.end + 2
        else:
            dashed = hour.spoken and self._is_joining_dash(hour.end)
            minutes = self._numbers.starting.get(hour.end + 1 if dashed else hour.end)
            # "Nine-ten" may be two hours, "nine-thirty" is none.
            least = 13 if dashed else 10
            if minutes is None or minutes.value is None or minutes.value not in range(least, 60):
                return None
            minute, end = int(minutes.value), minutes.end
        if place in self._numbers.ending or end in self._numbers.starting:
            return None
        half, end = self.half_at(end)
        if not self._stands_alone(place, end, half) and not (hour.spoken and tokens.ends_at(end)):
            return None
        return Clock(place, end, int(hour.value or 0), minute, half)

    def _hour(self, place: int) -> Clock | None:
        """ "10am", "ten o'clock", "at 10"; a bare number only where a word before makes it a time."""
        number = self._whole(place, 24)
        if number is None:
            return self._military(place)
        lone = self._numbers.lone(number)
        hour = int(number.value or 0)
        half, end = self.half_at(number.end)
        if self._tokens.form(end) == "oclock":
            half, end = self.half_at(end + 1)
        elif self._tokens.says(end, "o", "clock"):
            half, end = self.half_at(end + 2)
        elif not half and not (lone and self._stands_alone(place, end, half)):
            return self._military(place) if not lone else None
        if hour > 12 and not half:
            return None
        why = "" if lone else "several numbers in a row"
        why = "am or pm contradicts the hour" if half and not 1 <= hour <= 12 else why
        return Clock(place, end, hour, 0, half, why=why) if 1 <= hour <= 12 or why else None

    def _military(self, place: int) -> Clock | None:
        """ "At 930", "1430 hours": four digits may be a year, a room, a number of anything."""
        tokens = self._tokens
        raw = tokens.raw(place)
        if not (raw.isascii() and raw.isdecimal() and len(raw) in (3, 4)) or tokens.joined(place):
            return None
        hours = tokens.form(place + 1) == "hours" and len(raw) == 4
        if (
            int(raw[-2:]) > 59
            or int(raw[:-2]) > 23
            or not (hours or self._stands_alone(place, place + 1, ""))
        ):
            return None
        return Clock(
            place, place + (2 if hours else 1), 0, 0, why="a time without a colon, or another number"
        )

    def _whole(self, place: int, most: int) -> Number | None:
        """A whole number from 1 on that nothing on its left belongs to."""
        tokens = self._tokens
        number = self._numbers.starting.get(place)
        if number is None or number.value is None or number.value not in range(1, most + 1):
            return None
        if not number.spoken and not (tokens.raw(place).isdecimal() and number.end == place + 1):
            return None
        if tokens.form(place - 1) in _NOT_BEFORE or tokens.form(place - 1) in ("minus", "negative", "number"):
            return None
        if tokens.joined(place) and not self._is_dash_of_range(place - 1):
            return None
        return number

    def _is_joining_dash(self, place: int) -> bool:
        tokens = self._tokens
        return tokens.form(place) in DASHES and tokens.joined(place) and tokens.joined(place + 1)

    def _is_dash_of_range(self, dash: int) -> bool:
        tokens = self._tokens
        return tokens.form(dash) in DASHES | {"/", ","} and (
            not tokens.joined(dash) or tokens.is_digits(dash - 1)
        )

    def _stands_alone(self, place: int, end: int, half: Half) -> bool:
        """Whether it is a time: by am or pm, by its day, or by the word before it and nothing counted."""
        if half:
            return True
        if any(word.placed for word in self._days.beside(place, end)):
            return True
        tokens = self._tokens
        if zone_at(tokens, end):
            return True
        return tokens.ends_at(end) and (
            tokens.form(place - 1) in _CUES or tokens.form(place - 2) == "eta" or self._linked(place)
        )

    def _linked(self, place: int) -> bool:
        """ "From 9 to 10", "at 9 or 10": the second hour of a pair whose first is a time."""
        tokens = self._tokens
        if tokens.form(place - 1) not in ("to", "or", "and") and tokens.form(place - 1) not in DASHES:
            return False
        before = self._numbers.ending.get(place - 1)
        return before is not None and tokens.form(before.start - 1) in _CUES
