"""Reading one sentence the way facts are compared: its numbers, dates, names, denials, hedges and words.

Pure; any thread; linear in the length of the text. Names are read from capital letters, so a text without
upper and lower case has none. Numbers come in one form whether said or written: "twenty three", "23rd" and
"23" are 23, "1,200" and "twelve hundred" are 1200, "40k" is 40000.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from stt_daemon.domain.number_words import NUMBER_STARTS, longest_cardinal
from stt_daemon.triage import lexicon

LONGEST_NUMBER_RUN = 12
"""Number words that may belong to one number said digit by digit, such as a telephone number."""

_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff"
_LETTER = rf"[^\W\d_{_IDEOGRAPHS}]"
_LETTER_OR_DIGIT = rf"[^\W_{_IDEOGRAPHS}]"
_TOKEN = re.compile(
    rf"(?P<number>(?:(?<![\w)\]])[-−])?\d+(?:[.,:]\d+)*)(?P<suffix>{_LETTER}*)(?!{_LETTER_OR_DIGIT})"
    rf"|(?P<word>{_LETTER}+(?:'{_LETTER}+)*)(?!{_LETTER_OR_DIGIT})"
    rf"|(?P<ideograph>[{_IDEOGRAPHS}])"
    rf"|(?P<code>{_LETTER_OR_DIGIT}+)"
    rf"|(?P<symbol>[{re.escape(''.join(lexicon.SYMBOLS))}])"
    r"|(?P<stop>[.!?:;…。！？\"“”„«»(]|^\s*[-*•])"
)
_HALF_DAY = re.compile(r"(?<![^\W\d_])([ap])\.\s?m\b\.?|(?<=\d)\s+([ap])m\b", re.IGNORECASE)
_APOSTROPHES = str.maketrans("’ʼ", "''")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_AMBIGUOUS = re.compile(r"\d{1,3}(?:\.\d{3})+")
_MULTIPLIED = {"k": 10**3, "M": 10**6, "bn": 10**9, "B": 10**9}
_ORDINAL_SUFFIX = frozenset(("st", "nd", "rd", "th"))


@dataclass(frozen=True)
class Traits:
    """What a text says, in the form in which two texts are compared.

    `normal` is the whole text without case and punctuation. `words` are the stems that carry meaning, in
    order; `numbers` and `dates` in order; `names` as stems, `possible` those names that only stand where
    every word has a capital letter. `claims` are the numbers, dates and names somebody must have said.
    `joined` maps numbers that neighbours make together ("twenty twenty six": 2026) to their parts.
    """

    normal: str
    words: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    possible: frozenset[str] = frozenset()
    claims: frozenset[str] = frozenset()
    negations: int = 0
    hedged: bool = False
    every_word: frozenset[str] = field(default=frozenset(), repr=False)
    joined: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False, hash=False)

    @property
    def entities(self) -> frozenset[str]:
        """All that may be a name."""
        return self.names | self.possible

    def says(self, claim: str) -> bool:
        """Whether a number, date or name stands in this text, in whatever form."""
        return claim in self.every_word or claim in self.joined


@dataclass
class _Token:
    """`form` is lower case; `number` its value if it is one; `initial` where capitals mean nothing."""

    form: str
    shown: str
    initial: bool = False
    number: str = ""
    also: str = ""
    is_word: bool = True
    is_code: bool = False


@lru_cache(maxsize=4096)
def read(text: str) -> Traits:
    """The traits of a text."""
    text = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)
    text = _HALF_DAY.sub(lambda hit: f" {(hit[1] or hit[2]).lower()}mtime ", text)
    tokens = _with_number_words(list(_tokens(text)))
    cased = any(char.islower() for char in text)
    numbers: list[str] = []
    dates: list[str] = []
    words: list[str] = []
    names: set[str] = set()
    possible: set[str] = set()
    every: set[str] = set()
    unclaimed: set[str] = set()
    claimed: set[str] = set()
    negations = 0
    hedged = "?" in text or "？" in text
    for place, token in enumerate(tokens):
        if token.number:
            numbers.append(token.number)
            every.update(filter(None, (token.number, token.also)))
            (unclaimed if token.form in lexicon.UNCLAIMED else claimed).add(token.number)
            continue
        if date := _date(tokens, place):
            dates.append(date)
            every.add(date)
            claimed.add(date)
            continue
        every.add(stem(token.form))
        if token.form in lexicon.NEGATIONS or token.form.endswith("n't"):
            negations += 1
            continue
        hedged = hedged or token.form in lexicon.HEDGES
        if cased and _is_name(token):
            names.add(stem(token.form))
        elif cased and _may_be_name(token):
            possible.add(stem(token.form))
        if token.form not in lexicon.LIGHT:
            words.append(stem(token.form))
    return Traits(
        normal=" ".join(token.number or token.form for token in tokens),
        words=tuple(words),
        numbers=tuple(numbers),
        dates=tuple(dates),
        names=frozenset(names),
        possible=frozenset(possible - names),
        claims=frozenset(claimed | names | possible),
        negations=negations,
        hedged=hedged,
        every_word=frozenset(every),
        joined=_joined(tokens),
    )


def stem(word: str) -> str:
    """A word without the endings that change nothing about a fact: plural, possessive, -ing.

    -ed stays: that something was done is another fact.
    """
    word = word.removesuffix("'s").removesuffix("'")
    if not word.isascii() or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if word.endswith("ing") and len(word) > 5:
        word = word[:-3]
        if len(word) > 3 and word[-1] == word[-2]:
            word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def sentences(text: str) -> list[str]:
    """The text in sentences; the end mark stays with each."""
    return [part.strip() for part in re.findall(r"[^.!?…。！？]+[.!?…。！？]*", text) if part.strip()]


def _tokens(text: str) -> Iterator[_Token]:
    initial = True
    for hit in _TOKEN.finditer(text):
        if hit["stop"]:
            initial = True
            continue
        if hit["number"]:
            yield from _number_tokens(hit["number"], hit["suffix"], initial)
        elif hit["symbol"]:
            symbol = lexicon.SYMBOLS[hit["symbol"]]
            yield _Token(symbol, symbol)
        else:
            shown = hit.group()
            yield _Token(shown.casefold(), shown, initial, is_code=bool(hit["code"]))
        initial = False


def _number_tokens(digits: str, suffix: str, initial: bool) -> Iterator[_Token]:
    factor = _MULTIPLIED.get(suffix) or _MULTIPLIED.get(suffix.lower() if suffix == "K" else suffix)
    value, also = _value(digits)
    if factor:
        yield _Token(digits, digits, initial, _scaled(value, factor), value, is_word=False)
        return
    yield _Token(digits, digits, initial, value, also, is_word=False)
    if suffix and suffix.lower() not in _ORDINAL_SUFFIX:
        unit = suffix.casefold()
        yield _Token(f"{unit}time" if unit in ("am", "pm") else unit, unit)


def _value(digits: str) -> tuple[str, str]:
    """The number in its one form, and what else the writing may mean ("1.200")."""
    if digits[0] in "-−":
        value, also = _value(digits[1:])
        return f"-{value}", also and f"-{also}"
    if _THOUSANDS.fullmatch(digits):
        return digits.replace(",", "").lstrip("0") or "0", ""
    also = digits.replace(".", "") if _AMBIGUOUS.fullmatch(digits) else ""
    if ":" in digits:
        parts = [part.lstrip("0") or "0" for part in re.split("[:.,]", digits)]
        while len(parts) > 1 and parts[-1] == "0":
            parts.pop()
        return ":".join([parts[0], *(part.zfill(2) for part in parts[1:])]), also
    parts = re.split("[.,]", digits)
    whole = parts[0].lstrip("0") or "0"
    if len(parts) == 1:
        return whole, ""
    if len(parts) == 2:
        fraction = parts[1].rstrip("0")
        return (f"{whole}.{fraction}" if fraction else whole), also
    return ".".join([whole, *parts[1:]]), also


def _scaled(value: str, factor: int) -> str:
    """The number times a power of ten, exactly. A time or a version ("3:30 million") stays as it is."""
    whole, dot, fraction = value.partition(".")
    zeros = len(str(factor)) - 1
    if not whole.isdigit() or (dot and not fraction.isdigit()):
        return value
    shifted = whole + fraction[:zeros].ljust(zeros, "0")
    rest = fraction[zeros:].rstrip("0")
    return (shifted.lstrip("0") or "0") + (f".{rest}" if rest else "")


def _with_number_words(tokens: list[_Token]) -> list[_Token]:
    """Runs of number words as one number each; decimals, ordinals and millions taken in."""
    merged: list[_Token] = []
    forms = [token.form for token in tokens]
    place = 0
    while place < len(tokens):
        number, length = longest_cardinal(forms, place) if forms[place] in NUMBER_STARTS else (0, 0)
        if length:
            after = forms[place + length] if place + length < len(forms) else ""
            unit = lexicon.ORDINALS.get(after, 0)
            if number >= 20 and number % 10 == 0 and 0 < unit < 10 and number % 100:
                number, length = number + unit, length + 1
            form = " ".join(forms[place : place + length])
            merged.append(_Token(form, form, tokens[place].initial, str(number), is_word=False))
        elif forms[place] in lexicon.ORDINALS:
            length = 1
            value = str(lexicon.ORDINALS[forms[place]])
            merged.append(_Token(forms[place], forms[place], tokens[place].initial, value, is_word=False))
        elif forms[place] in lexicon.SCALES and merged and merged[-1].number:
            length = 1
            last = merged[-1]
            scaled = _scaled(last.number, lexicon.SCALES[forms[place]])
            merged[-1] = _Token(f"{last.form} {forms[place]}", last.shown, last.initial, scaled, last.number)
        elif forms[place] == "point" and merged and merged[-1].number.isdigit():
            digits, length = _digits_after(forms, place + 1)
            last = merged[-1]
            if digits:
                value, _ = _value(f"{last.number}.{digits}")
                merged[-1] = _Token(f"{last.form} point", last.shown, last.initial, value)
                length += 1
            else:
                length = 1
                merged.append(tokens[place])
        else:
            length = 1
            merged.append(tokens[place])
        place += length
        if len(merged) > 1 and merged[-2].form in lexicon.MINUS and merged[-1].number[:1].isdigit():
            negative = merged.pop()
            merged[-1] = replace(negative, number=f"-{negative.number}", form=f"minus {negative.form}")
    return merged


def _digits_after(forms: Sequence[str], place: int) -> tuple[str, int]:
    """The digits said one by one from here on, and how many words they are."""
    digits = ""
    count = 0
    while place + count < len(forms) and count < LONGEST_NUMBER_RUN:
        number, length = longest_cardinal([forms[place + count]], 0)
        if not length and not forms[place + count].isdigit():
            break
        digits += forms[place + count] if not length else str(number)
        count += 1
    return digits, count


def _joined(tokens: Sequence[_Token]) -> dict[str, tuple[str, ...]]:
    """What neighbouring numbers make together, and short letters with the number behind them ("Q three")."""
    joined: dict[str, tuple[str, ...]] = {}
    run: list[str] = []
    for place, token in enumerate(tokens):
        if not token.number:
            run = []
            continue
        previous = tokens[place - 1] if place else None
        if previous is not None and not previous.number and len(previous.form) <= 2:
            joined.setdefault(previous.form + token.number, (token.number,))
        run = [*run, token.number][-LONGEST_NUMBER_RUN:]
        for start in range(len(run) - 1):
            parts = tuple(run[start:])
            if all(part.isdigit() for part in parts):
                joined.setdefault("".join(parts).lstrip("0") or "0", parts)
                if len(parts) == 2:
                    joined.setdefault(f"{parts[0]}:{parts[1].zfill(2)}", parts)
    return joined


def _date(tokens: Sequence[_Token], place: int) -> str:
    token = tokens[place]
    if token.form in lexicon.RELATIVE_DATES:
        return token.form
    date = lexicon.CALENDAR.get(token.form, "")
    if date and token.form in lexicon.DOUBTFUL_DATES:
        beside = tokens[max(0, place - 2) : place + 2]
        if not (token.shown[0].isupper() and not token.initial) and not any(t.number for t in beside):
            return ""
    return date


def _is_name(token: _Token) -> bool:
    """A capital letter where it means something, or one inside or more than one, or letters with digits."""
    if token.is_code:
        return any(char.isdigit() for char in token.form)
    letters = token.shown.removesuffix("'s")
    if not token.is_word or letters == "I" or token.form.startswith("i'"):
        return False
    capitals = sum(char.isupper() for char in letters)
    if capitals > 1 or (capitals and not letters[0].isupper()):
        return True
    return bool(capitals) and not token.initial and token.form not in lexicon.COMMON


def _may_be_name(token: _Token) -> bool:
    return (
        token.is_word
        and token.initial
        and token.shown[:1].isupper()
        and token.form not in lexicon.COMMON
        and token.form not in lexicon.LIGHT
        and token.form not in lexicon.HEDGES
    )
