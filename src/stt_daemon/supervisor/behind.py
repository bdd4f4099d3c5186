"""Lines for a terminal on which the interface is drawn: they wait, or are let go, until it is gone.

Used by one sender's thread. The interface shows all of it meanwhile. When it has ended, or was given up and
the program goes on without it, what must not be missed is written first, and then everything as usual.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator

from stt_daemon.channels import Frame
from stt_daemon.messages import ChildChanged
from stt_daemon.supervisor.output import Lines

_KEPT_LINES = 20


class BehindInterface:
    """`lines`, held back. `kept` are the topics whose lines are written afterwards, the latest of them."""

    def __init__(self, lines: Lines, kept: Collection[str] = ()) -> None:
        self._lines = lines
        self._kept = kept
        self._waiting: deque[str] = deque(maxlen=_KEPT_LINES)
        self._drawn_over = True

    def wants(self, topic: str) -> bool:
        return topic == ChildChanged.topic or self._lines.wants(topic)

    def render(self, frame: Frame) -> Iterator[str]:
        # Rendered in any case: what counts lines or remembers states has to keep step.
        lines = list(self._lines.render(frame)) if self._lines.wants(frame.topic) else []
        if self._drawn_over and frame.topic in self._kept:
            self._waiting.extend(lines)
        if not self._drawn_over:
            yield from lines
        elif frame.topic == ChildChanged.topic and _is_gone(frame):
            self._drawn_over = False
            yield from self._waiting

    def rest(self) -> Iterator[str]:
        rest = list(self._lines.rest())
        return iter(() if self._drawn_over else rest)


def _is_gone(frame: Frame) -> bool:
    """For good: from neither of these states the interface comes back."""
    message = frame.message()
    assert isinstance(message, ChildChanged)
    return message.name == "tui" and message.state in ("stopped", "failed")
