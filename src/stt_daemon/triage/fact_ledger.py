"""The durable facts: appended with care, evicted at a limit, never rewritten. Code owns them, no model does.

Belongs to one thread. Every change is a plain line for `ledger.jsonl`, from which `restore` rebuilds the same
ledger. A new fact is compared only with facts that share its numbers, dates, denials and a word that is rare
among them, so what an addition costs does not grow with the ledger.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from stt_daemon.domain.text import plain
from stt_daemon.triage import facts
from stt_daemon.triage.evidence import Delta, Grounded, ground
from stt_daemon.triage.fact import Fact, LedgerLine, Noted, clip, fact_of, line_of, number_of
from stt_daemon.triage.facts import Traits
from stt_daemon.triage.sameness import Candidate, alike_key, is_same

log = logging.getLogger(__name__)

COMPARED = 64
"""At most so many of the newest facts that share a word are compared with a new one."""

BLOCK = 16
"""When the ledger does not fit into a prompt its oldest facts are left out by so many at a time, so that the
bytes at the front of the prompt stay the same for a while and a server's cache can serve them."""


@dataclass(frozen=True)
class Recorded:
    """What an addition did: the lines to append, and every fact of it with its evidence, known ones too."""

    lines: list[LedgerLine]
    facts: tuple[Grounded, ...]


