"""From a model's reply to a summary: at most six points, each on a line that starts with "- ". Pure.

What the model writes about speakers is kept word for word; headings, code fences and closing remarks are not.
"""

from __future__ import annotations

import re

from stt_daemon.domain.text import plain

MOST_BULLETS = 6
LONGEST_BULLET = 500
"""Characters of one point. A longer one is the conversation repeated, not summarised."""

_BULLET = re.compile(r"(?:[-*•‣▪–—]|[0-9]{1,2}[.)])(?!\S)\s*")
_RULE = re.compile(r"[-*_–—\s]+")


def read_summary(reply: object) -> str | None:
    """The points of a reply as one text; None if it holds none and so is no summary."""
    if not isinstance(reply, str):
        return None
    bullets: list[str] = []
    open_point = False
    for line in reply.splitlines():
        text = plain(line).strip()
        mark = _BULLET.match(text)
        if not text or _RULE.fullmatch(text):
            open_point = False
        elif mark and text[mark.end() :]:
            bullets.append(text[mark.end() :])
            open_point = True
        elif open_point and line[:1].isspace():
            bullets[-1] += f" {text}"
        else:
            open_point = False
    bullets = [bullet for bullet in dict.fromkeys(map(_shortened, bullets)) if any(map(str.isalnum, bullet))]
    return "\n".join(f"- {bullet}" for bullet in bullets[:MOST_BULLETS]) or None


def _shortened(bullet: str) -> str:
    return bullet if len(bullet) <= LONGEST_BULLET else f"{bullet[: LONGEST_BULLET - 1].rstrip()}…"
