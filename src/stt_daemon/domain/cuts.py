"""Where a text that is too long may begin. Pure; any thread."""

from __future__ import annotations

import unicodedata

# Longer than nearly all words. Where none begins within it, the script has no blanks, or it is no language.
_LONGEST_WORD = 40


def word_start(text: str, at: int) -> int:
    """The first position from `at` on where a word begins.

    Where no blank follows within the length of a word, it is `at` itself or, inside a letter made of several
    characters, the end of that letter.
    """
    if at <= 0:
        return 0
    if at >= len(text):
        return len(text)
    if text[at - 1].isspace():
        return at
    for position in range(at, min(at + _LONGEST_WORD, len(text) - 1)):
        if text[position].isspace():
            return position + 1
    while at < len(text) and (unicodedata.combining(text[at]) or text[at] in "\u200d\ufe0e\ufe0f"):
        at += 1
    return at
