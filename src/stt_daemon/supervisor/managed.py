"""What the supervisor knows about one child. Changed by the supervisor's loop; `heard` by a reader too."""

from __future__ import annotations

import logging
import signal
from dataclasses import dataclass, field

from stt_daemon.errors import ErrorRecord
from stt_daemon.messages import ChildState, ChildStopped
from stt_daemon.supervisor.placement import ChildSpec, RunningChild
from stt_daemon.supervisor.states import ALIVE, change_state
from stt_daemon.supervisor.stop_order import StopShare

log = logging.getLogger(__name__)

_UNKILLABLE_S = 2.0
_FINAL_CODES = frozenset({"config", "usage", "audio"})
"""Starting again cannot help: the configuration or the named file stays what it is."""


@dataclass
class ManagedChild:
    """All times are of the monotonic clock; None means: not set."""

    spec: ChildSpec
    state: ChildState = "stopped"
    attempt: int = 0
    deaths: list[float] = field(default_factory=list)
    source_t: float = 0.0
    start_at: float | None = None

    # Of the present start:
    run: RunningChild | None = None
    heard: bool = False
    heard_at: float = 0.0
    busy_s: dict[str, float] = field(default_factory=dict)
    load_error: ErrorRecord | None = None
    farewell: ChildStopped | None = None
    ailment: str = ""
    told_off: bool = False
    closed: bool = False
    gone_at: float | None = None
    term_at: float | None = None
    kill_at: float | None = None
    abandon_at: float | None = None

    @property
    def alive(self) -> bool:
        return self.state in ALIVE

    @property
    def counts(self) -> bool:
        """Whether something is still to be expected of it: it runs, or will be started again."""
        return self.state not in ("failed", "stopped")

    def begin(self, now: float) -> None:
        """A new start: nothing of the last one counts any more."""
        self.state = change_state(self.state, "starting")
        self.attempt += 1
        self.start_at = None
        self.run = None
        self.heard, self.heard_at, self.busy_s = False, now, {}
        self.load_error, self.farewell, self.ailment = None, None, ""
        self.told_off, self.closed = False, False
        self.gone_at = self.term_at = self.kill_at = self.abandon_at = None

    def end_by(self, now: float, share: StopShare) -> None:
        """Set when it will be ended by force; never later than already set."""
        term, kill = now + share.term_s, now + share.kill_s
        if not self.told_off:
            self.term_at = term if self.term_at is None else min(self.term_at, term)
        self.kill_at = kill if self.kill_at is None else min(self.kill_at, kill)

    def force(self, now: float) -> None:
        """Send the signals whose time has come."""
        assert self.run is not None
        if self.term_at is not None and now >= self.term_at:
            if self.closed and self.state != "draining":
                self.ailment = self.ailment or "closed its channel and lived on"
            log.warning("%s gets SIGTERM: %s", self.spec.name, self.ailment or "its time to stop is over")
            self.term_at, self.told_off = None, True
            self.run.terminate()
        if self.kill_at is not None and now >= self.kill_at:
            log.warning("%s gets SIGKILL", self.spec.name)
            self.kill_at, self.told_off, self.abandon_at = None, True, now + _UNKILLABLE_S
            self.run.kill()

    def shift(self, late: float, now: float) -> None:
        """The judge was asleep for `late` seconds until `now`: nothing that ran out meanwhile counts."""
        self.heard_at = min(self.heard_at + late, now)
        for name in ("start_at", "gone_at", "term_at", "kill_at", "abandon_at"):
            value = getattr(self, name)
            if value is not None:
                setattr(self, name, value + late)

    def deadlines(self) -> list[float]:
        times = (self.start_at, self.term_at, self.kill_at, self.abandon_at)
        return [time for time in times if time is not None]

    def ended_well(self, code: int) -> bool:
        """After a request to stop. A native crash on the way out costs nothing once the farewell is said,
        and a child that was ended by force leaves the rest for the next start. A service manager sends its
        SIGTERM to every process at once, so it can meet a child that has no handler for it yet. A child that
        says itself that it failed (a model that cannot be loaded) is believed.
        """
        if code in (0, -signal.SIGTERM) or self.told_off:
            return True
        if self.spec.owns_terminal and code == -signal.SIGHUP:
            return True  # its terminal was closed
        return code < 0 and self.farewell is not None

    @property
    def hopeless(self) -> bool:
        return self.load_error is not None and self.load_error.code in _FINAL_CODES

    def why_ended(self, code: int) -> str:
        if self.load_error is not None:
            return self.load_error.line()
        if self.ailment:
            return self.ailment
        if code < 0:
            try:
                return f"killed by {signal.Signals(-code).name}"
            except ValueError:
                return f"killed by signal {-code}"
        return "ended without being asked" if code == 0 else f"ended with exit code {code}"
