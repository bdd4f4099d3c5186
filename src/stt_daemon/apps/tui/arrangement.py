"""Which panes are in sight at which size of the screen. Pure.

Wide screens show the transcript beside a column of the others; narrow ones show one pane at a time, and a low
wide screen one pane in the column. Where panes share a place there are tabs for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

PaneName = Literal["transcript", "triage", "summary", "chat"]

WIDE = 72
"""Columns from which two panes fit side by side: both still hold a sentence in two or three rows."""

HIGH = 18
"""Rows from which two panes fit one below the other."""


@dataclass(frozen=True)
class Arrangement:
    """`shown` are the panes in sight. `tabs` are the panes among which one is chosen, or none; `across`
    tells that they share the whole width.
    """

    shown: frozenset[PaneName]
    tabs: tuple[PaneName, ...] = ()
    across: bool = False


def arrange(width: int, height: int, panes: Sequence[PaneName], fronts: Sequence[PaneName]) -> Arrangement:
    """`panes` are those there are, `fronts` all of them with the most recently chosen one first."""
    if width < WIDE:
        return Arrangement(frozenset(fronts[:1]), tuple(panes), across=True)
    column = tuple(pane for pane in panes if pane != "transcript")
    if height < HIGH:
        front = next(pane for pane in fronts if pane in column)
        tabs = column if len(column) > 1 else ()
        return Arrangement(frozenset({"transcript", front}), tabs)
    upper = tuple(pane for pane in column if pane != "chat")
    shown = {"transcript", "chat", *[pane for pane in fronts if pane in upper][:1]}
    return Arrangement(frozenset(shown), upper if len(upper) > 1 else ())  # type: ignore[arg-type]
