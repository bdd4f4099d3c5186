"""Is a living child still well? And has the judge itself been asleep? Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class HealthLimits:
    """Seconds. A heartbeat is due every second; a decode of the longest segment on a slow machine with a
    large model takes tens of seconds; a first start may have to read all libraries from a slow disk. A call
    to a language model has a deadline of its own, which `llm_busy_s` must lie beyond.
    """

    silent_s: float = 10.0
    lane_busy_s: float = 120.0
    llm_busy_s: float = 600.0
    start_s: float = 60.0
    overslept_s: float = 2.0

    def ailment(self, *, heard: bool, silence_s: float, busy_s: Mapping[str, float]) -> str:
        """Why the child must be replaced; "" while it is well. `heard`: it has said anything so far."""
        limit = self.silent_s if heard else self.start_s
        if silence_s > limit:
            return f"silent for {silence_s:.0f} s"
        for lane, busy in busy_s.items():
            if busy + silence_s > (self.llm_busy_s if lane == "llm" else self.lane_busy_s):
                return f"the {lane} lane has been stuck in one job for {busy + silence_s:.0f} s"
        return ""

    def overslept(self, planned_wake: float, woke: float) -> float:
        """How late the loop woke, if that means it was stopped (or the machine was); else 0.

        Deadlines that ran out meanwhile say nothing about the children: they may have been stopped too.
        """
        late = woke - planned_wake
        return late if late > self.overslept_s else 0.0
