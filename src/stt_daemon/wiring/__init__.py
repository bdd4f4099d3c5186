"""Who gets which real part. All apps build with it; a test hands over other parts."""

from stt_daemon.wiring.listening import (
    ListeningParts,
    SourceChoice,
    Start,
    build_listener,
    build_source,
    build_whisper_lane,
)

__all__ = [
    "ListeningParts",
    "SourceChoice",
    "Start",
    "build_listener",
    "build_source",
    "build_whisper_lane",
]
