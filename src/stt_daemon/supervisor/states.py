"""The states of a child and the moves between them, as data.

stopped -> starting -> ready -> draining -> stopped
               |         |          |
               +---------+          +-> failed     (it ended by itself before it was drained)
               v
            backoff -> starting | failed | stopped
"""

from __future__ import annotations

from stt_daemon.messages import ChildState

LEGAL: dict[ChildState, frozenset[ChildState]] = {
    "stopped": frozenset({"starting"}),
    "starting": frozenset({"ready", "draining", "backoff", "failed", "stopped"}),
    "ready": frozenset({"draining", "backoff", "failed", "stopped"}),
    "draining": frozenset({"stopped", "failed"}),
    "backoff": frozenset({"starting", "failed", "stopped"}),
    # Given up means given up: only a new run of the program starts it again.
    "failed": frozenset(),
}

ALIVE: frozenset[ChildState] = frozenset({"starting", "ready", "draining"})
"""The states in which a process (or thread) of the child exists."""


def change_state(present: ChildState, new: ChildState) -> ChildState:
    """The new state, for every assignment of a state. Raises AssertionError for an illegal move.

    Raised, not asserted: the check must hold in an optimised interpreter too.
    """
    if new not in LEGAL[present]:
        raise AssertionError(f"a child cannot go from {present} to {new}")
    return new
