"""The chat's memory: what was asked and answered, and the summary that stands for its oldest part.

Owned by the core's loop, which alone may call `History`; a `HistoryView` is immutable and may go to the
lane's thread. Chat and commands share it; transcripts and briefs are no part of it.

Invariants:
- Numbers ascend from 1 and are never used twice, so a late reply or summary meets no wrong exchange.
- Every exchange is either live (in the view, word for word) or covered by the newest checkpoint, never both
  and never neither, until it is rewound or forgotten.
- Covered exchanges are kept: a rewind behind a checkpoint restores the summary before it, so that a summary
  never speaks of what was taken back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["chat", "command"]


@dataclass(frozen=True)
class Exchange:
    """One message of the user and the reply to it.

    `session` is the session in which it was said: what a short citation in it refers to. Until `settled` a
    reply may still come; a settled one with reply "" was never answered.
    """

    number: int
    kind: Kind
    user: str
    session: str
    reply: str = ""
    settled: bool = False


@dataclass(frozen=True)
class Checkpoint:
    """`summary` stands for every exchange up to number `through`; `session` is where it was written."""

    through: int
    summary: str
    session: str


NOTHING_COVERED = Checkpoint(0, "", "")


@dataclass(frozen=True)
class HistoryView:
    """The memory at one moment: a checkpoint, then the live exchanges, oldest first."""

    checkpoint: Checkpoint = NOTHING_COVERED
    exchanges: tuple[Exchange, ...] = ()

    def exchange(self, number: int) -> Exchange | None:
        return next((e for e in self.exchanges if e.number == number), None)

    def before(self, number: int) -> tuple[Exchange, ...]:
        """The live exchanges that came before one, which is what a request about it may show."""
        return tuple(e for e in self.exchanges if e.number < number)


class History:
    """The state behind the views."""

    def __init__(self) -> None:
        self._kept: list[Exchange] = []
        self._checkpoints: list[Checkpoint] = []
        self._next = 1

    def view(self) -> HistoryView:
        checkpoint = self._checkpoints[-1] if self._checkpoints else NOTHING_COVERED
        return HistoryView(checkpoint, tuple(e for e in self._kept if e.number > checkpoint.through))

    def timeline(self) -> tuple[Exchange | Checkpoint, ...]:
        """All that is kept, covered exchanges too, in an order in which it can be built up again."""
        parts: list[Exchange | Checkpoint] = [*self._kept, *self._checkpoints]
        return tuple(sorted(parts, key=lambda p: p.number if isinstance(p, Exchange) else p.through + 0.5))

    def ask(self, user: str, *, session: str, kind: Kind = "chat", number: int = 0) -> Exchange:
        """Add what the user said. `number` is only given when a record is read back.

        Raises ValueError for a number that was used already.
        """
        if number and number < self._next:
            raise ValueError(f"exchange {number} is there already")
        exchange = Exchange(number or self._next, kind, user, session)
        self._next = exchange.number + 1
        self._kept.append(exchange)
        return exchange

    def settle(self, number: int, reply: str = "") -> Exchange | None:
        """Add the reply, or "" when none will come. None: the exchange is gone or settled already."""
        for place in range(len(self._kept) - 1, -1, -1):
            exchange = self._kept[place]
            if exchange.number == number and not exchange.settled:
                self._kept[place] = replace(exchange, reply=reply, settled=True)
                return self._kept[place]
        return None

    def rewind(self, count: int) -> tuple[Exchange, ...]:
        """Take back the last `count` exchanges, fewer if there are fewer; returns them, oldest first."""
        dropped = tuple(self._kept[len(self._kept) - count :]) if 0 < count < len(self._kept) else ()
        if count >= len(self._kept):
            dropped = tuple(self._kept)
        if dropped:
            self.rewind_to(dropped[0].number - 1)
        return dropped

    def rewind_to(self, number: int) -> None:
        """Keep the exchanges up to `number` only."""
        self._kept = [e for e in self._kept if e.number <= number]
        self._checkpoints = [c for c in self._checkpoints if c.through <= number]

    def forget(self) -> int:
        """Empty the memory; returns how many exchanges it held. Numbers go on."""
        count = len(self._kept)
        self._kept.clear()
        self._checkpoints.clear()
        return count

    def cover(self, numbers: tuple[int, ...], summary: str, session: str) -> bool:
        """Let `summary` stand for these exchanges and all before. False, and no change, if it came too late.

        Too late: the exchanges are no longer exactly the oldest live ones, because of a rewind or `forget`.
        """
        oldest = self.view().exchanges[: len(numbers)]
        if not numbers or tuple(e.number for e in oldest if e.settled) != numbers:
            return False
        self._checkpoints.append(Checkpoint(numbers[-1], summary, session))
        return True

    def restore_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Read a checkpoint back. Raises ValueError if it does not go beyond the one before."""
        if checkpoint.through <= self.view().checkpoint.through:
            raise ValueError("a summary covers no more than the one before it")
        self._checkpoints.append(checkpoint)
        self._next = max(self._next, checkpoint.through + 1)
