"""Making the state short enough for Laya, which would cut off its end: the newest words. Pure; any thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stt_daemon.domain.cuts import word_start

PREFIX = "- "


def newest_that_fits(
    lines: Sequence[str], room: int, token_starts: Callable[[str], Sequence[int]]
) -> tuple[str, int]:
    """The lines as one text of at most `room` tokens, without its oldest words if need be, and its tokens.

    `token_starts(text)` gives the position of the character at which each token of a text starts.
    """
    text = "\n".join(lines)
    starts = token_starts(text)
    if len(starts) <= room:
        return text, len(starts)
    keep = room
    while keep > 0:
        tail = _from(text, starts[len(starts) - keep])
        count = len(token_starts(tail))
        if count <= room:
            return tail, count
        # A text that begins elsewhere is cut into tokens differently there.
        keep -= count - room
    return "", 0


def _from(text: str, at: int) -> str:
    """The text from the next word on, as lines."""
    at = word_start(text, at)
    rest = text[at:]
    return rest if at == 0 or text[at - 1] == "\n" else PREFIX + rest.lstrip()
