"""What the user is told when the chat's memory fills up. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stt_daemon.conversation.history import Exchange
from stt_daemon.conversation.neutral import beginning

QUOTED = 3
"""So many of the oldest turns are quoted by their beginning."""


@dataclass(frozen=True)
class ContextAlert:
    """`approaching`: the budget is nearly used. `truncating`: a request goes out without some turns."""

    level: Literal["approaching", "truncating"]
    message: str


def approaching(exchanges: Sequence[Exchange], share: float) -> ContextAlert:
    return ContextAlert(
        "approaching",
        f"The chat memory is {share:.0%} full. The first to be condensed, and forgotten word for word: "
        f"{_quotes(exchanges)}.",
    )


def truncating(left_out: Sequence[Exchange], *, summary_lost: bool, problem: str) -> ContextAlert:
    parts = []
    if left_out:
        turns = "1 turn" if len(left_out) == 1 else f"{len(left_out)} turns"
        parts.append(f"The chat memory is full. {turns} no longer seen word for word: {_quotes(left_out)}.")
        if problem:
            parts.append(
                f"Condensing failed ({problem}); they wait, and nothing stands for them until it works."
            )
        else:
            parts.append("A summary takes their place once they are condensed.")
    if summary_lost:
        parts.append("The summary of the older turns does not fit beside this question and is left out.")
    return ContextAlert("truncating", " ".join(parts))


def _quotes(exchanges: Sequence[Exchange]) -> str:
    quoted = ", ".join(f"“{beginning(e.user)}”" for e in exchanges[:QUOTED])
    more = len(exchanges) - QUOTED
    return f"{quoted} and {more} more" if more > 0 else quoted
