"""Typed arguments: reading a text as a number, a duration or a time of day, or saying why not. Pure.

Nothing is guessed: a reading is the only sensible one, or the answer is `Unreadable` with a question's worth
of reason. The words around a value that change nothing ("please", "for", "at") are ignored.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from stt_daemon.commands.words import clean, ends, starts, words

TEXT_LIMIT = 2000
"""Characters of a text argument: a note, not a file."""

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_HARMLESS = frozenset(" \t.,!?…:;\"'“”„‘’-–—")


@dataclass(frozen=True)
class Duration:
    """A length of time in whole seconds."""

    seconds: int

    def __str__(self) -> str:
        parts, rest = [], self.seconds
        for size, name in ((3600, "hour"), (60, "minute"), (1, "second")):
            amount, rest = divmod(rest, size)
            if amount:
                parts.append(f"{amount} {name}" + ("s" if amount > 1 else ""))
        return " ".join(parts) or "0 seconds"


@dataclass(frozen=True)
class TimeOfDay:
    """A time on the 24-hour clock."""

    hour: int
    minute: int

    def __str__(self) -> str:
        return f"{self.hour:02d}:{self.minute:02d}"


Value = str | int | Duration | TimeOfDay


@dataclass(frozen=True)
class Unreadable:
    """Why a text is no value, in words for a question; `options` are the readings it could have."""

    reason: str
    options: tuple[str, ...] = ()


def read_text(text: str) -> str | Unreadable:
    """A text without blanks at its ends. Control characters and direction marks are refused."""
    text = text.strip()
    if not text:
        return Unreadable("it is empty")
    if len(text) > TEXT_LIMIT:
        return Unreadable(f"it is longer than {TEXT_LIMIT} characters")
    if any(char in _BIDI or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in text):
        return Unreadable("it holds control characters")
    return text


def read_number(text: str) -> int | Unreadable:
    """A whole number in digits or words."""
    text = clean(text)
    found = _core(text, ("by", "number", "the", "last", "of", "for"))
    if len(found) == 1 and found[0].isdecimal() and len(found[0]) < 10 and _nothing_else(text):
        return int(found[0])
    return Unreadable(f"“{_short(text)}” is not a whole number")


def read_one_of(text: str, choices: Mapping[str, str]) -> str | Unreadable:
    """The value of a word out of a fixed set."""
    chosen = choices.get(" ".join(_core(clean(text), ("as", "to", "the"))))
    return chosen or Unreadable(f"it is one of {', '.join(dict.fromkeys(choices.values()))}")


_UNITS = {
    unit: (rank, seconds)
    for rank, seconds, names in (
        (3, 86_400, "day days"),
        (2, 3600, "h hr hrs hour hours"),
        (1, 60, "m min mins minute minutes"),
        (0, 1, "s sec secs second seconds"),
    )
    for unit in names.split()
}

_FRACTIONS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4)}


def read_duration(text: str) -> Duration | Unreadable:
    """A length of time with its units: "90 s", "ten minutes", "an hour and a half", "1h 30m"."""
    text = clean(text)
    said = list(_core(text, ("for", "in", "the", "last", "next", "past", "of", "to")))
    total, rank = Fraction(0), 9
    while said:
        part = _component(said)
        if part is None or part[1] >= rank:
            break
        total, rank, said = total + part[0], part[1], part[2]
        if said[:1] == ["and"] and len(said) > 1:
            said.pop(0)
    if said or not total or not _nothing_else(text):
        return Unreadable(f"“{_short(text)}” is not a length of time with a unit, such as ten minutes")
    if total.denominator != 1 or total > 10_000_000:
        return Unreadable(f"“{_short(text)}” cannot be kept in whole seconds")
    return Duration(int(total))


def _component(said: list[str]) -> tuple[Fraction, int, list[str]] | None:
    """One amount and its unit at the front: seconds, the unit's rank, the words after it; None: no such."""
    place, amount = _amount(said)
    if amount is None or place >= len(said) or said[place] not in _UNITS:
        return None
    rank, seconds = _UNITS[said[place]]
    rest = said[place + 1 :]
    if len(rest) == 3 and rest[:2] == ["and", "a"] and rest[2] in _FRACTIONS:
        amount, rest = amount + _FRACTIONS[rest[2]], []
    return amount * seconds, rank, rest


def _amount(said: list[str]) -> tuple[int, Fraction | None]:
    """How much stands at the front, and where its unit should follow."""
    number = _decimal(said[0])
    if number is not None:
        if said[1:3] == ["and", "a"] and len(said) > 3 and said[3] in _FRACTIONS:
            return 4, number + _FRACTIONS[said[3]]
        if said[1:2] == ["quarters"] and said[2:3] == ["of"]:
            return (4 if said[3:4] in (["a"], ["an"]) else 3), number / 4
        return 1, number
    place = 1 if said[0] in ("a", "an") else 0
    if said[place : place + 1] and said[place] in _FRACTIONS:
        amount = _FRACTIONS[said[place]]
        place += 1
        if said[place : place + 1] == ["of"]:
            place += 1
        if said[place : place + 1] in (["a"], ["an"]):
            place += 1
        return place, amount
    return (1, Fraction(1)) if place else (0, None)


def _decimal(word: str) -> Fraction | None:
    if word.isdecimal() and len(word) < 10:
        return Fraction(int(word))
    whole, dot, part = word.partition(".")
    if dot and whole.isdecimal() and part.isdecimal() and len(word) < 10:
        return Fraction(word)
    return None


def _core(text: str, connectors: tuple[str, ...]) -> tuple[str, ...]:
    """The forms that are left when fillers at both ends and connecting words in front are taken away."""
    found = words(text)
    if not found:
        return ()
    first, last = max(starts(found)), min(ends(found))
    core = [word.form for word in (found[first:last] if first < last else found)]
    while len(core) > 1 and core[0] in connectors:
        core.pop(0)
    return tuple(core)


def _nothing_else(text: str) -> bool:
    """Whether nothing but words and harmless punctuation stands in the text: "-5" and "5%" are not 5."""
    stripped = text.strip()
    if stripped[:1] in "-–−+" and stripped[1:2].isdigit():
        return False
    return all(char.isalnum() or char in _HARMLESS or char == "ʼ" for char in stripped)


def _short(text: str) -> str:
    line = " ".join("".join(c if unicodedata.category(c)[0] != "C" else " " for c in text).split())
    return line if len(line) <= 40 else line[:39] + "…"
