"""Moments that are said as a length of time from now: "in 45 minutes", "30 min out". Pure."""

from __future__ import annotations

from decimal import Decimal

from stt_daemon.values.amounts import RANGE, limited, loose
from stt_daemon.values.candidates import At, Mention
from stt_daemon.values.clocks import Clock
from stt_daemon.values.days import DayWords
from stt_daemon.values.durations import durations
from stt_daemon.values.numbers import Numbers
from stt_daemon.values.placing import SMALL_HOURS, later
from stt_daemon.values.tokens import DASHES, Tokens, word_set
from stt_daemon.values.typed import Duration, Instant

ELSEWHERE = "a day or a part of the day is named elsewhere"
HOURS_OR_TIME = "a length of time or a time of day"

_BETWEEN = word_set(
    "about around approximately roughly another like just only less more than at least most under over"
)


def from_now(tokens: Tokens, numbers: Numbers, days: DayWords, at: At) -> list[Mention]:
    """ "In 45 minutes", "an hour from now", "30 min out"."""
    found = []
    for mention in durations(tokens, numbers):
        start, end = mention.start, mention.end
        while start > mention.start - 4 and tokens.form(start - 1) in _BETWEEN:
            start -= 1
        begun = tokens.form(start - 1) in ("in", "within")
        ended = _end_from_now(tokens, end)
        if not begun and not ended:
            continue
        whole = Mention(start - 1 if begun else mention.start, ended or end, None)
        if mention.value is None or not isinstance(mention.value, Duration):
            found.append(whole.open(mention.why))
        elif mention.value.seconds >= 86_400:
            found.append(whole.open("a day without a time"))
        elif days.all:
            found.append(whole.open(ELSEWHERE))
        elif loose(tokens, whole.end) or _goes_on(tokens, numbers, whole.end):
            found.append(whole.open(RANGE))
        else:
            found.append(_after(whole, mention.value.seconds, at))
    return found


def _goes_on(tokens: Tokens, numbers: Numbers, end: int) -> bool:
    """ "In an hour, hour and a half": another length directly after a comma."""
    following = tokens.form(end + 1)
    return tokens.form(end) == "," and (following in ("hour", "half") or end + 1 in numbers.starting)


def _end_from_now(tokens: Tokens, end: int) -> int:
    """Where "out", "away" or "from now" ends after a length of time, 0 if none follows."""
    if tokens.form(end) in ("out", "away") and tokens.form(end + 1) not in ("of", "here", "there"):
        return end + 1
    if tokens.form(end) == "from" and tokens.form(end + 1) in ("now", "here"):
        return end + 2
    return 0


def open_lengths(tokens: Tokens, numbers: Numbers) -> list[Mention]:
    """ "In 45." without a unit: a moment is meant, but not which."""
    found = []
    for number in numbers.all:
        if tokens.form(number.start - 1) != "in" or not numbers.lone(number) or number.value is None:
            continue
        following = tokens.form(number.end)
        ends = following == "" or following in ".,!?;" or following in ("or", "to") or following in DASHES
        if ends and number.value in range(1, 181):
            found.append(Mention(number.start - 1, number.end, None, "a number without a unit"))
    return found


def colon_length(tokens: Tokens, clock: Clock, days: DayWords, at: At) -> Mention:
    """ "1:30 out": an hour and a half, since no clock time of such a small hour would be read anyway."""
    mention = Mention(clock.start, clock.end + 1, None)
    colon = ":" in tokens.raw(clock.start) and clock.end == clock.start + 1
    if not colon or clock.hour > SMALL_HOURS or clock.why or tokens.form(clock.end + 1) == "of":
        return mention.open(HOURS_OR_TIME)
    if days.all or loose(tokens, mention.end) or limited(tokens, mention.start):
        return mention.open(ELSEWHERE)
    return _after(mention, Decimal(clock.hour * 3600 + clock.minute * 60), at)


def _after(mention: Mention, seconds: Decimal, at: At) -> Mention:
    read = later(at, seconds)
    return Mention(mention.start, mention.end, read) if isinstance(read, Instant) else mention.open(read)
