"""Moments: a clock time with the day it belongs to, or a length of time from now. Pure.

Everything that leaves a moment open is found here, in `placing` or in `from_now`: time zones, ranges and
alternatives, open ends, and day words that stand in another clause.
"""

from __future__ import annotations

from stt_daemon.values.amounts import RANGE, limited, loose
from stt_daemon.values.candidates import At, Mention, merged
from stt_daemon.values.clocks import Clock, ClockFinder
from stt_daemon.values.days import DayWords
from stt_daemon.values.from_now import ELSEWHERE, HOURS_OR_TIME, colon_length, from_now, open_lengths
from stt_daemon.values.numbers import Number, Numbers
from stt_daemon.values.placing import place
from stt_daemon.values.tokens import DASHES, Tokens, word_set
from stt_daemon.values.typed import Instant
from stt_daemon.values.zone_words import names_zone, zone_end

ZONE = "a time zone"

_LINKS = frozenset(("to", "or", "till", "til", "until", "through", "thru", "/")) | DASHES
_OPEN_BEFORE = frozenset(
    (
        "after",
        "since",
        "past",
        "or",
        "between",
        "within",
        "not",
        "plus",
        "earliest",
        "from",
        "through",
        "thru",
    )
)
_OPEN_AFTER = frozenset(("on", "ish", "earliest", "onward", "onwards", "minus", "/"))

_BEFORE_BY = word_set(
    "hour hours minute minutes min mins half quarter shortly just right well way long little bit soon briefly"
)


def instants(tokens: Tokens, numbers: Numbers, at: At) -> list[Mention]:
    """Every moment the text may name; if it names none, the days it names, without a value."""
    days = DayWords(tokens)
    zoned = names_zone(tokens)
    clocks = ClockFinder(tokens, numbers, days).find()
    found = [_clock(tokens, numbers, days, clock, at, zoned=zoned) for clock in clocks]
    found += from_now(tokens, numbers, days, at)
    found += open_lengths(tokens, numbers)
    if found:
        return merged(_linked(tokens, numbers, found), RANGE)
    return [Mention(word.start, word.end, None, "no time of day") for word in days.all if word.names_a_day]


def _clock(tokens: Tokens, numbers: Numbers, days: DayWords, clock: Clock, at: At, *, zoned: bool) -> Mention:
    beside = days.beside(clock.start, clock.end)
    start = min([clock.start, *(word.start for word in beside)])
    end = max([clock.end, *(word.end for word in beside)])
    mention = Mention(start, end, None)
    zone = zone_end(tokens, end) or zone_end(tokens, clock.end)
    if zone or zoned:
        return mention.widened(start, max(end, zone)).open(ZONE)
    if tokens.form(clock.start - 1) in ("in", "within") and not clock.half:
        return mention.open(HOURS_OR_TIME)
    if tokens.form(clock.end) in ("out", "away") and not clock.half:
        return colon_length(tokens, clock, days, at)
    if _open_ended(tokens, numbers, clock, start, end):
        return mention.open(RANGE)
    if len(beside) < len(days.all):
        return mention.open(ELSEWHERE)
    read = place(clock, beside, at)
    return Mention(start, end, read) if isinstance(read, Instant) else mention.open(read)


def _open_ended(tokens: Tokens, numbers: Numbers, clock: Clock, start: int, end: int) -> bool:
    """Whether it is a range, an alternative or an open end instead of a moment."""
    for edge in {start, clock.start}:
        before = tokens.form(edge - 1)
        if before in _OPEN_BEFORE or limited(tokens, edge):
            return True
        if before == "than" and not (
            tokens.form(edge - 2) == "later" and tokens.form(edge - 3) in ("no", "not")
        ):
            return True
        if tokens.form(edge - 2) == "not" and before in ("before", "until", "till"):
            return True
        if before in ("before", "to", "of") and tokens.form(edge - 2) in _BEFORE_BY:
            return True  # "ten minutes before 9:30", "shortly before ten"
        if before == "as" and tokens.form(edge - 2) in ("early", "late"):
            return True
        if before == "," and _is_hour(numbers.ending.get(edge - 1)):
            return True  # "nine, nine thirty"
        if before in _LINKS - DASHES and tokens.is_digits(edge - 2):
            return True
    for edge in {end, clock.end}:
        if (
            loose(tokens, edge)
            or tokens.form(edge) in _OPEN_AFTER
            or tokens.says(edge, "at", "the", "earliest")
        ):
            return True
        following = numbers.starting.get(edge + 1)
        if tokens.form(edge) == "," and following and _is_hour(following) and tokens.ends_at(following.end):
            return True  # "9:30, 10 at the latest"
    return False


def _is_hour(number: Number | None) -> bool:
    return number is not None and number.value is not None and number.value in range(1, 13)


def _linked(tokens: Tokens, numbers: Numbers, mentions: list[Mention]) -> list[Mention]:
    """Mentions that a link ties to a number before or after: "9 to 10", "between 9:30 and 10"."""
    clock_ends = {mention.end: mention for mention in mentions}
    clock_starts = {mention.start: mention for mention in mentions}
    result = []
    for mention in mentions:
        widened = mention
        for link, begins in ((mention.start - 1, False), (mention.end, True)):
            form = tokens.form(link)
            if form not in _LINKS and not (form == "and" and _opened(tokens, mention)):
                continue
            number = numbers.starting.get(link + 1) if begins else numbers.ending.get(link)
            other = clock_starts.get(link + 1) if begins else clock_ends.get(link)
            if other is None and number is None and not tokens.is_digits(link + 1 if begins else link - 1):
                continue
            tied = other or number
            start, stop = (tied.start, tied.end) if tied else (link, link + 1)
            widened = widened.widened(start, stop).open(RANGE)
        result.append(widened)
    return result


def _opened(tokens: Tokens, mention: Mention) -> bool:
    return any(tokens.form(place) == "between" for place in range(max(0, mention.start - 6), mention.start))
