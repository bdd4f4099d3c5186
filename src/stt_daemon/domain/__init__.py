"""The nouns everybody shares: frozen values without behaviour that needs another room."""

from stt_daemon.domain.clock import Clock, SystemClock
from stt_daemon.domain.ids import next_session_id, utterance_id
from stt_daemon.domain.speech import (
    BYTES_PER_SAMPLE,
    SAMPLE_RATE,
    Gap,
    Segment,
    SegmentReason,
    Turn,
    Utterance,
)

__all__ = [
    "BYTES_PER_SAMPLE",
    "SAMPLE_RATE",
    "Clock",
    "Gap",
    "Segment",
    "SegmentReason",
    "SystemClock",
    "Turn",
    "Utterance",
    "next_session_id",
    "utterance_id",
]
