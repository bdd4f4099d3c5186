"""Identifiers: codes of digits, perhaps with letters, written together or spelled digit by digit. Pure.

Digits in groups ("123 456", "twelve thirty-four") can be cut in several ways: found, but without a value.
"""

from __future__ import annotations

from collections.abc import Collection

from stt_daemon.domain.number_words import cardinal
from stt_daemon.values.candidates import Mention
from stt_daemon.values.numbers import Numbers
from stt_daemon.values.tokens import DASHES, Tokens, word_set
from stt_daemon.values.typed import Identifier

LONGEST = 32
"""Characters of the longest code that is read."""

_BETWEEN = frozenset(("number", "no", "num", "#", "id", "code", "is", "was", ":", ".", "="))
_BEFORE_A_CODE = frozenset("#:=(\"“”'‘.,!?;") | {"…"}
_AFTER_A_CODE = frozenset(".,!?;:)\"“”'’…")
_SEPARATORS = DASHES | {","}
_MULTIPLES = frozenset(("double", "triple"))
_UNITS_AFTER = word_set(
    "% percent per dollars euros dollar euro pounds lbs lb kg miles km degrees minutes hours days "
    "people pallets boxes pieces units cases"
)
_MONEY_BEFORE = frozenset("$€£¥")


def identifiers(
    tokens: Tokens, numbers: Numbers, *, labels: Collection[str] = (), digits: int = 5
) -> list[Mention]:
    """Codes of at least `digits` digits, and shorter ones (from 3) directly after one of the `labels`."""
    found: list[Mention] = []
    place = 0
    while place < len(tokens):
        mention = _at(tokens, numbers, place, labels, digits)
        if mention is None:
            place += 1
        else:
            found.append(mention)
            place = mention.end
    return [_alternatives(tokens, found, n) for n in range(len(found))]


def _at(tokens: Tokens, numbers: Numbers, place: int, labels: Collection[str], digits: int) -> Mention | None:
    if tokens.joined(place) and (tokens.is_word(place - 1) or tokens.is_digits(place - 1)):
        return None
    labelled = _labelled(tokens, place, labels)
    code, end, groups = _code(tokens, place)
    count = sum(char.isdigit() for char in code)
    if count < (3 if labelled else digits) or tokens.form(place - 1) in _MONEY_BEFORE:
        return _spoken_group(tokens, numbers, place) if labelled else None
    if tokens.form(end) in _UNITS_AFTER:
        return None
    if len(code) > LONGEST:
        return Mention(place, end, None, "longer than any code")
    if _letters_beside(tokens, place, end, labels):
        return Mention(place, end, None, "letters beside the digits")
    if groups or tokens.form(end) in _MULTIPLES or _goes_on(tokens, code, end):
        return Mention(place, end, None, "digits in groups")
    return Mention(place, end, Identifier(code))


def _code(tokens: Tokens, place: int) -> tuple[str, int, bool]:
    """The code that begins here, its end, and whether it is made of groups of digits."""
    parts: list[str] = []
    end = place
    while end < len(tokens) and sum(map(len, parts)) <= LONGEST:
        separated = bool(parts) and tokens.form(end) in _SEPARATORS
        piece, after = _piece(tokens, end + 1 if separated else end)
        if not piece or (separated and tokens.form(end) == "," and len(piece) + len(parts[-1]) > 2):
            break
        parts.append(piece)
        end = after
    spelled = all(len(part) == 1 for part in parts)
    return "".join(parts), end, len(parts) > 1 and not spelled


def _piece(tokens: Tokens, place: int) -> tuple[str, int]:
    """One unbroken run of digits and capital letters, or one digit as a word."""
    raw = tokens.raw(place)
    if tokens.is_word(place):
        digit = cardinal([tokens.form(place)])
        if tokens.form(place) in ("oh", "o"):
            digit = 0
        if digit is not None and digit < 10:
            return str(digit), place + 1
    if not (raw.isascii() and raw.isalnum() and raw == raw.upper()):
        return "", place
    end, piece = place + 1, raw
    while (
        tokens.joined(end)
        and tokens.raw(end).isascii()
        and tokens.raw(end).isalnum()
        and not tokens.raw(end).islower()
        and len(piece) <= LONGEST
    ):
        piece, end = piece + tokens.raw(end), end + 1
    return (piece, end) if any(char.isdigit() for char in piece) else ("", place)


def _goes_on(tokens: Tokens, code: str, end: int) -> bool:
    """ "One two three and four five six", "123 thousand"."""
    if tokens.form(end) in ("hundred", "thousand", "million"):
        return True
    return tokens.form(end) == "and" and len(_piece(tokens, end + 1)[0]) == 1 and len(code) < LONGEST


def _letters_beside(tokens: Tokens, place: int, end: int, labels: Collection[str]) -> bool:
    """ "UL 77231", "77231-B", "77231b": letters or signs that may belong to the code."""
    before, after = tokens.raw(place - 1), tokens.raw(end)
    words = (*labels, *_BETWEEN, "i", "a", "")
    if before.isupper() and before.lower() not in words:
        return True
    if after.isupper() and after.lower() not in words:
        return True
    return (tokens.joined(place) and before not in _BEFORE_A_CODE) or (
        tokens.joined(end) and after not in _AFTER_A_CODE
    )


def _labelled(tokens: Tokens, place: int, labels: Collection[str]) -> bool:
    before = place - 1
    while before > place - 4 and tokens.form(before) in _BETWEEN:
        before -= 1
    return tokens.form(before) in labels


def _spoken_group(tokens: Tokens, numbers: Numbers, place: int) -> Mention | None:
    """ "Seal twelve thirty-four": a labelled code, said in numbers instead of digits."""
    number = numbers.starting.get(place)
    if tokens.form(place) in _MULTIPLES:
        number = numbers.starting.get(place + 1)
    if number is None or tokens.form(number.end) in _UNITS_AFTER:
        return None
    end = number.end
    while end in numbers.starting:
        end = numbers.starting[end].end
    return Mention(place, end, None, "digits in groups")


def _alternatives(tokens: Tokens, found: list[Mention], n: int) -> Mention:
    """ "123456 or 123457": neither is a value."""
    mention = found[n]
    after = n + 1 < len(found) and tokens.form(mention.end) in ("or", "/", "to")
    before = n > 0 and tokens.form(mention.start - 1) in ("or", "/", "to")
    if after or before or tokens.form(mention.end) == "or":
        return mention.open("a range or an alternative")
    return mention
