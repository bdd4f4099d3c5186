"""Text from outside (speech, names, files) on its way to a terminal, file, log or prompt. Pure; any thread.

`plain` removes what could steer a terminal and is for words people read; `one_line` makes it visible by
escaping and is for values and paths, where a lost character would mislead. `spoken` is for speech in
a prompt: no square or angle bracket of any width survives, so it can hold neither a line id, nor a closing
delimiter, nor a chat template's special token, and it stays one line.
"""

from __future__ import annotations

import re
import unicodedata

# Control characters with their C1 twins (U+009B alone starts an escape sequence in some terminals), the
# separators that act as line ends, embeddings, overrides and isolates that reorder what is shown, and the
# invisible byte-order mark and annotation anchors. Joiners stay: emoji and several scripts need them.
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")

_BRACKETS = str.maketrans(
    {
        **dict.fromkeys("[［〔【⟦", "("),
        **dict.fromkeys("]］〕】⟧", ")"),
        **dict.fromkeys("<＜﹤〈⟨", "‹"),
        **dict.fromkeys(">＞﹥〉⟩", "›"),
    }
)

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINE_LIKE = frozenset(("Cc", "Zl", "Zp"))


def whole(text: str) -> str:
    """The text with halves of surrogate pairs joined, and lone halves replaced by U+FFFD.

    A lone half cannot be encoded in UTF-8; it comes from file names that are not UTF-8 and from broken JSON.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def plain(text: str) -> str:
    """One line without control, escape and reordering characters; line breaks and tabs become a space."""
    if text.isascii() and text.isprintable():
        return text
    return _UNPRINTABLE.sub("", _BREAKS.sub(" ", whole(text)))


def printable(text: str) -> str:
    """The text with every character escaped that a terminal could take for more than a letter."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


def one_line(text: str) -> str:
    """The text as a single printable line; any run of white space becomes one space."""
    return printable(" ".join(text.split()))


def spoken(text: str) -> str:
    """One line without brackets, control characters, direction marks and lone surrogates."""
    shown = []
    for char in text.translate(_BRACKETS):
        category = unicodedata.category(char)
        if category in _LINE_LIKE:
            shown.append(" ")
        elif category == "Cs":
            shown.append("\ufffd")
        elif char not in _BIDI:
            shown.append(char)
    return " ".join("".join(shown).split())
