"""When two facts are one: the rule that keeps rewordings out of the ledger and everything else in. Pure.

Numbers, dates, names, denial and hedge must be alike; then a new fact is an old one

- if it uses only words of the old one, in their order, and most of them (a shorter telling), or
- if a model retells it: no line of the request supports it, or only lines that support the old one do; none
  of its own words was said in the request; half of what it says is the old one's, three quarters where no
  number, date or name ties the two together; and names stand in the same order.

What was said once more, in words that were said, is kept: the words may make the difference.
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
    """A fact that asks to be recorded. `said`: all words of the request. `retold`: no line supports it."""

    traits: Traits
    ids: frozenset[str]
    said: frozenset[str]
    retold: bool

    @classmethod
    def of(cls, fact: Grounded, traits: Traits, said: frozenset[str]) -> Candidate:
        shown = frozenset[str]().union(*(line.traits.every_word for line in fact.lines))
        if traits.claims:
            retold = traits.claims <= fact.unsupported
        else:
            retold = len(shown.intersection(traits.words)) < WORDS_SHARED * len(set(traits.words))
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
    if not new.retold and not (new.ids and new.ids <= old_ids):
        return False
    return _is_retelling(new, old)


def _is_retelling(new: Candidate, old: Traits) -> bool:
    words, old_words = frozenset(new.traits.words), frozenset(old.words)
    names = new.traits.entities | old.entities
    if not words or not new.said.isdisjoint(words - old_words):
        return False
    if [word for word in new.traits.words if word in names] != [word for word in old.words if word in names]:
        return False
    ties = len(new.traits.numbers) + len(new.traits.dates)
    needed = RETELLING_TIED if ties or names else RETELLING_LOOSE
    return len(words & old_words) + ties >= needed * (len(words) + ties)


def _within(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether the words stand among the others in the same order."""
    rest = iter(others)
    return all(word in rest for word in words)
