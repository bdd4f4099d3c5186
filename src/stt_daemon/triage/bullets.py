"""The backstop of the narrative: a bullet that a model dropped is put back. Pure; any thread.

A bullet counts as carried over when one new line holds its numbers, dates and names and half of what it says,
as "- Done: <original> — resolved: ..." does. Put back, it stands at the end of the section it came from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from stt_daemon.triage import facts
from stt_daemon.triage.facts import Traits

CARRIED = 0.5


def restore_missing_bullets(old: str, new: str, *, room: int | None = None) -> str:
    """The new narrative with the bullets of the old one that it left out.

    `room` bounds the result in characters: what is put back first is what stood last in the old one, and
    what no longer fits is gone. The facts are in the ledger.
    """
    lines = new.splitlines()
    carried = _Carried(lines)
    missing = [(heading, line) for heading, line in _bullets(old) if not carried.holds(facts.read(line))]
    left = None if room is None else room - len(new)
    kept: dict[str, list[str]] = {}
    for heading, line in reversed(missing):
        if left is not None:
            left -= len(line) + 1
            if left < 0:
                break
        kept.setdefault(heading, []).append(line)
    for heading, points in reversed(kept.items()):
        _put_back(lines, heading, points[::-1])
    return "\n".join(lines)


def _bullets(narrative: str) -> list[tuple[str, str]]:
    """Each bullet with the heading it stands under ("" under none)."""
    found = []
    heading = ""
    for line in narrative.splitlines():
        if line.startswith("- "):
            found.append((heading, line))
        elif _is_heading(line):
            heading = line
    return found


class _Carried:
    """The new lines by their words, so that an old bullet is compared only with lines that may hold it."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [facts.read(line) for line in lines]
        self._whole = {line.normal for line in self._lines}
        self._by_word: dict[str, list[Traits]] = {}
        for line in self._lines:
            for word in line.every_word:
                self._by_word.setdefault(word, []).append(line)

    def holds(self, old: Traits) -> bool:
        said = _said(old)
        if old.normal in self._whole or not said:
            return old.normal in self._whole
        needed = math.ceil(CARRIED * len(said))
        # A line with that many of the words has at least one of these, the rarest.
        rarest = sorted(said, key=lambda word: len(self._by_word.get(word, ())))[: len(said) - needed + 1]
        return any(
            old.claims <= line.every_word and len(said & line.every_word) >= needed
            for word in rarest
            for line in self._by_word.get(word, ())
        )


def _said(traits: Traits) -> frozenset[str]:
    return frozenset((*traits.words, *traits.numbers, *traits.dates))


def _put_back(lines: list[str], heading: str, points: list[str]) -> None:
    place = next((n for n, line in enumerate(lines) if heading and _same_heading(line, heading)), None)
    if place is None:
        lines += [heading, *points] if heading else points
        return
    end = place + 1
    while end < len(lines) and not _is_heading(lines[end]):
        end += 1
    lines[end:end] = points


def _is_heading(line: str) -> bool:
    return (not line.startswith("- ") and line.rstrip(" *_").endswith((":", "："))) or line.startswith("#")


def _same_heading(line: str, heading: str) -> bool:
    return _is_heading(line) and facts.read(line).normal == facts.read(heading).normal
