"""Partial text of the utterance that is being spoken. Owned by the worker's main thread.

Offered to the lane only when it has nothing else to do; the lane drops it as soon as a final comes.
"""

from __future__ import annotations

from collections.abc import Callable

from stt_daemon.audio.events import OpenAudio
from stt_daemon.audio.wav import to_float
from stt_daemon.channels import Outbox
from stt_daemon.lanes.agreement import Agreed
from stt_daemon.lanes.transcriber import Hypothesis
from stt_daemon.lanes.whisper import PartialJob, WhisperLane
from stt_daemon.messages import PartialHeard


class Partials:
    """Turns open audio into jobs, and hypotheses into messages.

    Invariant: a partial is only published for the segment that is still open (`_open_t0`), so no partial
    follows its own utterance.
    """

    def __init__(self, lane: WhisperLane, outbox: Outbox) -> None:
        self._lane = lane
        self._publish = outbox.publish
        self._open_t0: float | None = None
        self._shown: Agreed | None = None

    def offer(self, open_audio: Callable[[], OpenAudio | None]) -> None:
        """The open segment has grown: one more pass over it, if the lane is free."""
        audio = open_audio()
        if audio is None:
            return
        if audio.t0 != self._open_t0:
            self._open_t0, self._shown = audio.t0, None
        self._lane.submit_partial(PartialJob(audio.t0, audio.t1, lambda: to_float(audio.samples)))

    def closed(self) -> None:
        """The open segment is a final now; what still comes for it is old."""
        self._open_t0 = None

    def heard(self, job: PartialJob, hypothesis: Hypothesis, utterance: str, offset_s: float) -> None:
        """Publish a hypothesis, unless it is old, empty or says what the last one said."""
        agreed = hypothesis.agreed
        if job.t0 != self._open_t0 or agreed == self._shown or not (agreed.committed or agreed.tentative):
            return
        self._shown = agreed
        self._publish(
            PartialHeard(
                utterance=utterance,
                committed=agreed.committed,
                tentative=agreed.tentative,
                t0=job.t0 - offset_s,
                t1=job.t1 - offset_s,
            )
        )
