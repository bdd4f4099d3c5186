"""Which finder looks for which kind of value. Pure; any thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stt_daemon.values.candidates import At, Candidate, Mention, cut
from stt_daemon.values.durations import durations
from stt_daemon.values.identifiers import identifiers
from stt_daemon.values.instants import instants
from stt_daemon.values.measures import percentages, quantities
from stt_daemon.values.money import money
from stt_daemon.values.numbers import Numbers
from stt_daemon.values.temperatures import temperatures
from stt_daemon.values.tokens import Tokens
from stt_daemon.values.typed import Kind


@dataclass(frozen=True)
class Search:
    """What to look for.

    `scale` is the temperature scale meant where none is said; `labels` are words that announce an identifier,
    `digits` the fewest of one that nothing announces; `units` maps more unit words to how a unit is written.
    """

    kind: Kind
    scale: str = ""
    labels: tuple[str, ...] = ()
    digits: int = 5
    units: Mapping[str, str] = field(default_factory=dict)


class Text:
    """One text, cut into tokens and numbers once for all searches."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = Tokens(text)
        self._numbers = Numbers(self._tokens)

    def find(self, search: Search, at: At) -> tuple[Candidate, ...]:
        """All candidates of a kind, in the order of the text."""
        return cut(self._tokens, self._mentions(search, at))

    def _mentions(self, search: Search, at: At) -> list[Mention]:
        tokens, numbers = self._tokens, self._numbers
        if search.kind == "instant":
            return instants(tokens, numbers, at)
        if search.kind == "duration":
            return durations(tokens, numbers)
        if search.kind == "money":
            return money(tokens, numbers)
        if search.kind == "percentage":
            return percentages(tokens, numbers)
        if search.kind == "quantity":
            return quantities(tokens, numbers, search.units)
        if search.kind == "temperature":
            return temperatures(tokens, numbers, search.scale)
        return identifiers(tokens, numbers, labels=search.labels, digits=search.digits)


def find(text: str, search: Search, at: At) -> tuple[Candidate, ...]:
    """All candidates of one kind in a text."""
    return Text(text).find(search, at)
