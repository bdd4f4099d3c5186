"""The backstop of the narrative: a bullet that a model dropped is put back. Pure; any thread; linear time.

A bullet counts as carried over when one new line holds its numbers, dates and names and half of what it says,
as "- Done: <original> — resolved: ..." does. Put back, it stands at the end of the section it came from.
"""

from __future__ import annotations

from stt_daemon.triage import facts
from stt_daemon.triage.facts import Traits

CARRIED = 0.5


def restore_missing_bullets(old: str, new: str, *, room: int | None = None) -> str:
    """The new narrative with the bullets of the old one that it left out.

    `room` bounds the result in characters: what is put back first is what stood last in the old one, and
    what no longer fits is gone. The facts are in the ledger.
    """
    lines = new.splitlines()
    carried = [facts.read(line) for line in lines]
    missing = [
        (heading, line) for heading, line in _bullets(old) if not _is_carried(facts.read(line), carried)
    ]
    left = None if room is None else room - len(new)
    kept: list[tuple[str, str]] = []
    for heading, line in reversed(missing):
        if left is not None:
            left -= len(line) + 1
            if left < 0:
                break
        kept.append((heading, line))
    for heading, line in reversed(kept):
        _put_back(lines, heading, line)
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


def _is_carried(old: Traits, new: list[Traits]) -> bool:
    said = frozenset((*old.words, *old.numbers, *old.dates))
    return any(
        old.claims <= line.every_word and len(said & line.every_word) >= CARRIED * len(said) for line in new
    )


def _put_back(lines: list[str], heading: str, bullet: str) -> None:
    place = next((n for n, line in enumerate(lines) if heading and _same_heading(line, heading)), None)
    if place is None:
        lines += [heading, bullet] if heading else [bullet]
        return
    end = place + 1
    while end < len(lines) and not _is_heading(lines[end]):
        end += 1
    lines.insert(end, bullet)


def _is_heading(line: str) -> bool:
    return (not line.startswith("- ") and line.rstrip(" *_").endswith((":", "："))) or line.startswith("#")


def _same_heading(line: str, heading: str) -> bool:
    return _is_heading(line) and facts.read(line).normal == facts.read(heading).normal
