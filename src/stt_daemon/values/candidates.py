"""Candidates: pieces of a text that may be the value of a field, quoted exactly. Pure; any thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from stt_daemon.values.tokens import Tokens
from stt_daemon.values.typed import Value


@dataclass(frozen=True)
class Span:
    """`text` is always the characters from `start` up to `end` of the text it was found in."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Candidate:
    """A span and how code reads it; `value` is None where the syntax leaves it open, and `why` says so."""

    span: Span
    value: Value | None
    why: str = ""


@dataclass(frozen=True)
class At:
    """When and where something was said. `near` is a moment that clock times without am or pm refer to."""

    now: datetime
    zone: tzinfo
    near: datetime | None = None


@dataclass(frozen=True)
class Mention:
    """A candidate before it is cut out: places of tokens instead of characters."""

    start: int
    end: int
    value: Value | None
    why: str = ""

    def open(self, why: str) -> Mention:
        """The same words without a value; the first reason found stays."""
        return replace(self, value=None, why=self.why or why)

    def widened(self, start: int, end: int) -> Mention:
        return replace(self, start=min(self.start, start), end=max(self.end, end))


def cut(tokens: Tokens, mentions: list[Mention]) -> tuple[Candidate, ...]:
    """The mentions as candidates, in the order of the text."""
    found = []
    for mention in sorted(mentions, key=lambda m: m.start):
        start, end = tokens.characters(mention.start, mention.end)
        found.append(Candidate(Span(start, end, tokens.text[start:end]), mention.value, mention.why))
    return tuple(found)


def merged(mentions: list[Mention], why: str) -> list[Mention]:
    """Mentions that share words become one, which then has no value."""
    result: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        if result and mention.start < result[-1].end:
            result[-1] = result[-1].widened(mention.start, mention.end).open(why)
        else:
            result.append(mention)
    return result
