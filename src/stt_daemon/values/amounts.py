"""Numbers with a unit: what all kinds of amounts share, and the doubts that leave an amount open. Pure.

A kind brings a reader that says what one number is with the words beside it. Ranges, alternatives, limits
and amounts put together from two are found here, once for all kinds.
"""

from __future__ import annotations

from collections.abc import Callable

from stt_daemon.values.candidates import Mention, merged
from stt_daemon.values.numbers import Number, Numbers
from stt_daemon.values.tokens import DASHES, Tokens, word_set

RANGE = "a range or an alternative"
LIMIT = "a limit, not an amount"
PIECES = "several numbers in a row"

CONNECTORS = (
    frozenset(
        ("to", "or", "till", "til", "until", "through", "thru", "/", "~", "by", "x", "×", "versus", "vs")
    )
    | DASHES
)

_BEFORE_A_NUMBER = frozenset("$€£¥+-–—−~") | {"minus", "negative", "about", "around"}
_SKIPPED_BEFORE = frozenset("$€£¥+-–—−~") | {"a", "an", "the", "about", "around"}
_UNITS_OF_A_START = word_set(
    "% percent cent per degrees degree ° f c dollars euros bucks k m hours hour hrs minutes minute min "
    "mins days"
)
_LIMITS = word_set(
    "over under above below almost nearly within exceeding exceeds maximum max minimum min beyond < > ≤ ≥"
)
_LIMIT_PHRASES = (
    ("more", "than"),
    ("less", "than"),
    ("fewer", "than"),
    ("greater", "than"),
    ("higher", "than"),
    ("lower", "than"),
    ("at", "least"),
    ("at", "most"),
    ("up", "to"),
    ("short", "of"),
    ("close", "to"),
    ("north", "of"),
    ("south", "of"),
)
_LOOSE_ENDS = (
    ("ish",),
    ("-", "ish"),
    ("or",),
    ("+",),
    ("plus",),
    ("give", "or", "take"),
    ("maybe",),
    ("perhaps",),
    ("possibly",),
    ("tops",),
    ("or", "later"),
    ("at", "the", "most"),
    ("at", "the", "least"),
    ("at", "most"),
    ("at", "least"),
    ("and", "change"),
    ("and", "some"),
    ("and", "a", "bit"),
    (",", "maybe"),
    (",", "or"),
    (",", "perhaps"),
    (",", "possibly"),
    ("something",),
    ("max",),
    ("min",),
    ("minimum",),
    ("maximum",),
)

_MAYBE = frozenset(("maybe", "perhaps", "possibly"))
_PLUS_OR_MINUS = DASHES | {"+"}

Reader = Callable[[Tokens, Numbers, Number], "Mention | None"]


def amounts(tokens: Tokens, numbers: Numbers, read: Reader) -> list[Mention]:
    """Every number that `read` makes an amount of, those in doubt without their value."""
    found: list[Mention] = []
    for number in numbers.all:
        if found and number.start < found[-1].end:
            continue
        mention = read(tokens, numbers, number)
        if mention is not None:
            found.append(mention)
    return merged([doubted(tokens, numbers, mention) for mention in found], RANGE)


def doubted(tokens: Tokens, numbers: Numbers, mention: Mention) -> Mention:
    """The mention without its value if the words around it put it in doubt."""
    if mention.start in numbers.ending:
        return mention.widened(numbers.ending[mention.start].start, mention.end).open(PIECES)
    if mention.end in numbers.starting:
        return mention.widened(mention.start, numbers.starting[mention.end].end).open(PIECES)
    before, after = range_before(tokens, numbers, mention.start), range_after(tokens, numbers, mention.end)
    if before is not None or after is not None:
        start = mention.start if before is None else before
        return mention.widened(start, mention.end if after is None else after).open(RANGE)
    following = numbers.starting.get(mention.end + 1)
    if tokens.form(mention.end) == "," and following and tokens.ends_at(following.end):
        return mention.open(RANGE)  # "34 degrees, 35"
    if tokens.form(mention.start - 1) in _MAYBE:
        link = mention.start - (2 if tokens.form(mention.start - 2) == "," else 1)
        if _number_before(tokens, numbers, link) is not None:
            return mention.open(RANGE)  # "ten thousand, maybe twelve thousand dollars"
    if limited(tokens, mention.start):
        return mention.open(LIMIT)
    if loose(tokens, mention.end):
        return mention.open(RANGE)
    return mention


def sign(tokens: Tokens, numbers: Numbers, number: Number) -> tuple[int, int] | None:
    """Where the number begins with its sign, and 1 or -1; None where a dash may be no minus at all."""
    before = number.start - 1
    form = tokens.form(before)
    if form in ("minus", "negative"):
        return None if before in numbers.ending else (before, -1)
    if form in _PLUS_OR_MINUS and tokens.joined(number.start):
        if tokens.joined(before) and (tokens.is_word(before - 1) or tokens.is_digits(before - 1)):
            return None
        return (before, 1 if form == "+" else -1) if before not in numbers.ending else None
    if form in DASHES:
        return None  # "- 10 F": a minus, or a dash between two statements
    return number.start, 1


def range_before(tokens: Tokens, numbers: Numbers, start: int) -> int | None:
    """Where a range begins that ends in what stands at `start`; None if none does."""
    link = start - 1
    form = tokens.form(link)
    if form == "and" and _between(tokens, numbers, link):
        return _number_before(tokens, numbers, link)
    if form in ("by", "and", ","):  # "5 by 10 feet", "one and two percent", "two, three hundred dollars"
        number = numbers.ending.get(link)
        return None if number is None else number.start
    return _number_before(tokens, numbers, link) if form in CONNECTORS else None


def range_after(tokens: Tokens, numbers: Numbers, end: int) -> int | None:
    """The end of the number that a range or an alternative goes on to after `end`."""
    form = tokens.form(end)
    if form not in CONNECTORS and form != "and":
        return None
    place = end + 1
    while place < end + 4 and tokens.form(place) in _BEFORE_A_NUMBER:
        place += 1
    number = numbers.starting.get(place)
    if number is None or (form == "and" and not _opened_by_between(tokens, end)):
        return None
    return number.end


def limited(tokens: Tokens, start: int) -> bool:
    """Whether the words before make it a limit: "at least", "over", "<"."""
    place = start
    while place > start - 3 and tokens.form(place - 1) in _SKIPPED_BEFORE:
        place -= 1
    if tokens.form(place - 1) in _LIMITS:
        return True
    return any(
        place >= len(phrase) and tokens.says(place - len(phrase), *phrase) for phrase in _LIMIT_PHRASES
    )


def loose(tokens: Tokens, end: int) -> bool:
    """Whether the words after leave it open: "or so", "plus", "ish"."""
    return any(tokens.says(end, *phrase) for phrase in _LOOSE_ENDS)


def _number_before(tokens: Tokens, numbers: Numbers, link: int) -> int | None:
    """The start of a number that ends before `link`, perhaps with its unit."""
    number = numbers.ending.get(link)
    for gap in (1, 2):
        if number is None and tokens.form(link - gap) in _UNITS_OF_A_START:
            number = numbers.ending.get(link - gap)
    return None if number is None else number.start


def _between(tokens: Tokens, numbers: Numbers, link: int) -> bool:
    start = _number_before(tokens, numbers, link)
    return start is not None and tokens.form(start - 1) == "between"


def _opened_by_between(tokens: Tokens, end: int) -> bool:
    return any(tokens.form(place) == "between" for place in range(max(0, end - 6), end))
