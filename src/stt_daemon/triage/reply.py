"""Reading a reply of the brief model: its two sections, whole or not at all. Pure; any thread; linear time.

Small models dress the form up, so bold, heading marks, numbering, full-width colons, CRLF, a code fence, and
talk before the first section are accepted, and the sections in either order. A heading is a heading only on
a line of its own that no bullet opens, which is how "BRIEF:" inside a note stays a word. A section that is
missing or comes twice makes the reply unusable: what stands where would be a guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stt_daemon.domain.text import plain
from stt_daemon.llm.reasoning import ReasoningFilter

Section = Literal["NEW FACTS", "BRIEF"]

NO_FACTS = frozenset(
    ("", "none", "no", "n/a", "na", "nothing", "no new facts", "no facts", "nothing new", "none yet", "empty")
)

_PIECE = 512

_DRESS = r"[#>*_`~ ]*"
_HEADING = re.compile(
    rf"(?P<dress>{_DRESS})(?:\d[.)])?(?P<more>{_DRESS})(?P<name>NEW[ _-]FACTS|BRIEF)(?![^\W_]){_DRESS}"
    rf"(?P<colon>[:：]?){_DRESS}",
    re.IGNORECASE,
)
_HEADING_CHARS = 40
"""A heading and all that dresses it up fit into so many characters."""

_FENCE = re.compile(r"\s*(?:```|~~~)\s*\w*\s*")
_BULLET = re.compile(r"\s*(?:[-–—•*+·▪]|\d{1,3}[.)])\s+")
_ECHOED = re.compile(
    rf"{_DRESS}(?:CURRENT LEDGER|CURRENT BRIEF|NEW UTTERANCES|Focus|Prior Details){_DRESS}[:：]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Sections:
    """The two sections: a line for each fact, bullets removed; the narrative, perhaps empty."""

    facts: tuple[str, ...]
    narrative: str


@dataclass(frozen=True)
class Unusable:
    """The reply is not in the form that was asked for, and in what way, as a clause."""

    reason: str


def parse_reply(text: str, *, cut: bool = False) -> Sections | Unusable:
    """The sections of a reply.

    `cut`: the reply ended at its token limit. Then NEW FACTS is enough; its last line, which may be half a
    fact, does not count, and neither does the narrative.
    """
    found: dict[Section, list[str]] = {}
    current: list[str] | None = None
    for line in _without_reasoning(text).splitlines():
        heading = _heading(line)
        if heading is None:
            if current is not None:
                current.append(line)
            continue
        name, rest = heading
        if name in found:
            return Unusable(f"the section {name} stands in the reply twice")
        current = found[name] = [rest] if rest else []
    missing = [name for name in ("NEW FACTS", "BRIEF") if name not in found]
    if cut and "NEW FACTS" in found:
        return Sections(_facts(_trimmed(found["NEW FACTS"])[:-1]), "")
    if missing:
        return Unusable(f"the reply lacks the section {' and the section '.join(missing)}")
    return Sections(_facts(_trimmed(found["NEW FACTS"])), _narrative(found["BRIEF"]))


def bullets(narrative: str) -> list[str]:
    """The lines of a narrative that begin with "- "."""
    return [line for line in narrative.splitlines() if line.startswith("- ")]


def _without_reasoning(text: str) -> str:
    reasoning = ReasoningFilter()
    for place in range(0, len(text), _PIECE):  # whole, a long text would be copied once for each of its words
        reasoning.feed(text[place : place + _PIECE])
    reasoning.close()
    return reasoning.text


def _heading(line: str) -> tuple[Section, str] | None:
    """The section a line opens, and what stands behind its colon."""
    line = line.strip()
    hit = _HEADING.match(line[:_HEADING_CHARS])
    if hit is None:
        return None
    rest = line[hit.end() :]
    dressed = bool(hit["dress"].strip() or hit["more"].strip())
    if not hit["colon"] and (rest or not (dressed or hit["name"].isupper())):
        return None
    name: Section = "BRIEF" if hit["name"].upper() == "BRIEF" else "NEW FACTS"
    return name, rest


def _trimmed(lines: Sequence[str]) -> list[str]:
    """The lines that hold something; fences and what was copied from the request are left out."""
    kept = []
    for line in lines:
        if _ECHOED.match(line):
            break
        if line.strip() and not _FENCE.fullmatch(line):
            kept.append(line.rstrip())
    return kept


def _facts(lines: Sequence[str]) -> tuple[str, ...]:
    bulleted = [_BULLET.match(line) for line in lines]
    any_bullet = any(bulleted)
    found: list[str] = []
    for line, bullet in zip(lines, bulleted, strict=True):
        text = plain(line[bullet.end() :] if bullet else line).strip().strip("*_` ")
        if any_bullet and not bullet and found and line[:1].isspace():
            found[-1] = f"{found[-1]} {text}"  # a fact that was wrapped
        else:
            found.append(text)
    return tuple(fact for fact in found if fact.casefold().strip("().!*_- ") not in NO_FACTS)


def _narrative(lines: Sequence[str]) -> str:
    """The notes with one kind of bullet, no fences around them, and no line twice in a row."""
    shown: list[str] = []
    for line in _trimmed(lines):
        bullet = _BULLET.match(line)
        text = plain(line[bullet.end() :] if bullet else line).strip()
        text = f"- {text}" if bullet and text else text
        if text and (not shown or shown[-1] != text):
            shown.append(text)
    whole = "\n".join(shown)
    return "" if whole.casefold().strip("().!*_- ") in NO_FACTS else whole
