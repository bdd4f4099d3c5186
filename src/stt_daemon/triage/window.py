"""What a classification sees: the newest lines of speech and chat. Pure; any thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stt_daemon.domain.cuts import word_start
from stt_daemon.domain.text import plain

PREFIX = "- "


@dataclass(frozen=True)
class Entry:
    """One utterance, or a chat turn with `id` "". `t0` and `t1` are session seconds."""

    id: str
    speaker: str
    text: str
    t0: float
    t1: float


def state_lines(entries: Sequence[Entry], *, budget: int) -> list[str]:
    """The newest entries, oldest first, as lines whose joined state has at most `budget` characters.

    Entries without a word are left out. A newest line that alone is too long loses its oldest words.
    """
    lines: list[str] = []
    room = budget
    for entry in reversed(entries):
        line = _line(entry)
        if line == PREFIX:
            continue
        if len(line) > room:
            if not lines:
                lines.append(_newest_words(line, room))
            break
        lines.append(line)
        room -= len(line) + 1
    lines.reverse()
    return lines


def join_state(lines: Sequence[str]) -> str:
    """The state as one text."""
    return "\n".join(lines)


def _line(entry: Entry) -> str:
    """Speech stands as it is; a chat turn says who wrote it."""
    text = " ".join(plain(entry.text).split())
    if text and not entry.id:
        text = f"{plain(entry.speaker).strip()}: {text}"
    return PREFIX + text


def _newest_words(line: str, room: int) -> str:
    return PREFIX + line[word_start(line, len(line) - max(room - len(PREFIX), 0)) :].lstrip()
