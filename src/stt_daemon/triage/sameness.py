"""When two facts are one: the rule that keeps rewordings out of the ledger and everything else in. Pure.

Numbers, dates, names, denial and hedge must be alike; then a new fact is an old one

- if it uses only words of the old one, in their order, and most of them (a shorter telling), or
- if it is a retelling, by a model, of what it was shown in the ledger or in the same line: nothing in the new
  lines supports it, or its lines are the old one's and its own words do not stand in them; half of its words
  must then be the old one's, and three quarters where no number, date or name ties the two together.

A fact that was said once more, in words that were said, is kept: the words may make the difference.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from stt_daemon.triage.evidence import WORDS_SHARED, Grounded
from stt_daemon.triage.facts import Traits

SHORTER_TELLING = 0.6
RETELLING_TIED = 0.5
RETELLING_LOOSE = 0.75


@dataclass(frozen=True)
class Candidate:
    """A fact that asks to be recorded. `said`: all words of its lines. `retold`: no line supports it."""

    traits: Traits
    ids: frozenset[str]
    said: frozenset[str]
    retold: bool

    @classmethod
    def of(cls, fact: Grounded, traits: Traits) -> Candidate:
        said = frozenset[str]().union(*(line.traits.every_word for line in fact.lines))
        if traits.claims:
            retold = traits.claims <= fact.unsupported
        else:
            retold = len(said.intersection(traits.words)) < WORDS_SHARED * len(set(traits.words))
        return cls(traits, frozenset(line.id for line in fact.lines if line.id), said, retold)


def alike_key(traits: Traits) -> Hashable:
    """What must be the same, word for word, before two facts are compared at all."""
    return traits.numbers, traits.dates, traits.negations, traits.hedged


def is_same(new: Candidate, old: Traits, old_ids: frozenset[str]) -> bool:
    """Whether the new fact says what the old one says."""
    traits = new.traits
    if alike_key(traits) != alike_key(old):
        return False
    if not (traits.entities <= old.every_word and old.entities <= traits.every_word):
        return False
    if _within(traits.words, old.words) and len(traits.words) >= SHORTER_TELLING * len(old.words):
        return True
    words, old_words = frozenset(traits.words), frozenset(old.words)
    same_lines = bool(new.ids) and new.ids <= old_ids and new.said.isdisjoint(words - old_words)
    if not words or not (new.retold or same_lines):
        return False
    tied = bool(traits.numbers or traits.dates or traits.entities)
    return len(words & old_words) >= (RETELLING_TIED if tied else RETELLING_LOOSE) * len(words)


def _within(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether the words stand among the others in the same order."""
    rest = iter(others)
    return all(word in rest for word in words)
