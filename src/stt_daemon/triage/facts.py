"""Reading one sentence the way facts are compared: its numbers, dates, names, denials, hedges and words.

Pure; any thread; linear in the length of the text. Names are read from capital letters, so a text without
upper and lower case has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from stt_daemon.triage import lexicon
from stt_daemon.triage.tokens import Token, numbers_together, tokens_of


@dataclass(frozen=True)
class Traits:
    """What a text says, in the form in which two texts are compared.

    `normal` is the whole text without case and punctuation. `words` are the stems that carry meaning, in
    order; `numbers` and `dates` in order; `names` as stems, `possible` those names that only stand where
    every word has a capital letter. `claims` are the numbers, dates and names somebody must have said.
    `joined` maps numbers that neighbours make together ("twenty twenty six": 2026) to their parts.
    """

    normal: str
    words: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    possible: frozenset[str] = frozenset()
    claims: frozenset[str] = frozenset()
    negations: int = 0
    hedged: bool = False
    every_word: frozenset[str] = field(default=frozenset(), repr=False)
    joined: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False, hash=False)

    @property
    def entities(self) -> frozenset[str]:
        """All that may be a name."""
        return self.names | self.possible

    def says(self, claim: str) -> bool:
        """Whether a number, date or name stands in this text, in whatever form."""
        return claim in self.every_word or claim in self.joined


@lru_cache(maxsize=4096)
def read(text: str) -> Traits:
    """The traits of a text."""
    tokens = tokens_of(text)
    cased = any(char.islower() for char in text)
    numbers: list[str] = []
    dates: list[str] = []
    words: list[str] = []
    names: set[str] = set()
    possible: set[str] = set()
    every: set[str] = set()
    unclaimed: set[str] = set()
    claimed: set[str] = set()
    negations = 0
    hedged = "?" in text or "？" in text
    for place, token in enumerate(tokens):
        if token.number:
            numbers.append(token.number)
            every.update(filter(None, (token.number, token.also)))
            (unclaimed if token.form in lexicon.UNCLAIMED else claimed).add(token.number)
            continue
        if date := _date(tokens, place):
            dates.append(date)
            every.add(date)
            claimed.add(date)
            continue
        every.add(stem(token.form))
        if token.form in lexicon.NEGATIONS or token.form.endswith("n't"):
            negations += 1
            continue
        hedged = hedged or token.form in lexicon.HEDGES
        if cased and _is_name(token):
            names.add(stem(token.form))
        elif cased and _may_be_name(token):
            possible.add(stem(token.form))
        if token.form not in lexicon.LIGHT:
            words.append(stem(token.form))
    return Traits(
        normal=" ".join(token.number or token.form for token in tokens),
        words=tuple(words),
        numbers=tuple(numbers),
        dates=tuple(dates),
        names=frozenset(names),
        possible=frozenset(possible - names),
        claims=frozenset(claimed | names | possible),
        negations=negations,
        hedged=hedged,
        every_word=frozenset(every),
        joined=numbers_together(tokens),
    )


def stem(word: str) -> str:
    """A word without the endings that change nothing about a fact: plural, possessive, -ing.

    -ed stays: that something was done is another fact.
    """
    word = word.removesuffix("'s").removesuffix("'")
    if not word.isascii() or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if word.endswith("ing") and len(word) > 5:
        word = word[:-3]
        if len(word) > 3 and word[-1] == word[-2]:
            word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def sentences(text: str) -> list[str]:
    """The text in sentences; the end mark stays with each."""
    return [part.strip() for part in re.findall(r"[^.!?…。！？]+[.!?…。！？]*", text) if part.strip()]


def _date(tokens: Sequence[Token], place: int) -> str:
    token = tokens[place]
    if token.form in lexicon.RELATIVE_DATES:
        return token.form
    date = lexicon.CALENDAR.get(token.form, "")
    if date and token.form in lexicon.DOUBTFUL_DATES:
        beside = tokens[max(0, place - 2) : place + 2]
        if not (token.shown[0].isupper() and not token.initial) and not any(t.number for t in beside):
            return ""
    return date


def _is_name(token: Token) -> bool:
    """A capital letter where it means something, or one inside or more than one, or letters with digits."""
    if token.is_code:
        return any(char.isdigit() for char in token.form)
    letters = token.shown.removesuffix("'s")
    if not token.is_word or letters == "I" or token.form.startswith("i'"):
        return False
    capitals = sum(char.isupper() for char in letters)
    if capitals > 1 or (capitals and not letters[0].isupper()):
        return True
    return bool(capitals) and not token.initial and token.form not in lexicon.COMMON


def _may_be_name(token: Token) -> bool:
    return (
        token.is_word
        and token.initial
        and token.shown[:1].isupper()
        and token.form not in lexicon.COMMON
        and token.form not in lexicon.LIGHT
        and token.form not in lexicon.HEDGES
    )
