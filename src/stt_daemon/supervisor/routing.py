"""Which message of whom goes where: a table. Pure."""

from __future__ import annotations

from functools import cache
from typing import Literal

from stt_daemon.messages import (
    ChildLoadFailed,
    ChildReady,
    ChildStopped,
    ControlReceived,
    Heartbeat,
    MuteRequested,
    PauseRequested,
    SessionAssigned,
    SessionChanged,
    SessionRequested,
    ShutdownRequested,
    SourceAdvanced,
    SourceDrained,
    TranscriptMissed,
    TriageStateChanged,
    message_type,
)

Origin = Literal["supervisor", "transcription", "assistant", "tui"]
Destination = Literal["supervisor", "transcription", "assistant", "tui", "output"]
"""`output` stands for everything that shows or writes events: stdout, `--events`, notices, status."""

_HEALTH = frozenset(
    kind.topic for kind in (ChildReady, ChildLoadFailed, ChildStopped, Heartbeat, SourceDrained)
)
_FOR_SUPERVISOR: dict[Origin, frozenset[str]] = {
    "supervisor": frozenset(),
    "transcription": _HEALTH | {SessionChanged.topic},
    "assistant": _HEALTH | {SessionRequested.topic, ShutdownRequested.topic},
    "tui": _HEALTH | {ShutdownRequested.topic},
}
_BETWEEN_CHILDREN: dict[tuple[Origin, str], tuple[Destination, ...]] = {
    ("transcription", SourceAdvanced.topic): ("assistant",),
    ("assistant", MuteRequested.topic): ("transcription",),
    ("assistant", PauseRequested.topic): ("transcription",),
    ("assistant", TriageStateChanged.topic): ("tui", "output"),
    ("supervisor", SessionAssigned.topic): ("transcription", "assistant"),
    ("supervisor", ControlReceived.topic): ("assistant",),
    ("supervisor", SourceDrained.topic): ("assistant",),
    ("tui", ControlReceived.topic): ("assistant",),
}
_READERS: dict[Origin, tuple[Destination, ...]] = {
    "supervisor": ("assistant", "tui", "output"),
    "transcription": ("assistant", "tui", "output"),
    "assistant": ("tui", "output"),
    "tui": ("output",),
}
HELD_TOPICS = frozenset({ControlReceived.topic})
"""What a user typed waits for a child that is being restarted."""


@cache
def destinations(origin: Origin, topic: str) -> tuple[Destination, ...]:
    """Everybody who gets a message of that topic from there. Raises ChannelError for an unknown topic."""
    public = message_type(topic).public or topic == TranscriptMissed.topic
    places: list[Destination] = []
    if topic in _FOR_SUPERVISOR[origin]:
        places.append("supervisor")
    places.extend(_BETWEEN_CHILDREN.get((origin, topic), ()))
    if public:
        places.extend(_READERS[origin])
    return tuple(places)
