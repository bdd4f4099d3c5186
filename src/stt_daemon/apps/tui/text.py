"""The only way for text from outside to reach the screen. Pure; any thread.

Speech, model replies, names of devices and files are data: no markup is read in them, nothing in them
steers the terminal, and they take exactly the columns that are counted for them.

Terminals disagree about the width of joined emoji, of variation selectors and of skin tones, so those are
left out on the screen (never in a file or on the clipboard): `👩‍🔬️` is shown as its parts. The same goes for
what has no width at all and for marks of direction, which would reorder what stands beside them.
"""

from __future__ import annotations

import re

from rich.cells import cell_len
from textual.content import Content

from stt_daemon.domain.text import plain, whole

_LINE_ENDS = re.compile(r"\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_TAB_COLUMNS = 4

# Soft hyphen, marks of direction, zero-width blanks and joiners, invisible operators, variation selectors,
# skin tones, tags. Deliberately not U+200C: Persian needs it to be legible, and every terminal gives it 0.
_WIDTHLESS = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200b\u200d-\u200f\u2060-\u206f\ufe00-\ufe0f"
    "\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff]"
)
_ACCENT = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]"
# Accents without end grow out of their own line; three on one letter is more than any language writes.
_PILED_ACCENTS = re.compile(f"({_ACCENT}{{3}}){_ACCENT}+")


def shown(text: str) -> str:
    """One line as it may be drawn."""
    text = plain(text)
    if text.isascii():
        return text
    return _PILED_ACCENTS.sub(r"\1", _WIDTHLESS.sub("", text))


def shown_lines(text: str) -> list[str]:
    """A text of several lines as it may be drawn: line ends are kept, tabs become columns."""
    return [shown(line.expandtabs(_TAB_COLUMNS)) for line in _LINE_ENDS.split(whole(text))]


def label(text: str) -> Content:
    """The same for a title, a label or a toast, which would read markup in a string."""
    return Content(shown(text))


def cells(text: str) -> int:
    """The columns that a shown text takes."""
    return len(text) if text.isascii() else cell_len(text)
