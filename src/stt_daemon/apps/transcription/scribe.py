"""Turns what waits into journal lines, one after the other, in the order it was heard.

Owned by the worker's main thread: the only writer of the journal. The whisper lane gets one final at a time,
so what waits is listed on disk and never held in a queue.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from stt_daemon.apps.transcription.backlog import Backlog, WaitingGap, WaitingSegment, WaitingSession
from stt_daemon.apps.transcription.session import SessionState
from stt_daemon.audio.wav import read_segment, to_float
from stt_daemon.channels import Outbox
from stt_daemon.domain import Clock, Segment, utterance_id
from stt_daemon.errors import ErrorRecord, SessionError
from stt_daemon.lanes.transcriber import Recognition
from stt_daemon.lanes.whisper import FinalJob, WhisperLane
from stt_daemon.messages import Failed, GapMarked, LagChanged, SessionChanged, UtteranceFinished, Warned
from stt_daemon.sessions import PendingGap, iso_local

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Voice:
    """What every utterance of a run says of its origin."""

    speaker: str
    source: str
    keep_audio: bool


class Scribe:
    """The backlog, the lane and the journal behind one door.

    Invariant: at most one final is in the lane, and it is the head of the backlog. `_unsaved` is the result
    the journal could not take (disk full); until it is written nothing else is, so order stays right.
    """

    def __init__(self, lane: WhisperLane, outbox: Outbox, clock: Clock, voice: Voice) -> None:
        self._lane = lane
        self._publish = outbox.publish
        self._clock = clock
        self._voice = voice
        self._backlog = Backlog()
        self._in_lane: FinalJob | None = None
        self._unsaved: tuple[WaitingSegment, Recognition] | None = None
        self._lag = 0.0
        self._halted = False
        self._left_s = 0.0
        self._alarmed = False

    @property
    def idle(self) -> bool:
        """Everything heard is written down, or cannot be in this run."""
        return not self._backlog and self._unsaved is None

    @property
    def waiting_s(self) -> float:
        """Seconds of audio that are listed for the next start if this run ended now."""
        return self._backlog.seconds + self._left_s

    @property
    def depth(self) -> int:
        """How many segments wait, the one at work not counted."""
        waiting = sum(isinstance(item, WaitingSegment) for item in self._backlog)
        return waiting - (self._in_lane is not None)

    def next_utterance(self, session: SessionState) -> str:
        """The id of the utterance being spoken, if nothing that waits before it turns out to be empty."""
        waiting = sum(isinstance(item, WaitingSegment) and item.session is session for item in self._backlog)
        return utterance_id(session.journal.next_utterance + waiting)

    def recall(self, session: SessionState) -> int:
        """Take over what a session's journal lists as waiting; returns how many segments."""
        count = 0
        for item in session.journal.pending:
            if isinstance(item, PendingGap):
                self._backlog.append(WaitingGap(session, item.t0, item.t1, item.reason))
            elif (session.audio / item.wav).is_file():
                self._backlog.append(WaitingSegment(session, item, None))
                count += 1
            else:
                message = f"the audio file {item.wav} is gone; {item.duration_s:.1f} s cannot be transcribed"
                self._publish(Warned(where="session", code="audio_missing", message=message))
                session.journal.append_dropped(item.wav, item.t0, item.t1, "audio file missing")
        return count

    def take_segment(self, session: SessionState, segment: Segment, heard_at: float | None) -> None:
        """A segment is on disk: list it, then transcribe it when its turn comes."""
        self._guard(lambda: session.journal.append_pending(segment))
        self._backlog.append(WaitingSegment(session, segment, heard_at))
        self.advance()

    def take_gap(self, session: SessionState, t0: float, t1: float, reason: str) -> None:
        """Nothing was recorded between `t0` and `t1`; written at once unless something waits before it."""
        if self._backlog:
            wall = self._label(session, t0)
            self._guard(lambda: session.journal.append_pending_gap(t0=t0, t1=t1, reason=reason, wall=wall))
        self._backlog.append(WaitingGap(session, t0, t1, reason))
        self.advance()

    def take_session(self, closes: SessionState, opens: SessionState) -> None:
        """From here on everything belongs to `opens`."""
        self._backlog.append(WaitingSession(closes, opens))
        self.advance()

    def advance(self) -> None:
        """Do whatever can be done now; called again at every event and every second."""
        if self._unsaved is not None:
            self._save(*self._unsaved)
        while self._unsaved is None and self._in_lane is None and (item := self._backlog.head()) is not None:
            if isinstance(item, WaitingSegment):
                if self._halted:
                    break
                self._in_lane = self._job(item)
                self._lane.submit_final(self._in_lane)
            elif isinstance(item, WaitingGap):
                if not self._write_gap(item):
                    break
            else:
                self._change_session(item)
        self._tell_lag()

    def finished(self, job: FinalJob, recognition: Recognition) -> None:
        """The lane has an answer for the head of the backlog."""
        item = self._take_back(job)
        if item is not None:
            self._save(item, recognition)
            self.advance()

    def failed(self, job: FinalJob, error: ErrorRecord) -> None:
        """The lane could not do it; the segment stays listed for the next start, and work goes on."""
        item = self._take_back(job)
        if item is None:
            return
        self._backlog.pop()
        self._left_s += item.segment.duration_s
        log.error("%s was not transcribed: %s\n%s", item.segment.wav, error.message, error.detail)
        message = f"{item.segment.wav} is kept for the next start: {error.message}"
        self._publish(Failed(where="whisper", code=error.code, message=message))
        self.advance()

    def given_back(self, job: FinalJob, reason: str) -> None:
        """The lane has stopped or has no engine: what waits stays listed, and nothing more is submitted."""
        log.info("%s stays listed: %s", job.key, reason)
        if self._take_back(job) is not None:
            self._halted = True

    def _take_back(self, job: FinalJob) -> WaitingSegment | None:
        if job is not self._in_lane:
            log.warning("an answer for %s came late", job.key)
            return None
        self._in_lane = None
        item = self._backlog.head()
        assert isinstance(item, WaitingSegment)
        return item

    def _job(self, item: WaitingSegment) -> FinalJob:
        path = item.session.audio / item.segment.wav
        return FinalJob(item.segment, lambda: to_float(read_segment(path)))

    def _save(self, item: WaitingSegment, heard: Recognition) -> None:
        self._unsaved = (item, heard)
        if not self._guard(lambda: self._write(item, heard)):
            return
        self._unsaved = None
        self._backlog.pop()
        if not self._voice.keep_audio:
            (item.session.audio / item.segment.wav).unlink(missing_ok=True)

    def _write(self, item: WaitingSegment, heard: Recognition) -> None:
        session, segment = item.session, item.segment
        if heard.dropped:
            session.journal.append_dropped(segment.wav, segment.t0, segment.t1, heard.dropped)
            return
        utterance = session.journal.append_utterance(
            t0=segment.speech_t0,
            t1=segment.speech_t1,
            wall=iso_local(segment.wall + segment.speech_t0 - segment.t0),
            speaker=self._voice.speaker,
            source=self._voice.source,
            text=heard.text,
            language=heard.language,
            wav=segment.wav,
            avg_logprob=heard.avg_logprob,
            no_speech_prob=heard.no_speech_prob,
            flags=heard.flags,
            keep_wav=self._voice.keep_audio,
        )
        if utterance is None:
            log.warning("%s was transcribed before", segment.wav)
            return
        latency = None if item.heard_at is None else max(self._clock.monotonic() - item.heard_at, 0.0)
        self._publish(UtteranceFinished.of(utterance, latency))

    def _write_gap(self, item: WaitingGap) -> bool:
        def write() -> None:
            gap = item.session.journal.append_gap(
                t0=item.t0, t1=item.t1, reason=item.reason, wall=self._label(item.session, item.t0)
            )
            self._publish(GapMarked.of(gap))

        if not self._guard(write):
            return False
        self._backlog.pop()
        return True

    def _change_session(self, item: WaitingSession) -> None:
        self._guard(lambda: self._end(item.closes))
        closes, opens = item.closes, item.opens
        self._publish(SessionChanged(state="closed", id=closes.id, dir=str(closes.path)))
        self._publish(SessionChanged(state="opened", id=opens.id, dir=str(opens.path)))
        self._backlog.pop()

    def _end(self, session: SessionState) -> None:
        session.end_run(source_ended=False)
        session.close(self._clock.wall())

    def _label(self, session: SessionState, t: float) -> str:
        return iso_local(session.wall_of(t))

    def _guard(self, write: Callable[[], object]) -> bool:
        """Run a write to the journal; False, with an alarm, when the disk does not take it."""
        try:
            write()
        except SessionError as error:
            log.error("%s", error)
            if not self._alarmed:
                self._publish(Failed(where="session", code=error.code, message=ErrorRecord.of(error).line()))
            self._alarmed = True
            return False
        self._alarmed = False
        return True

    def _tell_lag(self) -> None:
        seconds = round(self._backlog.seconds, 3)
        if seconds != self._lag:
            self._lag = seconds
            self._publish(LagChanged(seconds=seconds))
