"""Words that say on which day or in which part of a day: what a clock time is bound to. Pure.

`DayWords` of one text answers two questions: which of them stand directly beside a clock time and so belong
to it, and whether any stands elsewhere, which leaves every clock time of the text open. Only today, tonight,
tomorrow and parts of the day can be placed; dates, weekdays and everything else are found to be refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stt_daemon.values.tokens import DASHES, Tokens, word_set

PARTS = ("morning", "afternoon", "evening", "night")
_GREETED = (*PARTS, "day")

# What may stand between a day word and its clock time without starting another statement.
LINKS = word_set("at by around about approximately roughly circa before for until till from the")

_WEEKDAYS = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays "
    "fridays saturdays sundays mon tue tues wed weds thu thur thurs fri sat sun weekday weekdays "
    "weekend weekends"
)
_MONTHS = word_set(
    "january february april june july august september october november december jan feb mar apr jun "
    "jul aug sep sept oct nov dec"
)
_MONTHS_THAT_ARE_WORDS = frozenset(("may", "march"))
_OTHER_DAYS = word_set(
    "yesterday overnight week weeks fortnight month months daily nightly weekly holiday christmas "
    "easter thanksgiving eod eow"
)
_DAYS_BY_PHRASE = (
    ("day", "after", "tomorrow"),
    ("day", "after"),
    ("day", "before"),
    ("next", "day"),
    ("same", "day"),
    ("other", "day"),
    ("every", "day"),
    ("each", "day"),
    ("every", "hour"),
    ("another", "day"),
    ("last", "night"),
    ("new", "year"),
    ("next", "year"),
    ("end", "of", "day"),
)
_TOMORROW = frozenset(("tomorrow", "tomorrows", "tmrw", "tmr", "tomo"))
_DATE = re.compile(r"[0-9]{1,4}")
_DOTTED_DATE = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.(?:[0-9]{2}|[0-9]{4})")
_ORDINAL_WORDS = word_set(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth"
)
_ORDINAL_ENDS = frozenset(("st", "nd", "rd", "th"))


@dataclass(frozen=True)
class DayWord:
    """`day` is "today", "tomorrow" or "" (not said); `part` one of `PARTS`, "am", "pm" or "".

    `placed` is False for a date, a weekday or anything else that no time is read from; `vague` for a word
    that mostly names no day at all ("week", "morning").
    """

    start: int
    end: int
    day: str = ""
    part: str = ""
    placed: bool = True
    vague: bool = False

    @property
    def names_a_day(self) -> bool:
        """Whether somebody could mean a deadline by it, unlike by "the weekly meeting" or "a good night"."""
        return not self.vague and (self.day != "" or not self.placed)


class DayWords:
    """All day words of a text, from left to right."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.all = list(_scan(tokens))
        self._starting = {word.start: word for word in self.all}
        self._ending = {word.end: word for word in self.all}

    def beside(self, start: int, end: int) -> list[DayWord]:
        """The day words that belong to what stands from `start` up to `end`: nothing but links in between."""
        found = []
        place, linked = end, 0
        while linked <= 1:
            word = self._starting.get(place)
            if word is None:
                linked += 1
                place += 1 if self._tokens.form(place) in ("on", "in", "for") else 0
                continue
            found.append(word)
            place = word.end
        place, linked = start, 0
        while linked <= 2:
            word = self._ending.get(place)
            if word is None:
                linked += 1
                place -= 1 if self._tokens.form(place - 1) in LINKS else 0
                continue
            found.append(word)
            place = word.start
        return sorted(found, key=lambda word: word.start)


def _scan(tokens: Tokens) -> Iterator[DayWord]:
    place = 0
    while place < len(tokens):
        word = _greeting(tokens, place) or _placed(tokens, place) or _refused(tokens, place)
        if word is None:
            place += 1
            continue
        if word.end > word.start and (word.day or word.part or not word.placed):
            yield word
        place = word.end


def _greeting(tokens: Tokens, place: int) -> DayWord | None:
    """ "Good morning" says nothing about when; a day word without day and part is passed over."""
    if tokens.form(place) == "good" and tokens.form(place + 1) in _GREETED:
        return DayWord(place, place + 2)
    return None


