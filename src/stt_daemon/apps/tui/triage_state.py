"""What the triage pane knows: signals, brief, coverage, values, and why triage is not at work.

Pure; one thread. Messages may come in any order, because a late interface is given the last one of each
stage: of two the later `ts` holds, and with equal ones the one that came later. What is older than the last
clearing does not come back.
"""

from __future__ import annotations

from stt_daemon.messages import (
    CoverageChanged,
    Message,
    TriageChanged,
    TriageStateChanged,
    ValueRead,
)


class Triage:
    """The state behind the pane."""

    def __init__(self) -> None:
        self.signals: TriageChanged | None = None
        self.content: TriageChanged | None = None
        self.coverage = CoverageChanged()
        self.lane = TriageStateChanged(state="loading")
        self.values: dict[str, ValueRead] = {}
        self._cleared_ts = float("-inf")

    @property
    def ts(self) -> float | None:
        """When the last triage that is shown was made, in seconds since the epoch."""
        times = [one.ts for one in (self.signals, self.content) if one is not None]
        return max(times) if times else None

    def follow(self, message: Message) -> bool:
        """Take in a message; whether it changed anything."""
        if isinstance(message, TriageChanged):
            return self._triage(message)
        if isinstance(message, TriageStateChanged):
            self.lane = message
        elif isinstance(message, CoverageChanged):
            self.coverage = message
        elif isinstance(message, ValueRead):
            # The newest reading of a field moves to the end.
            self.values.pop(message.field, None)
            self.values[message.field] = message
        else:
            return False
        return True

    def _triage(self, message: TriageChanged) -> bool:
        if message.ts < self._cleared_ts:
            return False
        if message.stage == "cleared":
            self._clear(message.ts)
            return True
        changed = False
        if _holds(message, self.signals):
            self.signals, changed = message, True
        if message.stage == "content" and _holds(message, self.content):
            self.content, changed = message, True
        return changed

    def _clear(self, ts: float) -> None:
        self._cleared_ts = ts
        if self.signals is not None and self.signals.ts <= ts:
            self.signals = None
        if self.content is not None and self.content.ts <= ts:
            self.content = None
        self.values.clear()


def _holds(message: TriageChanged, known: TriageChanged | None) -> bool:
    return known is None or message.ts >= known.ts
