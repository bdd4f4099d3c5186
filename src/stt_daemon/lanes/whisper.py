"""The whisper lane: finals before partials, one worker that alone touches the model.

Any thread may submit; nothing blocks. See `base.Lane` for what start, stop and join promise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from stt_daemon.domain import Clock, Segment
from stt_daemon.lanes.base import Lane
from stt_daemon.lanes.outcomes import Outcome
from stt_daemon.lanes.queueing import Offer, PriorityJobs
from stt_daemon.lanes.speech_engine import Samples, SpeechEngine
from stt_daemon.lanes.transcriber import Hypothesis, Recognition, Transcriber
from stt_daemon.messages import LaneChanged

# On Linux: the audio reader is late by 3.7 ms at the 99th percentile instead of 6.8, decoding no slower.
NICENESS = 5

# A waiting final is a few hundred bytes, its audio is on disk: this is a day of half-minute segments.
MAX_WAITING = 4096


@dataclass(frozen=True)
class FinalJob:
    """A closed segment. `read` gives its samples and is called in the worker thread, when it is its turn."""

    segment: Segment
    read: Callable[[], Samples] = field(compare=False, repr=False)

    @property
    def key(self) -> str:
        """The segment's identity: the name of its WAV."""
        return self.segment.wav


@dataclass(frozen=True)
class PartialJob:
    """The audio of the open utterance up to `t1`. `read` is called in the worker thread."""

    t0: float
    t1: float
    read: Callable[[], Samples] = field(compare=False, repr=False)


WhisperJob = FinalJob | PartialJob
WhisperOutcome = Outcome[WhisperJob, Recognition | Hypothesis]


class FinalsFirst:
    """Finals in order of submission; at most one partial, the newest, and only while no final waits.

    So a lane that falls behind drops partials first and spends nothing on text that will be replaced.
    """

    def __init__(self, bound: int = MAX_WAITING) -> None:
        self._jobs: PriorityJobs[WhisperJob] = PriorityJobs(
            bound,
            priority=lambda job: 0 if isinstance(job, FinalJob) else 1,
            slot=lambda job: None if isinstance(job, FinalJob) else "partial",
        )

    def offer(self, job: WhisperJob) -> Offer[WhisperJob]:
        if isinstance(job, FinalJob):
            late = self._jobs.evict(lambda waiting: isinstance(waiting, PartialJob))
            offer = self._jobs.offer(job)
            overtaken = tuple((partial, "overtaken by a final") for partial in late)
            return Offer(offer.refused, offer.evicted + overtaken)
        if self._jobs.waiting(lambda waiting: isinstance(waiting, FinalJob)):
            return Offer("finals wait")
        return self._jobs.offer(job)

    def take(self) -> WhisperJob | None:
        return self._jobs.take()

    def evict(self, unwanted: Callable[[WhisperJob], bool]) -> list[WhisperJob]:
        return self._jobs.evict(unwanted)

    def __len__(self) -> int:
        return len(self._jobs)


class WhisperLane:
    """A `Lane` that turns segments into recognitions and open audio into hypotheses.

    `load` makes the engine in the worker thread (`load_speech_engine` with its settings bound; it takes the
    callback for notices itself). Outcomes: Done with a Recognition for a FinalJob and a Hypothesis for a
    PartialJob, or Failed, Refused, Cancelled; a final with any of the last three is still to be done.
    """

    def __init__(
        self,
        load: Callable[[], SpeechEngine],
        *,
        transcriber: Transcriber,
        on_outcome: Callable[[WhisperOutcome], None],
        on_state: Callable[[LaneChanged], None],
        clock: Clock,
        niceness: int = NICENESS,
        max_waiting: int = MAX_WAITING,
    ) -> None:
        self._transcriber = transcriber
        self._lane: Lane[WhisperJob, Recognition | Hypothesis, SpeechEngine] = Lane(
            "whisper",
            load=load,
            work=self._work,
            queue=FinalsFirst(max_waiting),
            on_outcome=on_outcome,
            on_state=on_state,
            clock=clock,
            describe=lambda engine: engine.description,
            niceness=niceness,
        )

    def start(self) -> None:
        """Start the worker; it loads the engine while jobs may already be submitted."""
        self._lane.start()

    def submit_final(self, job: FinalJob) -> None:
        """Queue a closed segment. Never blocks."""
        self._lane.submit(job)

    def submit_partial(self, job: PartialJob) -> None:
        """Offer the open utterance; a waiting partial is replaced. Never blocks."""
        self._lane.submit(job)

    def stop(self, *, drain: bool, deadline: float | None = None) -> None:
        """Take no more; with `drain` do what waits until monotonic time `deadline`. Never blocks."""
        self._lane.stop(drain=drain, deadline=deadline)

    def join(self, timeout_s: float) -> bool:
        """After `stop`: wait this long at most for the worker; everything is answered afterwards."""
        return self._lane.join(timeout_s)

    @property
    def busy_since(self) -> float | None:
        """Monotonic time at which the job at work began; None when idle or loading."""
        return self._lane.busy_since

    @property
    def depth(self) -> int:
        """How many jobs wait."""
        return self._lane.depth

    @property
    def state(self) -> LaneChanged:
        """The state as it is now."""
        return self._lane.state

    def _work(self, engine: SpeechEngine, job: WhisperJob) -> Recognition | Hypothesis:
        samples = job.read()
        if isinstance(job, FinalJob):
            return self._transcriber.finish(engine, job.segment, samples)
        return self._transcriber.suppose(engine, job.t0, samples)
