"""Counting tokens without the tokenizer: an estimate meant to lie above the truth, and a floor below it.
Pure.

The weights per script come from the byte-pair vocabularies in use (32 thousand to 250 thousand entries):
frequent English words are one token, digits and punctuation up to one each, Chinese, Japanese and Korean
characters between 0.6 and 2, rare scripts and emoji up to one per UTF-8 byte. The tests hold a table counted
with a real tokenizer.
"""

from __future__ import annotations

import math
import re

# Template tokens around one message, and around the whole prompt; ChatML needs 5 and 3, Llama 3 takes 6 and
# 6.
MESSAGE_OVERHEAD = 8
PROMPT_OVERHEAD = 16

# A space in front of a word belongs to the word's token; in front of a digit it often does not.
_LEXEME = re.compile(
    r"(?P<code>(?=[A-Za-z+/=]*[0-9]+[A-Za-z+/=])[A-Za-z0-9+/=]{16,})|(?P<word>[A-Z]?[a-z]+)|(?P<caps>[A-Z]+)"
    r"|(?P<spaces>[ \t]{2,})|(?P<space>[ \t](?![0-9]))|(?P<run>([!-/:-@\[-`{-~])\7{3,})|(?P<other>.)",
    re.DOTALL,
)
_WORD = re.compile(r"\w+")
# First code point of each block, and tokens per character from there on.
_WEIGHTS: tuple[tuple[int, float], ...] = (
    (0x0000, 1.0),  # digits, punctuation, control characters
    (0x0080, 1.3),  # Latin with diacritics
    (0x0250, 2.0),  # phonetic, combining marks
    (0x0370, 1.3),  # Greek
    (0x0400, 1.0),  # Cyrillic
    (0x0530, 2.0),  # Armenian
    (0x0590, 1.3),  # Hebrew, Arabic
    (0x0700, 3.0),  # Syriac and neighbours
    (0x0900, 2.0),  # Indic scripts, Thai, Lao
    (0x0F00, 3.0),  # Tibetan, Georgian, Ethiopic, Khmer
    (0x1E00, 1.5),  # Vietnamese, Greek extended
    (0x2000, 2.0),  # typographic punctuation
    (0x2070, 3.0),  # arrows, mathematics, symbols
    (0x3000, 1.5),  # CJK punctuation, kana
    (0x3130, 2.0),  # CJK ideographs, Hangul
    (0xD7B0, 3.0),  # private use, presentation forms, variation selectors
    (0xFF00, 2.0),  # full-width forms
    (0x10000, 4.0),  # emoji and everything beyond: one token per byte
)


def _weight(character: str) -> float:
    code = ord(character)
    return next(weight for first, weight in reversed(_WEIGHTS) if code >= first)


def estimate_tokens(text: str) -> int:
    """Tokens of the text, rather too many than too few."""
    total = 0.0
    for match in _LEXEME.finditer(text):
        kind, lexeme = match.lastgroup, match.group()
        if kind == "code":
            total += 0.9 * len(lexeme)
        elif kind == "word":
            # Long words are compounds and inflections, which vocabularies cut into short pieces.
            total += math.ceil(len(lexeme) / (4 if len(lexeme) <= 8 else 3))
        elif kind in ("caps", "spaces", "run"):
            total += math.ceil(len(lexeme) / 2)
        elif kind == "other":
            total += _weight(lexeme)
    return math.ceil(total)


def fewest_tokens(text: str) -> int:
    """A floor: no tokenizer in use joins two words, or more than about four ideographs, into one token."""
    total = 0.0
    for match in _WORD.finditer(text):
        word = match.group()
        total += max(1.0, len(word) / 4) if ord(word[0]) >= 0x3040 else 1.0
    return math.floor(total * 0.9)
