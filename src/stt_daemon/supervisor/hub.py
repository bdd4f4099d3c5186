"""The middle of the star: takes frames from everybody and hands them on by topic, undecoded.

`relay` runs in the thread that read the frame, so a message waits for no loop. Sinks never block. States
are remembered, to be repeated to a child that starts later.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from stt_daemon.channels import Frame, stamped
from stt_daemon.domain import Clock
from stt_daemon.messages import Message, SessionChanged, message_type, sticky_key
from stt_daemon.supervisor.routing import HELD_TOPICS, Destination, Origin, destinations

Sink = Callable[[Frame], None]

_HELD_AT_MOST = 100


class Hub:
    """Routes frames; safe from any thread. The lock orders a repeated state before any newer one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._sinks: dict[Destination, list[Sink]] = {}
        self._states: dict[tuple[str, ...], tuple[Origin, Frame]] = {}
        self._held: dict[Destination, deque[Frame]] = {}

    def attach(self, place: Destination, sink: Sink) -> None:
        """From now on frames for `place` go to `sink` too; it gets the known states first."""
        with self._lock:
            for origin, frame in self._states.values():
                if place in destinations(origin, frame.topic):
                    sink(frame)
            for frame in self._held.pop(place, ()):
                sink(frame)
            self._sinks.setdefault(place, []).append(sink)

    def detach(self, place: Destination, sink: Sink) -> None:
        with self._lock:
            self._sinks[place].remove(sink)

    def relay(self, origin: Origin, frame: Frame) -> None:
        """Hand on a frame. Raises ChannelError when its topic, or the body of a state, is unreadable."""
        places = destinations(origin, frame.topic)
        key = sticky_key(frame.message()) if message_type(frame.topic).sticky is not None else None
        with self._lock:
            if key is not None:
                self._states[key] = (origin, frame)
            for place in places:
                sinks = self._sinks.get(place, [])
                if not sinks and frame.topic in HELD_TOPICS:
                    self._held.setdefault(place, deque(maxlen=_HELD_AT_MOST)).append(frame)
                for sink in sinks:
                    sink(frame)

    def publish(self, message: Message) -> None:
        """A message of the supervisor itself, stamped now."""
        self.relay("supervisor", Frame.of(stamped(message, self._clock)))

    def forget(self, origin: Origin) -> None:
        """What a dead child said about itself is no longer true; the session is, and so are requests."""
        with self._lock:
            for key, (whose, frame) in list(self._states.items()):
                kind = message_type(frame.topic)
                if whose == origin and kind.public and kind is not SessionChanged:
                    del self._states[key]

    def state(self, kind: type[Message]) -> Message | None:
        """The last state of a kind that has one subject only."""
        with self._lock:
            known = self._states.get((kind.topic,))
        return None if known is None else known[1].message()
