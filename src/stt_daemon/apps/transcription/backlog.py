"""What waits for transcription, in the order it was heard. Pure; one thread.

Only file names and times are kept, never samples, so hours of backlog cost no memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from stt_daemon.apps.transcription.session import SessionState
from stt_daemon.domain import Segment


@dataclass(frozen=True)
class WaitingSegment:
    """A segment on disk. `heard_at` is the monotonic time at which its last voiced frame was heard, None
    when that says nothing about delay (full speed, or found after a restart)."""

    session: SessionState
    segment: Segment
    heard_at: float | None


@dataclass(frozen=True)
class WaitingGap:
    """A gap that may only be written once everything heard before it is."""

    session: SessionState
    t0: float
    t1: float
    reason: str


@dataclass(frozen=True)
class WaitingSession:
    """A change of session: announced once everything said in the one before is written down."""

    closes: SessionState
    opens: SessionState


Waiting = WaitingSegment | WaitingGap | WaitingSession


class Backlog:
    """First in, first out; the head stays until it is settled."""

    def __init__(self) -> None:
        self._items: deque[Waiting] = deque()

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Waiting]:
        return iter(self._items)

    def append(self, item: Waiting) -> None:
        self._items.append(item)

    def head(self) -> Waiting | None:
        return self._items[0] if self._items else None

    def pop(self) -> None:
        """Take the head away: it is settled, or left for the next start."""
        self._items.popleft()

    @property
    def seconds(self) -> float:
        """Seconds of audio that wait."""
        return sum(item.segment.duration_s for item in self._items if isinstance(item, WaitingSegment))
