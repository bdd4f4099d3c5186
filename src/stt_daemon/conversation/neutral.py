"""Making words that people typed harmless inside a prompt. Pure.

Spoken text gets the total rule of `domain.text.spoken`. Typed text and replies keep their brackets (they may
be code); only this program's own delimiters and the special tokens of chat templates are broken in them.
"""

from __future__ import annotations

import re
import unicodedata

_OWN_TAG = re.compile(r"[<＜﹤](?=\s*[/／]?\s*(?:transcript|summary|turns|spoken)\b)", re.IGNORECASE)
_SPECIAL_TOKEN = re.compile(
    r"<(?=\|)|<(?=/?s>)|<(?=(?:start|end)_of_turn>)|\[(?=/?INST\])",
)


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
