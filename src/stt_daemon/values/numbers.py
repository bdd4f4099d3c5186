"""Numbers in a text, in digits or in words, with their places. Pure; any thread.

A number whose value is uncertain ("1.200", "a couple of", "half of it") is still a number: it has no value
and the reason why, so that whoever builds on it can refuse instead of overlooking it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from stt_daemon.domain.number_words import NUMBER_STARTS, cardinal, longest_cardinal
from stt_daemon.values.tokens import DASHES, Tokens

_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,2})?")
_EUROPEAN = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_LONGEST_DIGITS = 15
"""Characters. Nobody says a longer amount, and reading one as a number is not linear."""

_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_VULGAR = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_FRACTIONS = {
    ("half",): Decimal("0.5"),
    ("quarter",): Decimal("0.25"),
    ("three", "quarters"): Decimal("0.75"),
}
_VAGUE = (
    ("a", "couple", "of"),
    ("a", "couple"),
    ("couple", "of"),
    ("a", "few"),
    ("few",),
    ("several",),
    ("some",),
    ("many",),
    ("dozens", "of"),
    ("hundreds", "of"),
    ("thousands", "of"),
    ("millions", "of"),
)
_VAGUE_STARTS = frozenset(phrase[0] for phrase in _VAGUE)
_ORDINALS = frozenset(("st", "nd", "rd", "th"))
_LONGEST_WORDS = 16


@dataclass(frozen=True)
class Number:
    """The tokens from `start` up to `end`. `value` is None when the words leave it open, `why` says so."""

    start: int
    end: int
    value: Decimal | None
    why: str = ""
    spoken: bool = False


class Numbers:
    """All numbers of a text, from left to right, without overlap."""

    def __init__(self, tokens: Tokens) -> None:
        self.all = list(_scan(tokens))
        self.starting = {number.start: number for number in self.all}
        self.ending = {number.end: number for number in self.all}

    def lone(self, number: Number) -> bool:
        """Whether no other number stands directly beside it: "nine fifty" is not a 9 and not a 50."""
        return number.end not in self.starting and number.start not in self.ending


def _scan(tokens: Tokens) -> Iterator[Number]:
    place = 0
    while place < len(tokens):
        number = _fraction(tokens, place) or _digits(tokens, place) or _words(tokens, place)
        number = number or _vague(tokens, place)
        if number is None:
            place += 1
        else:
            yield number
            place = number.end


def _digits(tokens: Tokens, place: int) -> Number | None:
    raw = tokens.raw(place)
    if not tokens.is_digits(place) or ":" in raw:
        return None
    if tokens.joined(place + 1) and tokens.form(place + 1) in _ORDINALS:
        return None
    value: Decimal | None = None
    if len(raw) <= _LONGEST_DIGITS:
        if _GROUPED.fullmatch(raw):
            value = Decimal(raw.replace(",", ""))
        elif _PLAIN.fullmatch(raw) and not _EUROPEAN.fullmatch(raw):
            value = Decimal(raw)
    if value is None:
        return Number(place, place + 1, None, "the digits can be read in more than one way")
    number = Number(place, place + 1, value)
    if tokens.joined(place + 1):
        if tokens.form(place + 1) == "k":
            return replace(number, end=place + 2, value=value * 1000)
        if tokens.raw(place + 1) in _VULGAR:
            return replace(number, end=place + 2, value=value + _VULGAR[tokens.raw(place + 1)])
    if value == value.to_integral_value() and tokens.form(place + 1) == "point":
        number = _after_point(tokens, number)
    return _scaled(tokens, _and_a_part(tokens, number))


def _words(tokens: Tokens, place: int) -> Number | None:
    if tokens.form(place) not in NUMBER_STARTS and tokens.form(place) != "point":
        return None
    said, ends = _run(tokens, place)
    if tokens.form(place) == "point":
        number = _after_point(tokens, Number(place, place, Decimal(0), spoken=True))
        return number if number.end > place else None
    value, length = longest_cardinal(said, 0)
    if not length:
        if said[0] == "a" and tokens.form(place + 1) in ("million", "billion", "dozen"):
            value, length = 1, 1
        else:
            return None
    number = Number(place, ends[length - 1], Decimal(value), spoken=True)
    if tokens.form(number.end) == "point":
        number = _after_point(tokens, number)
    number = _scaled(tokens, _and_a_part(tokens, number))
    return _with_rest(tokens, number)


def _run(tokens: Tokens, place: int) -> tuple[list[str], list[int]]:
    """The words from here on, hyphens inside of "twenty-three" left out, and where each of them ends."""
    said: list[str] = []
    ends: list[int] = []
    while len(said) < _LONGEST_WORDS and tokens.is_word(place):
        said.append(tokens.form(place))
        ends.append(place + 1)
        place += 1
        if tokens.form(place) in DASHES and tokens.joined(place) and tokens.joined(place + 1):
            place += 1
    return said, ends


def _after_point(tokens: Tokens, number: Number) -> Number:
    """ "Two point two five": single digits only; anything else leaves the value open."""
    place, digits = number.end + 1, ""
    while len(digits) < 6:
        said = tokens.form(place)
        digit = int(said) if said in tuple("0123456789") else cardinal([said]) if said else None
        if said in ("oh", "o"):
            digit = 0
        if digit is None or digit > 9 or (digits and tokens.is_digits(place)):
            break
        digits += str(digit)
        place += 1
    if not digits:
        return number
    whole = number.value if number.value is not None else Decimal(0)
    return replace(number, end=place, value=whole + Decimal(f"0.{digits}"))


def _and_a_part(tokens: Tokens, number: Number) -> Number:
    """ "Two and a half", where a unit or a scale follows."""
    if number.value is None or not tokens.says(number.end, "and", "a"):
        return number
    part = _FRACTIONS.get((tokens.form(number.end + 2),))
    if part is None or not tokens.is_word(number.end + 3):
        return number
    return replace(number, end=number.end + 3, value=number.value + part)


def _scaled(tokens: Tokens, number: Number) -> Number:
    scale = _SCALES.get(tokens.form(number.end))
    if scale is None or number.value is None:
        return number
    whole = number.value == number.value.to_integral_value()
    if number.spoken and whole and scale in (100, 1000):
        # The longest number in words ends before it: "one hundred and five hundred" are two.
        return replace(number, end=number.end + 1, value=None, why="several numbers in a row")
    number = replace(number, end=number.end + 1, value=number.value * scale)
    return _and_half_of(tokens, number, scale) if scale > 100 else number


def _and_half_of(tokens: Tokens, number: Number, scale: int) -> Number:
    """ "A million and a half"."""
    if number.value is not None and tokens.says(number.end, "and", "a", "half"):
        return replace(number, end=number.end + 3, value=number.value + Decimal(scale) / 2)
    return number


def _with_rest(tokens: Tokens, number: Number) -> Number:
    """ "Two million three hundred thousand": a smaller number after a whole amount of millions."""
    if tokens.form(number.end - 1) not in ("million", "billion") or number.value is None:
        return number
    place = number.end + 1 if tokens.form(number.end) == "and" else number.end
    if tokens.form(place) not in NUMBER_STARTS:
        return number
    said, ends = _run(tokens, place)
    rest, length = longest_cardinal(said, 0)
    if not length or not rest:
        return number
    return replace(number, end=ends[length - 1], value=number.value + rest)


def _fraction(tokens: Tokens, place: int) -> Number | None:
    """ "Half a million", "three quarters of an hour", "a half hour": only before what it is a part of."""
    lead = 1 if tokens.form(place) in ("a", "an") else 0
    for words, part in _FRACTIONS.items():
        after = place + lead + len(words)
        if not tokens.says(place + lead, *words):
            continue
        if tokens.form(after) == "of" and tokens.form(after + 1) in ("a", "an"):
            return _part_of(tokens, place, after + 2, part)
        if words == ("half",) and tokens.form(after) in ("a", "an"):
            return _part_of(tokens, place, after + 1, part)
        if lead or (words == ("half",) and tokens.form(after) == "hour"):
            return _part_of(tokens, place, after, part)
    return None


def _part_of(tokens: Tokens, place: int, after: int, part: Decimal) -> Number | None:
    if not tokens.is_word(after) or tokens.form(after) in (
        "past",
        "to",
        "after",
        "before",
        "till",
        "until",
        "and",
    ):
        return None
    number = Number(place, after, part, spoken=True)
    scale = _SCALES.get(tokens.form(after))
    return number if scale is None else replace(number, end=after + 1, value=part * scale)


def _vague(tokens: Tokens, place: int) -> Number | None:
    if tokens.form(place) not in _VAGUE_STARTS:
        return None
    for phrase in _VAGUE:
        if tokens.says(place, *phrase):
            return Number(place, place + len(phrase), None, "the words leave the number open", spoken=True)
    return None
