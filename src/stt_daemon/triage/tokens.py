"""A text in words, numbers and signs; a number has one form whether it was said or written. Pure; any thread.

"twenty three", "23rd" and "23" are 23, "1,200" and "twelve hundred" are 1200, "40k" is 40000.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
_DOTTED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
_MULTIPLIED = {"k": 10**3, "M": 10**6, "bn": 10**9, "B": 10**9}
_ORDINAL_SUFFIX = frozenset(("st", "nd", "rd", "th"))


@dataclass
class Token:
    """`form` is lower case, `shown` as it was written; `initial` where a capital letter means nothing.

    `number` is the value of one, "" for words; `also` another value the same writing may have. `is_code`:
    letters and digits in one.
    """

    form: str
    shown: str
    initial: bool = False
    number: str = ""
    also: str = ""
    is_word: bool = True
    is_code: bool = False


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text in order, number words made into numbers."""
    text = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)
    text = _HALF_DAY.sub(lambda hit: f" {(hit[1] or hit[2]).lower()}mtime ", text)
    return _with_number_words(list(_tokens(text)))


def _tokens(text: str) -> Iterator[Token]:
    initial = True
    for hit in _TOKEN.finditer(text):
        if hit["stop"]:
            initial = True
            continue
        if hit["number"]:
            yield from _number_tokens(hit["number"], hit["suffix"], initial)
        elif hit["symbol"]:
            symbol = lexicon.SYMBOLS[hit["symbol"]]
            yield Token(symbol, symbol)
        else:
            shown = hit.group()
            yield Token(shown.casefold(), shown, initial, is_code=bool(hit["code"]))
        initial = False


def _number_tokens(digits: str, suffix: str, initial: bool) -> Iterator[Token]:
    factor = _MULTIPLIED.get(suffix) or _MULTIPLIED.get(suffix.lower() if suffix == "K" else suffix)
    value, also = _value(digits)
    if factor:
        yield Token(digits, digits, initial, _scaled(value, factor), value, is_word=False)
        return
    yield Token(digits, digits, initial, value, also, is_word=False)
    if suffix and suffix.lower() not in _ORDINAL_SUFFIX:
        unit = suffix.casefold()
        yield Token(f"{unit}time" if unit in ("am", "pm") else unit, unit)


def _value(digits: str) -> tuple[str, str]:
    """The number in its one form, and what else the writing may mean ("1.200")."""
    if digits[0] in "-−":
        value, also = _value(digits[1:])
        return f"-{value}", also and f"-{also}"
    if _THOUSANDS.fullmatch(digits):
        return digits.replace(",", "").lstrip("0") or "0", ""
    if _DOTTED.fullmatch(digits):
        # In most languages a thousand; read as a fraction, 40.000 would be the same as 40.
        return digits.replace(".", ""), _decimal(digits.split("."))
    if ":" in digits:
        parts = [part.lstrip("0") or "0" for part in re.split("[:.,]", digits)]
        while len(parts) > 1 and parts[-1] == "0":
            parts.pop()
        return ":".join([parts[0], *(part.zfill(2) for part in parts[1:])]), ""
    return _decimal(re.split("[.,]", digits)), ""


def _decimal(parts: Sequence[str]) -> str:
    whole = parts[0].lstrip("0") or "0"
    if len(parts) > 2:
        return ".".join([whole, *parts[1:]])
    fraction = parts[1].rstrip("0") if len(parts) == 2 else ""
    return f"{whole}.{fraction}" if fraction else whole


def _scaled(value: str, factor: int) -> str:
    """The number times a power of ten, exactly. A time or a version ("3:30 million") stays as it is."""
    whole, dot, fraction = value.partition(".")
    zeros = len(str(factor)) - 1
    if not whole.isdigit() or (dot and not fraction.isdigit()):
        return value
    shifted = whole + fraction[:zeros].ljust(zeros, "0")
    rest = fraction[zeros:].rstrip("0")
    return (shifted.lstrip("0") or "0") + (f".{rest}" if rest else "")


def _with_number_words(tokens: list[Token]) -> list[Token]:
    """Runs of number words as one number each; decimals, ordinals and millions taken in."""
    merged: list[Token] = []
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
            merged.append(Token(form, form, tokens[place].initial, str(number), is_word=False))
        elif forms[place] in lexicon.ORDINALS:
            length = 1
            value = str(lexicon.ORDINALS[forms[place]])
            merged.append(Token(forms[place], forms[place], tokens[place].initial, value, is_word=False))
        elif forms[place] in lexicon.SCALES and merged and merged[-1].number:
            length = 1
            last = merged[-1]
            scaled = _scaled(last.number, lexicon.SCALES[forms[place]])
            merged[-1] = Token(f"{last.form} {forms[place]}", last.shown, last.initial, scaled, last.number)
        elif forms[place] == "point" and merged and merged[-1].number.isdigit():
            digits, length = _digits_after(forms, place + 1)
            last = merged[-1]
            if digits:
                value, _ = _value(f"{last.number}.{digits}")
                merged[-1] = Token(f"{last.form} point", last.shown, last.initial, value)
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


def numbers_together(tokens: Sequence[Token]) -> dict[str, tuple[str, ...]]:
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
