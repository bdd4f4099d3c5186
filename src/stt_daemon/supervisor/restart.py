"""When a child that died is started again, or given up. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FIRST_DELAY_S = 0.25
LONGEST_DELAY_S = 5.0


@dataclass(frozen=True)
class RestartPolicy:
    """At most `restarts` starts after a death within any `window_s` seconds."""

    restarts: int = 5
    window_s: float = 60.0

    def delay(self, deaths: Sequence[float], now: float) -> float | None:
        """Seconds until the next start; None: given up.

        `deaths` are the times of all deaths, the one at hand included. The first is answered at once, for
        every tenth of a second is audio of a live source that nobody records; each further one in the
        window waits twice as long as the one before.
        """
        recent = sum(1 for death in deaths if now - death < self.window_s)
        if recent > self.restarts:
            return None
        if recent <= 1:
            return 0.0
        # A float: a policy with hundreds of restarts must not compute an integer of hundreds of digits.
        return min(FIRST_DELAY_S * 2.0 ** min(recent - 2, 30), LONGEST_DELAY_S)
