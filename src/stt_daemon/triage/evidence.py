"""What was said, as a brief request reads it, and which of it shows a fact.

Pure; any thread. The evidence of a fact is the lines its author cited. A citation counts only if that line
was in the request, and not if the fact's numbers and names all stand in other lines and none in that one.
Without a citation that counts, code looks for the lines that hold what the fact holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stt_daemon.domain.text import spoken
from stt_daemon.triage import facts, lexicon
from stt_daemon.triage.facts import Traits

LINES_FOUND = 3
"""At most so many lines are evidence that code found: more would be a topic, not a statement."""

_OPPOSED = frozenset(map(facts.stem, lexicon.OPPOSED))

WORDS_SHARED = 0.5
"""Without a number or a name in common, a line is evidence when it holds at least this share of the words."""


@dataclass(frozen=True)
class Delta:
    """One line that a request reads: an utterance, or a part of the chat with the id "".

    `t0`, `t1` are seconds on the session's axis.
    """

    id: str
    speaker: str
    text: str
    t0: float
    t1: float

    def line(self) -> str:
        """How the prompt shows it. Nothing in it can look like another line or another id."""
        said = f"{spoken(self.speaker)}: {spoken(self.text)}"
        return f"[{self.id}] {said}" if self.id else said

    @cached_property
    def said(self) -> Traits:
        """What was said."""
        return facts.read(self.text)

    @cached_property
    def traits(self) -> Traits:
        """The same with who said it, which shows a fact as well as the words do."""
        return facts.read(f"{self.speaker}: {self.text}")


@dataclass(frozen=True)
class Grounded:
    """A fact with what shows it: `lines` may be empty. `unsupported`: its claims that stand in none of them.

    `misread`: it says as settled, or without its denial, what its lines say otherwise.
    """

    text: str
    lines: tuple[Delta, ...]
    unsupported: frozenset[str]
    misread: bool

    def evidence(self, read: Sequence[Delta]) -> dict[str, Any]:
        """The plain form that is kept: ids, and the span in seconds; without lines that of all `read`."""
        lines = self.lines or read
        return {
            "ids": [line.id for line in self.lines if line.id],
            "t0": min((line.t0 for line in lines), default=0.0),
            "t1": max((line.t1 for line in lines), default=0.0),
        }


def ground(text: str, cited: Iterable[str], read: Sequence[Delta]) -> Grounded:
    """The evidence of one fact among the lines that the request held."""
    traits = facts.read(text)
    names = set(cited)
    lines = tuple(line for line in read if line.id and line.id in names)
    if not lines or not _can_show(traits, lines):
        found = _find(traits, read)
        lines = found if found or not lines else lines
    unsupported = frozenset(claim for claim in traits.claims if not _said(claim, lines))
    return Grounded(text, lines, unsupported, _is_misread(traits, lines))


def _said(claim: str, lines: Iterable[Delta]) -> bool:
    return any(line.traits.says(claim) for line in lines)


def _can_show(fact: Traits, lines: Sequence[Delta]) -> bool:
    return not fact.claims or any(_said(claim, lines) for claim in fact.claims)


def _find(fact: Traits, read: Sequence[Delta]) -> tuple[Delta, ...]:
    """The line that holds most of the fact, and those that hold claims still missing; in order of time."""
    words = frozenset(fact.words)
    missing = set(fact.claims)
    chosen: list[Delta] = []
    while len(chosen) < LINES_FOUND:
        best = max(
            (line for line in read if line not in chosen),
            key=lambda line: _score(missing, words, line),
            default=None,
        )
        if best is None:
            break
        held = {claim for claim in missing if best.traits.says(claim)}
        if not held and (chosen or len(words & best.traits.every_word) < max(1.0, WORDS_SHARED * len(words))):
            break
        chosen.append(best)
        missing -= held
        if not missing:
            break
    return tuple(line for line in read if line in chosen)


def _score(missing: set[str], words: frozenset[str], line: Delta) -> tuple[int, int]:
    return sum(line.traits.says(claim) for claim in missing), len(words & line.traits.every_word)


def _is_misread(fact: Traits, lines: Sequence[Delta]) -> bool:
    if not lines or fact.hedged:
        return False
    if any(_first_word(line) in lexicon.ASSENTS for line in lines):
        return False
    closest = [max(_sentences(line), key=lambda said: _overlap(fact, said)) for line in lines]
    if all(said.hedged for said in closest):
        return True
    if fact.negations:
        return not any(line.traits.negations or _opposes(line.traits) for line in lines)
    # "No, it ships" answers something that was said before: what it denies is not in the sentence.
    return not _opposes(fact) and all(
        said.negations and not said.normal.startswith("no ") for said in closest
    )


def _opposes(traits: Traits) -> bool:
    return not traits.every_word.isdisjoint(_OPPOSED)


def _sentences(line: Delta) -> list[Traits]:
    return [facts.read(said) for said in facts.sentences(line.text)] or [line.traits]


def _overlap(fact: Traits, said: Traits) -> int:
    return len(fact.claims & said.every_word) + len(set(fact.words) & said.every_word)


def _first_word(line: Delta) -> str:
    words = line.text.split(maxsplit=1)
    return words[0].casefold().strip(".,!?:;…") if words else ""
