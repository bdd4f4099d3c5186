"""Text as comparable units: words, or single characters where a script writes none.

Pure functions; any thread.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Scripts written without spaces between words: kana, Han, Thai, Lao, Myanmar, Khmer.
_UNSPACED = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0002ffff"
)
_PIECE = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_UNSPACED_CHAR = re.compile(rf"[{_UNSPACED}]")

SENTENCE_ENDS = ".?!…。！？｡؟۔।॥"


@dataclass(frozen=True)
class Unit:
    """A word, or one character of an unspaced script: `text[start:end]`.

    `norm` is what is compared: casefolded, without surrounding punctuation. `weight` is its share of a
    word, 0.5 for a character of an unspaced script (words there are about two characters long).
    """

    start: int
    end: int
    norm: str
    weight: float


def normalise(word: str) -> str:
    """Casefolded and without surrounding punctuation and symbols; "" if nothing else is in it."""
    folded = unicodedata.normalize("NFKC", word).casefold()
    first, last = 0, len(folded)
    while first < last and _is_mark(folded[first]):
        first += 1
    while last > first and _is_mark(folded[last - 1]):
        last -= 1
    return folded[first:last]


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] in "PSZC"


def units(text: str) -> list[Unit]:
    """The units of a text in order. Pieces that are nothing but punctuation or symbols are none."""
    found: list[Unit] = []
    for match in _PIECE.finditer(text):
        norm = normalise(match.group())
        if norm:
            weight = 0.5 if _UNSPACED_CHAR.fullmatch(match.group()) else 1.0
            found.append(Unit(match.start(), match.end(), norm, weight))
    return found


def norms(text: str) -> tuple[str, ...]:
    """What is compared of a text."""
    return tuple(unit.norm for unit in units(text))


def word_count(text: str) -> float:
    """About how many words a text has, in any script."""
    return sum(unit.weight for unit in units(text))


def split_words(text: str) -> list[str]:
    """The text cut into words that join back to it: each keeps the blank before it.

    Punctuation that stands alone stays with the word before it, so a word never changes because a dash
    follows. The result joins to `text.strip()`.
    """
    text = text.strip()
    words: list[str] = []
    begin = 0
    for match in _PIECE.finditer(text):
        piece = text[begin : match.end()]
        begin = match.end()
        if words and not normalise(match.group()):
            words[-1] += piece
        else:
            words.append(piece)
    return words
