"""Whole numbers in English words, 0 to 999,999, read strictly: what is not one number is no number. Pure.

Own code: the maintained library for it (text2num 3) is compiled and has no builds for Python 3.10 on macOS,
for Intel Macs and for Windows on ARM, where the rest of the program installs; its pure predecessor is
retired, and the other libraries have not been released for years. A strict reader needs this page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence


def _numbered(listed: str, first: int, step: int) -> dict[str, int]:
    return {word: first + step * place for place, word in enumerate(listed.split())}


_SMALL = _numbered(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    first=0,
    step=1,
)
_TENS = _numbered("twenty thirty forty fifty sixty seventy eighty ninety", first=20, step=10)

NUMBER_STARTS = frozenset((*_SMALL, *_TENS, "a", "hundred", "thousand"))
"""A number begins with one of these words."""

_LONGEST = 12
"""Words of the longest number: one hundred and eleven thousand, and the same again."""


def cardinal(said: Sequence[str]) -> int | None:
    """The number these lower-case words say, all of them; None if they do not say exactly one."""
    if "thousand" in said:
        place = list(said).index("thousand")
        thousands = 1 if tuple(said[:place]) in ((), ("a",)) else _below_thousand(said[:place])
        rest = _rest(said[place + 1 :], _below_thousand)
        return None if not thousands or rest is None else 1000 * thousands + rest
    return _below_thousand(said)


def longest_cardinal(said: Sequence[str], place: int) -> tuple[int, int]:
    """The number that begins at `place` and how many words it has; (0, 0) if none does."""
    if said[place] not in NUMBER_STARTS:
        return 0, 0
    for length in range(min(_LONGEST, len(said) - place), 0, -1):
        number = cardinal(said[place : place + length])
        if number is not None:
            return number, length
    return 0, 0


def _below_thousand(said: Sequence[str]) -> int | None:
    if "hundred" not in said:
        return _below_hundred(said)
    place = list(said).index("hundred")
    hundreds = 1 if tuple(said[:place]) in ((), ("a",)) else _below_hundred(said[:place])
    rest = _rest(said[place + 1 :], _below_hundred)
    if hundreds is None or rest is None or hundreds % 10 == 0:
        return None
    return 100 * hundreds + rest


def _below_hundred(said: Sequence[str]) -> int | None:
    if len(said) == 1:
        return _SMALL.get(said[0], _TENS.get(said[0]))
    if len(said) == 2 and said[0] in _TENS and 0 < _SMALL.get(said[1], 0) < 10:
        return _TENS[said[0]] + _SMALL[said[1]]
    return None


def _rest(said: Sequence[str], read: Callable[[Sequence[str]], int | None]) -> int | None:
    """What follows "hundred" or "thousand": nothing, or a number above 0, perhaps after "and"."""
    if not said:
        return 0
    return read(said[1:] if said[0] == "and" else said) or None
