"""Where speech for tests lies, and helpers to hear a file through the real listener."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from stt_daemon.audio.events import ListenerEnded, ListenerEvent, ListenerFailed, SegmentClosed
from stt_daemon.audio.file_source import FileSource
from stt_daemon.audio.listener import Listener
from stt_daemon.domain import Segment
from tests.fakes.clock import FakeClock

ROOT = Path(__file__).parents[3]
JFK = ROOT / "src" / "stt_daemon" / "data" / "jfk.wav"


def _shared() -> Path:
    """The folder of reference recordings: beside the project, or beside one of its parents."""
    for parent in ROOT.parents:
        if (parent / "shared" / "audio").is_dir():
            return parent / "shared" / "audio"
    return ROOT.parent / "shared" / "audio"


SHARED = _shared()

WALL_START = 1_764_500_000.0


class Events:
    """Collects what a listener emits; waits for kinds of events without sleeping."""

    def __init__(self) -> None:
        self._queue: queue.Queue[ListenerEvent] = queue.Queue()
        self.all: list[ListenerEvent] = []

    def __call__(self, event: ListenerEvent) -> None:
        self._queue.put(event)

    def until(self, *kinds: type, where: Any = lambda event: True) -> Any:
        """The next event of one of the kinds for which `where` holds."""
        while True:
            event = self._queue.get(timeout=30)
            self.all.append(event)
            if isinstance(event, kinds) and where(event):
                return event
            assert not isinstance(event, (ListenerEnded, ListenerFailed)), event

    def end(self) -> ListenerEnded:
        return self.until(ListenerEnded)

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.all if isinstance(event, kind)]

    @property
    def segments(self) -> list[Segment]:
        return [event.segment for event in self.of(SegmentClosed)]


def hear(path: Path, folder: Path, **settings: Any) -> Events:
    """Everything the listener tells about a file at full speed."""
    clock, events = FakeClock(), Events()
    listener = Listener(
        FileSource(path, clock=clock, speed=None),
        folder=folder,
        emit=events,
        clock=clock,
        wall_of=lambda t: WALL_START + t,
        **settings,
    )
    listener.start()
    events.end()
    assert listener.join(10)
    return events


def frames_of(samples: np.ndarray, width: int = 512) -> Iterator[np.ndarray]:
    for at in range(0, len(samples) - width + 1, width):
        yield samples[at : at + width]