class FactLedger:
    """At most `max_facts` facts of at most `max_chars` characters each, oldest first."""

    def __init__(self, max_facts: int, max_chars: int) -> None:
        self._max_facts = max_facts
        self.max_chars = max_chars
        self._minted = 0
        self._empty()

    def _empty(self) -> None:
        self._facts: dict[int, Fact] = {}
        self._exact: Counter[tuple[str, bool]] = Counter()
        self._by_word: dict[tuple[Hashable, str], dict[int, None]] = {}
        self._by_claim: dict[str, dict[int, None]] = {}
        self._proven: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._facts)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Oldest first."""
        return tuple(self._facts.values())

    def add(self, noted: Iterable[Noted], read: Sequence[Delta]) -> Recorded:
        """Record what is new among the facts that a reply found in `read`, the lines of its request."""
        lines: list[LedgerLine] = []
        grounded = []
        said = frozenset[str]().union(*(line.traits.every_word for line in read))
        for note in noted:
            text = clip(plain(note.text).strip(), self.max_chars)
            traits = facts.read(text)
            if not traits.normal:
                continue
            fact = ground(text, note.cited, read)
            grounded.append(fact)
            if self._knows(fact, traits, said):
                continue
            self._minted += 1
            recorded = Fact(self._minted, text, fact.evidence(read), self._is_verified(fact, traits))
            self._insert(recorded)
            lines.append(line_of(recorded))
            lines += self._evict()
        return Recorded(lines, tuple(grounded))

    def clear(self) -> LedgerLine:
        """Forget every fact. Ids go on, so that no id in the file ever means two facts."""
        self._empty()
        return {"op": "clear"}

    def restore(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Become the ledger that these lines describe. Lines of other kinds, or broken ones, are skipped."""
        self._minted = 0
        self._empty()
        left: dict[int, Fact] = {}
        for line in lines:
            match line.get("op"):
                case "add":
                    fact = fact_of(line)
                    if fact is None or fact.number <= self._minted:
                        log.warning("a fact in the ledger cannot be read and is skipped: %r", line.get("id"))
                        continue
                    self._minted = fact.number
                    left[fact.number] = fact
                case "evict":
                    left.pop(number_of(line.get("id")), None)
                case "clear":
                    left.clear()
                case _:
                    pass
        for fact in left.values():
            self._insert(fact)

    def holds(self, claims: Iterable[str]) -> bool:
        """Whether one recorded fact has all of these numbers, dates and names."""
        rarest, *others = sorted((self._by_claim.get(claim, {}) for claim in set(claims)), key=len) or [{}]
        return any(all(number in other for other in others) for number in rarest)

    def render_prompt(self, room: int | None = None) -> tuple[str, int]:
        """The facts for a prompt, a line each, and how many of the oldest are left out.

        `room` is in tokens by a careful estimate; None: there is room for all.
        """
        recorded = self.facts
        start = 0 if room is None else _first_that_fits(recorded, room)
        return "".join(f"{fact.shown()}\n" for fact in recorded[start:]), start

    def render_details(self) -> str:
        """All facts for people, a line each."""
        return "\n".join(fact.shown_with_lines() for fact in self._facts.values())

    def _knows(self, fact: Grounded, traits: Traits, said: frozenset[str]) -> bool:
        if self._exact[traits.normal, traits.hedged]:
            return True
        candidate = Candidate.of(fact, traits, said)
        return any(
            is_same(candidate, old.traits, frozenset(old.evidence["ids"])) for old in self._similar(traits)
        )

    def _similar(self, traits: Traits) -> Iterator[Fact]:
        """Recorded facts that may say the same, those first that share the rarest word."""
        key = alike_key(traits)
        postings = [self._by_word.get((key, word), {}) for word in frozenset(traits.words)]
        seen: set[int] = set()
        for posting in sorted(filter(None, postings), key=len):
            newest = [n for n in islice(reversed(posting), COMPARED) if n not in seen]
            seen.update(newest)
            yield from (self._facts[number] for number in newest)

    def _is_verified(self, fact: Grounded, traits: Traits) -> bool:
        if fact.misread or not (fact.lines or traits.claims):
            return False
        return all(self._proven[claim] > 0 for claim in fact.unsupported)

    def _insert(self, fact: Fact) -> None:
        self._facts[fact.number] = fact
        traits = fact.traits
        self._exact[traits.normal, traits.hedged] += 1
        for word in frozenset(traits.words):
            self._by_word.setdefault((alike_key(traits), word), {})[fact.number] = None
        for claim in traits.claims.union(traits.words):
            self._by_claim.setdefault(claim, {})[fact.number] = None
        if fact.verified:
            self._proven.update(traits.every_word)

    def _remove(self, number: int) -> None:
        fact = self._facts.pop(number, None)
        if fact is None:
            return
        traits = fact.traits
        _count_down(self._exact, [(traits.normal, traits.hedged)])
        for word in frozenset(traits.words):
            _unpost(self._by_word, (alike_key(traits), word), number)
        for claim in traits.claims.union(traits.words):
            _unpost(self._by_claim, claim, number)
        if fact.verified:
            _count_down(self._proven, traits.every_word)

    def _evict(self) -> Iterator[LedgerLine]:
        while len(self._facts) > self._max_facts:
            oldest = next(iter(self._facts.values()))
            self._remove(oldest.number)
            log.info("the ledger is full: %s leaves it", oldest.id)
            yield {"op": "evict", "id": oldest.id}


def _first_that_fits(recorded: Sequence[Fact], room: int) -> int:
    """From which fact on they fit, on the border of a block where one is near enough."""
    left = room
    start = len(recorded)
    while start and recorded[start - 1].tokens <= left:
        start -= 1
        left -= recorded[start].tokens
    if start == 0:
        return 0
    border = next((n for n in range(start, len(recorded)) if _begins_block(recorded, n)), len(recorded))
    return border if border < len(recorded) else start


def _begins_block(recorded: Sequence[Fact], place: int) -> bool:
    return recorded[place].number // BLOCK > recorded[place - 1].number // BLOCK


def _unpost(postings: dict[Any, dict[int, None]], key: Hashable, number: int) -> None:
    posting = postings[key]
    del posting[number]
    if not posting:
        del postings[key]


def _count_down(counts: Counter[Any], keys: Iterable[Any]) -> None:
    for key in keys:
        counts[key] -= 1
        if not counts[key]:
            del counts[key]
