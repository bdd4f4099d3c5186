"""Untrusted text made plain, and moments written as text. Pure; any thread.

Whatever a person, a model, a device or a file name says passes through `plain` before it reaches a
terminal or a file that somebody may print.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone

# Control characters with their C1 twins (U+009B alone starts an escape sequence in some terminals), the
# separators that act as line ends, embeddings, overrides and isolates that reorder what is shown, and the
# invisible byte-order mark and annotation anchors. Joiners stay: emoji and several scripts need them.
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")


def whole(text: str) -> str:
    """The text with halves of surrogate pairs joined, and lone halves replaced by U+FFFD.

    A lone half cannot be encoded in UTF-8; it comes from file names that are not UTF-8 and from broken JSON.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def plain(text: str) -> str:
    """One line without control, escape and reordering characters; line breaks and tabs become a space."""
    return _UNPRINTABLE.sub("", _BREAKS.sub(" ", whole(text)))


def local_time(wall: float) -> datetime:
    """Epoch seconds as an aware time with this computer's present offset."""
    return datetime.fromtimestamp(wall, timezone.utc).astimezone()


def iso_local(wall: float) -> str:
    """Epoch seconds as ISO 8601 with milliseconds and the local offset: the `wall` of a transcript line."""
    return local_time(wall).isoformat(timespec="milliseconds")