def _placed(tokens: Tokens, place: int) -> DayWord | None:
    form, following = tokens.form(place), tokens.form(place + 1)
    if form == "tonight":
        return DayWord(place, place + 1, "today", "night")
    if form in _TOMORROW and tokens.form(place - 1) != "after":
        part = following if following in PARTS else ""
        return DayWord(place, place + (2 if part else 1), "tomorrow", part)
    if form == "today":
        return DayWord(place, place + 1, "today")
    if form == "this" and following in PARTS:
        return DayWord(place, place + 2, "today", following)
    if form == "in" and following == "the" and tokens.form(place + 2) in (*PARTS, "am", "pm"):
        return DayWord(place, place + 3, "", tokens.form(place + 2))
    if form == "at" and following == "night":
        return DayWord(place, place + 2, "", "night")
    return None


def _refused(tokens: Tokens, place: int) -> DayWord | None:
    form = tokens.form(place)
    for phrase in _DAYS_BY_PHRASE:
        if form == phrase[0] and tokens.says(place, *phrase):
            return DayWord(place, place + len(phrase), placed=False)
    date = _date(tokens, place)
    if date:
        return DayWord(place, date, placed=False)
    if form in _WEEKDAYS or form in _OTHER_DAYS:
        end = place + (2 if tokens.form(place + 1) in PARTS else 1)
        told = tokens.form(place - 1) in ("next", "this", "last", "every")
        vague = form in _OTHER_DAYS and not told
        return DayWord(place - 1 if told else place, end, placed=False, vague=vague)
    if form in PARTS or form in ("mornings", "afternoons", "evenings", "nights", "tonights"):
        return DayWord(place, place + 1, placed=False, vague=True)
    return None


def _date(tokens: Tokens, place: int) -> int:
    """The end of a date that begins here, 0 if none does."""
    form = tokens.form(place)
    if form in _MONTHS or (form in _MONTHS_THAT_ARE_WORDS and _day_number(tokens, place + 1)):
        return _day_number(tokens, place + 1) or place + 1
    day = _day_number(tokens, place)
    if day:
        at = day + 1 if tokens.form(day) == "of" else day
        if tokens.form(at) in _MONTHS or tokens.form(at) in _MONTHS_THAT_ARE_WORDS:
            return at + 1
        if tokens.form(place + 1) in _ORDINAL_ENDS and tokens.joined(place + 1):
            return day
    if tokens.form(place - 1) == "the" and tokens.form(place - 2) in (
        "on",
        "by",
        "until",
        "till",
        "before",
        "for",
    ):
        at = place + 1 if form in ("twenty", "thirty") else place
        if tokens.form(at) in DASHES:
            at += 1
        if tokens.form(at) in _ORDINAL_WORDS and tokens.ends_at(at + 1):
            return at + 1
    return _written(tokens, place)


def _day_number(tokens: Tokens, place: int) -> int:
    """The end of a day of the month in digits ("8", "8th") or an ordinal word, 0 if none stands here."""
    if tokens.form(place) in _ORDINAL_WORDS:
        return place + 1
    raw = tokens.raw(place)
    if not (tokens.is_digits(place) and raw.isdecimal() and len(raw) <= 2 and 1 <= int(raw) <= 31):
        return 0
    return place + 2 if tokens.form(place + 1) in _ORDINAL_ENDS and tokens.joined(place + 1) else place + 1


def _written(tokens: Tokens, place: int) -> int:
    """ "10/8", "10/8/2026", "2026-10-08", "8.10.2026": numbers joined by a sign of dates."""
    raw = tokens.raw(place)
    if _DOTTED_DATE.fullmatch(raw):
        return place + 1
    if not _DATE.fullmatch(raw):
        return 0
    mark = tokens.form(place + 1)
    second = tokens.raw(place + 2)
    if mark not in ("/", "-") or not (tokens.joined(place + 1) and tokens.joined(place + 2)):
        return 0
    if not (_DATE.fullmatch(second) and len(second) <= 2):
        return 0
    if tokens.form(place + 3) == mark and _DATE.fullmatch(tokens.raw(place + 4)):
        return place + 5
    return (
        place + 3 if mark == "/" and len(raw) <= 2 and 1 <= int(raw) <= 31 and 1 <= int(second) <= 31 else 0
    )
