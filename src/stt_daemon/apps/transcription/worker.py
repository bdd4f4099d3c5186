"""The transcription worker's loop: capture on one side, the whisper lane on the other, the journal between.

One inbox, one thread. The listener and the lane run in threads of their own and only post here; requests
come from the supervisor. The order of start is deliberate: the source is open before the model library is
imported, because that import holds the interpreter for up to 170 ms.
"""

from __future__ import annotations

import logging
import queue
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from stt_daemon.apps.transcription.leftovers import make_ready, take_leftovers
from stt_daemon.apps.transcription.partials import Partials
from stt_daemon.apps.transcription.resume import MIN_GAP_S, History, RunPlan, plan_run
from stt_daemon.apps.transcription.scribe import Scribe, Voice
from stt_daemon.apps.transcription.session import SessionState
from stt_daemon.audio.events import (
    FolderChanged,
    GapHeard,
    ListenerEnded,
    ListenerFailed,
    PartialDue,
    SegmentClosed,
)
from stt_daemon.channels import ChildContext, PeerClosed
from stt_daemon.config import Config
from stt_daemon.domain import Segment
from stt_daemon.errors import ErrorRecord, SessionError
from stt_daemon.lanes.outcomes import Cancelled, Done, Refused
from stt_daemon.lanes.outcomes import Failed as JobFailed
from stt_daemon.lanes.transcriber import Hypothesis, Recognition
from stt_daemon.lanes.whisper import FinalJob, PartialJob
from stt_daemon.messages import (
    CaptureChanged,
    ChildConfigured,
    ChildLoadFailed,
    ChildReady,
    ChildStopped,
    Failed,
    Heartbeat,
    LaneChanged,
    Message,
    MuteRequested,
    PauseRequested,
    SessionAssigned,
    SessionChanged,
    SourceAdvanced,
    SourceDrained,
    SpeechChanged,
    StopRequested,
    Warned,
)
from stt_daemon.wiring.listening import ListeningParts, SourceChoice, Start, build_listener

log = logging.getLogger(__name__)

HEARTBEAT_S = 1.0
TICK_S = 0.2
SOURCE_OPEN_S = 2.0
"""How long the model waits for the source to open before it starts to load anyway."""
JOIN_S = 0.5
"""How long a thread that was told to end is waited for; a model that is loading is not."""


