"""The counter of the LLM lane in the borders of the panes that wait for it. Pure; one thread."""

from __future__ import annotations

from stt_daemon.messages import LaneChanged


class Inference:
    """How many jobs wait for the LLM lane, and whether one runs."""

    def __init__(self) -> None:
        self._depth = 0
        self._busy = False

    def follow(self, message: LaneChanged) -> bool:
        """Whether the message changed what is told."""
        if message.name != "llm":
            return False
        before = self.told()
        self._depth, self._busy = message.depth, message.state == "busy"
        return self.told() != before

    def told(self) -> str:
        return f"[inf {self._depth}]" + (" · busy" if self._busy else "")
