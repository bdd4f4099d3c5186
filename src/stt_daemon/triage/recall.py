"""The recall guard: lines that hold something to keep, and whether a fact keeps it. Pure; any thread.

Something to keep is a number, a date, a name, or words that decide. A line is covered when every number and
calendar date in it stands in a fact shown by that line, or the rest of them together in one recorded fact; a
line without those when a fact is shown by it, or one recorded fact has all its names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stt_daemon.triage import facts, lexicon
from stt_daemon.triage.evidence import Delta, Grounded
from stt_daemon.triage.fact_ledger import FactLedger

_DECISIONS = frozenset(map(facts.stem, lexicon.DECISIONS))


def uncovered(read: Sequence[Delta], found: Iterable[Grounded], ledger: FactLedger) -> tuple[Delta, ...]:
    """The utterances among `read` that hold something which neither `found` nor the ledger keeps.

    `found` are the facts of the reply to these lines. Parts of the chat are not guarded: they have no id by
    which they could be listed.
    """
    shown_by: dict[str, list[Grounded]] = {}
    for fact in found:
        for line in fact.lines:
            shown_by.setdefault(line.id, []).append(fact)
    return tuple(
        line for line in read if line.id and not _is_covered(line, shown_by.get(line.id, ()), ledger)
    )


def worth_keeping(line: Delta) -> bool:
    """Whether an utterance holds a number, a date, a name, or words that decide."""
    return bool(line.id and (_numbers_and_dates(line) or line.said.names or _decides(line)))


def _is_covered(line: Delta, shown: Sequence[Grounded], ledger: FactLedger) -> bool:
    names = line.said.names
    # "Today" and its like are said in passing: they are looked for no further than for any fact.
    if needed := _numbers_and_dates(line) - lexicon.RELATIVE_DATES:
        missing = needed - _kept(line, shown)
        return not missing or ledger.holds(missing)
    return bool(shown) or ledger.holds(names) or not worth_keeping(line)


def _numbers_and_dates(line: Delta) -> frozenset[str]:
    said = line.said
    return said.claims - said.entities


def _kept(line: Delta, shown: Sequence[Grounded]) -> set[str]:
    """What of the line's numbers and dates its facts have, also where they write several as one."""
    kept: set[str] = set()
    for fact in shown:
        traits = facts.read(fact.text)
        kept |= traits.every_word
        for whole, parts in line.said.joined.items():
            if traits.says(whole):
                kept.update(parts)
    return kept


def _decides(line: Delta) -> bool:
    return any(
        not said.hedged and not said.every_word.isdisjoint(_DECISIONS)
        for said in map(facts.read, facts.sentences(line.text))
    )