class Worker:
    """The loop and its state. `run` returns the exit code: 0, or 1 when speech could not be transcribed."""

    def __init__(self, context: ChildContext, parts: ListeningParts) -> None:
        configured = context.configured
        self._inbox = context.inbox
        self._outbox = context.outbox
        self._publish = context.outbox.publish
        self._clock = clock = context.clock
        self._name = context.name
        config = Config.from_wire(configured.config)
        self._again = configured.resumed or configured.attempt > 1
        self._choice = SourceChoice.of(configured.source, configured.speed, config.audio.device)
        self._session = SessionState(Path(configured.session_dir), clock.wall())
        self._plan = self._plan_run(configured, self._session.journal.last_t1)
        self._leftovers = take_leftovers(self._session, reread=self._plan.rereads)
        if found := self._leftovers.segments:
            # It may end after the last known moment, which was told a second before the kill.
            self._plan = self._plan_run(configured, found[-1].t1)
        start = Start(self._plan.axis_start, self._plan.start_at, self._session.audio, self._labels())
        self._listener = build_listener(
            config,
            parts.source(self._choice, start, clock),
            start,
            partials=self._choice.paced,
            post=self._inbox.put,
            clock=clock,
        )
        self._lane = parts.whisper_lane(
            config,
            offline=configured.offline,
            marker=self._session.path / "gpu-first-use",
            post=self._inbox.put,
            clock=clock,
        )
        voice = Voice(config.audio.speaker_label, self._choice.label, config.audio.keep)
        self._scribe = Scribe(self._lane, context.outbox, clock, voice)
        self._partials = Partials(self._lane, context.outbox)
        self._source_t = self._plan.begins
        self._assigned: deque[SessionAssigned] = deque()
        self._lane_started = False
        self._lane_due = clock.monotonic() + SOURCE_OPEN_S
        self._model_missing = False
        self._capture_over = False
        self._listener_broke = False
        self._source_ended = False
        self._drained = False
        self._orphaned = False
        self._deadline: float | None = None
        self._next_beat = float("-inf")

    def run(self) -> int:
        self._publish(ChildReady(name=self._name))
        self._tell_session("resumed" if self._again else "opened")
        self._take_up()
        self._listener.start()
        while not self._is_over():
            if (item := self._next()) is not None:
                self._receive(item)
            self._tick()
        return self._finish()

    def _plan_run(self, configured: ChildConfigured, last_t1: float) -> RunPlan:
        session = self._session
        history = History(
            session.record,
            last_t1=last_t1,
            read_t=configured.source_t,
            elapsed_s=session.record.elapsed(self._clock.wall()),
            restarted=configured.attempt > 1,
            clean=session.ended_clean,
        )
        return plan_run(self._choice.label, history, live=self._choice.live)

    def _labels(self) -> Callable[[float], float]:
        """How session seconds are labelled with wall time.

        For a live source a label is counted back from now, so that it is right after a suspend, which the
        monotonic clock does not count; for any other it follows the time of the source.
        """
        if not self._choice.live:
            return self._session.wall_of
        clock, begins = self._clock, self._plan.begins
        zero = clock.monotonic() - begins
        return lambda t: clock.wall() - (clock.monotonic() - zero - t)

    def _take_up(self) -> None:
        """Say what was repaired, list what was found, and put what waits in front of all that comes."""
        session, plan = self._session, self._plan
        for note in (*session.problems, *self._leftovers.notes):
            self._publish(Warned(where="session", code="repaired", message=note))
        waiting = self._scribe.recall(session)
        for segment in self._leftovers.segments:
            self._scribe.take_segment(session, segment, None)
        waiting += len(self._leftovers.segments)
        if self._again and waiting:
            seconds = self._scribe.waiting_s
            message = f"{waiting} segments ({seconds:.1f} s) of this session are still to be transcribed"
            self._publish(Warned(where="session", code="taken_up", message=message))
        if plan.gap is not None:
            gap_from = max(plan.gap[0], session.journal.last_t1)
            if plan.gap[1] - gap_from >= MIN_GAP_S:
                self._scribe.take_gap(session, gap_from, plan.gap[1], plan.gap[2])
        session.begin_run(self._choice.label, axis_start=plan.axis_start, position=plan.start_at)

    def _next(self) -> object | None:
        try:
            return self._inbox.get(timeout=TICK_S)
        except queue.Empty:
            return None

    # What comes in

    def _receive(self, item: object) -> None:
        match item:
            case SegmentClosed():
                self._partials.closed()
                heard_at = item.speech_end_monotonic if self._choice.paced else None
                self._scribe.take_segment(self._session, self._on_axis(item.segment), heard_at)
            case PartialDue():
                self._partials.offer(self._listener.open_audio)
            case GapHeard():
                offset = self._session.offset_s
                self._scribe.take_gap(self._session, item.t0 - offset, item.t1 - offset, item.reason)
            case SpeechChanged():
                self._publish(replace(item, t=item.t - self._session.offset_s))
            case SourceAdvanced():
                self._source_t = item.t
                self._publish(replace(item, t=item.t - self._session.offset_s))
            case CaptureChanged():
                self._capture_changed(item)
            case FolderChanged(path=audio):
                self._folder_changed(audio)
            case ListenerEnded() | ListenerFailed():
                self._listener_over(item)
            case LaneChanged():
                self._lane_changed(item)
            case Message():
                self._receive_message(item)
            case PeerClosed():
                log.warning("the supervisor is gone: %s", item.reason)
                self._orphaned = True
                self._stop(0.0)
            case _:
                self._receive_outcome(item)

    def _receive_message(self, message: Message) -> None:
        match message:
            case MuteRequested():
                self._listener.mute(message.on)
            case PauseRequested():
                self._listener.pause(message.on)
            case SessionAssigned():
                self._assigned.append(message)
                make_ready(Path(message.dir), self._clock.wall(), reread=self._plan.rereads)
                if self._capture_over:
                    self._change_unheard()
                else:
                    self._listener.change_folder(Path(message.dir) / "audio")
            case StopRequested():
                self._stop(message.grace_s)
            case _:
                # Levels and warnings of the listener and the lane: for everybody.
                self._publish(message)

    def _receive_outcome(self, outcome: object) -> None:
        match outcome:
            case Done(job=FinalJob() as job, result=Recognition() as recognition):
                self._scribe.finished(job, recognition)
            case JobFailed(job=FinalJob() as job, error=error):
                self._scribe.failed(job, error)
            case (
                Refused(job=FinalJob() as job, reason=reason)
                | Cancelled(job=FinalJob() as job, reason=reason)
            ):
                self._scribe.given_back(job, reason)
            case Done(job=PartialJob() as job, result=Hypothesis() as hypothesis):
                utterance = self._scribe.next_utterance(self._session)
                self._partials.heard(job, hypothesis, utterance, self._session.offset_s)
            case Refused() | Cancelled() | JobFailed():
                log.debug("a partial came to nothing: %r", outcome)
            case _:
                log.error("nothing to do for %r", outcome)

    def _capture_changed(self, change: CaptureChanged) -> None:
        self._publish(change)
        if change.state != "starting":
            self._start_lane()
            self._guarded(lambda: self._session.name_parts(device=change.device))

    def _lane_changed(self, change: LaneChanged) -> None:
        self._publish(replace(change, depth=self._scribe.depth))
        if change.state == "ready":
            self._guarded(lambda: self._session.name_parts(model=change.reason))
        elif change.state == "unavailable" and self._deadline is None and not self._model_missing:
            self._model_missing = True
            message = f"recording goes on, but nothing is transcribed: {change.reason}"
            self._publish(Failed(where="whisper", code="unavailable", message=message))

    def _change_unheard(self) -> None:
        """Go over to the newest session when no listener is left that could come to a boundary."""
        if self._assigned and self._deadline is None and not self._listener_broke:
            self._folder_changed(Path(self._assigned[-1].dir) / "audio")

    def _folder_changed(self, audio: Path) -> None:
        """Sound goes to `audio` now; sessions that were asked for before that one never began."""
        wanted = [Path(assigned.dir) for assigned in self._assigned]
        if audio.parent not in wanted:
            log.error("nobody asked for %s", audio)
            return
        while Path(self._assigned.popleft().dir) != audio.parent:
            pass
        old, wall = self._session, self._clock.wall()
        new = self._session = SessionState(audio.parent, wall)
        # A worker that was killed may have begun it: then its axis goes on instead of starting again.
        begins = max(new.journal.last_t1, new.record.elapsed(wall)) if new.record.runs else 0.0
        new.offset_s = self._source_t - begins
        zero = self._plan.axis_start
        new.begin_run(self._choice.label, axis_start=zero - new.offset_s, position=self._source_t - zero)
        new.name_parts(device=old.record.device, model=old.record.model)
        self._scribe.take_session(old, new)
        self._scribe.recall(new)

    def _listener_over(self, event: ListenerEnded | ListenerFailed) -> None:
        self._capture_over = True
        self._start_lane()
        if isinstance(event, ListenerEnded):
            self._source_ended = event.source_ended
            self._change_unheard()
            return
        self._listener_broke = True
        self._publish(Failed(where="audio", code=event.error.code, message=event.error.line()))
        if event.error.code != "unexpected":
            # The same file or folder would fail again: a new start of this child cannot help.
            self._publish(ChildLoadFailed(name=self._name, error=replace(event.error, code="audio")))

    # What time brings

    def _tick(self) -> None:
        now = self._clock.monotonic()
        if now >= self._lane_due:
            self._start_lane()
        self._scribe.advance()
        done = self._scribe.idle or self._model_missing
        if self._source_ended and done and not self._drained:
            self._drained = True
            self._publish(SourceDrained())
        if now >= self._next_beat:
            self._next_beat = now + HEARTBEAT_S
            since = self._lane.busy_since
            busy = {"whisper": 0.0 if since is None else now - since}
            read_t = self._source_t - self._session.offset_s
            self._publish(Heartbeat(name=self._name, busy_s=busy, source_t=read_t))

    def _start_lane(self) -> None:
        if not self._lane_started:
            self._lane_started = True
            self._lane.start()

    def _stop(self, grace_s: float) -> None:
        """End capture; the lane has until the grace is over. A later call can only shorten it."""
        deadline = self._clock.monotonic() + grace_s
        self._deadline = deadline if self._deadline is None else min(deadline, self._deadline)
        self._listener.stop()

    def _is_over(self) -> bool:
        if not self._capture_over:
            # A listener that hangs in a driver must not hold up a stop for ever.
            return self._deadline is not None and self._clock.monotonic() >= self._deadline + JOIN_S
        if self._listener_broke or self._orphaned:
            return True
        if self._deadline is None:
            return False
        loading = self._lane.state.state == "loading"
        nothing_to_do = self._scribe.idle or self._model_missing or loading
        return nothing_to_do or self._clock.monotonic() >= self._deadline

    def _finish(self) -> int:
        """Close everything; what is not transcribed stays listed."""
        self._lane.stop(drain=False)
        if self._lane_started:
            self._lane.join(JOIN_S)
        self._listener.join(JOIN_S)
        waiting_s = self._scribe.waiting_s
        if not self._orphaned and not self._listener_broke:
            self._guarded(lambda: self._session.end_run(source_ended=self._source_ended))
            self._guarded(lambda: self._session.close(self._clock.wall()))
            self._tell_session("closed")
        self._publish(ChildStopped(name=self._name, waiting_s=round(waiting_s, 1)))
        failed = self._listener_broke or (self._model_missing and waiting_s > 0)
        return 1 if failed else 0

    # Small helpers

    def _on_axis(self, segment: Segment) -> Segment:
        offset = self._session.offset_s
        if not offset:
            return segment
        return replace(
            segment,
            t0=segment.t0 - offset,
            t1=segment.t1 - offset,
            speech_t0=segment.speech_t0 - offset,
            speech_t1=segment.speech_t1 - offset,
        )

    def _tell_session(self, state: Literal["opened", "resumed", "closed"]) -> None:
        self._publish(SessionChanged(state=state, id=self._session.id, dir=str(self._session.path)))

    def _guarded(self, write: Callable[[], None]) -> None:
        """session.json is a label on the transcript: when it cannot be written, work goes on."""
        try:
            write()
        except SessionError as error:
            log.exception("session.json is not up to date")
            self._publish(Warned(where="session", code=error.code, message=ErrorRecord.of(error).line()))
