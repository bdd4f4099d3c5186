"""Text that came from outside, made safe for a terminal. Pure."""

from __future__ import annotations

import re

# C0 and C1 controls with DEL; separators that some terminals treat as line ends; marks that turn the
# direction of everything behind them. Joiners and variation selectors stay: scripts and emoji need them.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_SPACE = re.compile(r"[\t\n\r\v\f\u0085\u2028\u2029]+")


def plain(text: str) -> str:
    """One line without control or escape characters; what separated words still does."""
    return _UNSAFE.sub("", _SPACE.sub(" ", text)).encode("utf-8", "replace").decode("utf-8")
