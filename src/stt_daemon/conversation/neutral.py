"""Making words that people said or typed harmless inside a prompt. Pure.

Two strengths. Spoken text gets the total rule: no square or angle bracket of any width survives, so it can
hold neither a line id, nor a closing delimiter, nor a chat template's special token, and it stays one line.
Typed text and replies keep their brackets (they may be code); only this program's own delimiters and the
special tokens of chat templates are broken in them.
"""

from __future__ import annotations

import re
import unicodedata

_BRACKETS = str.maketrans(
    {
        **dict.fromkeys("[［〔【⟦", "("),
        **dict.fromkeys("]］〕】⟧", ")"),
        **dict.fromkeys("<＜﹤〈⟨", "‹"),
        **dict.fromkeys(">＞﹥〉⟩", "›"),
    }
)

_OWN_TAG = re.compile(r"[<＜﹤](?=\s*[/／]?\s*(?:transcript|summary|turns|spoken)\b)", re.IGNORECASE)
_SPECIAL_TOKEN = re.compile(
    r"<(?=\|)|<(?=/?s>)|<(?=(?:start|end)_of_turn>)|\[(?=/?INST\])",
)

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINE_LIKE = frozenset(("Cc", "Zl", "Zp"))


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


def written(text: str) -> str:
    """Typed text or a reply, with this program's delimiters and special tokens broken."""
    text = _OWN_TAG.sub("‹", text)
    return _SPECIAL_TOKEN.sub(lambda hit: "‹" if hit.group() == "<" else "(", text)


def beginning(text: str, limit: int = 60) -> str:
    """The first words of a text on one line, for a notice to a person; cut ones end with an ellipsis."""
    line = " ".join("".join(c if unicodedata.category(c)[0] != "C" else " " for c in text).split())
    if len(line) <= limit:
        return line
    cut = line[:limit].rsplit(" ", 1)[0] if " " in line[:limit] else line[:limit]
    return f"{cut.rstrip(',;:.')} …"
