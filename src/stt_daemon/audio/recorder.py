"""From blocks to segments on disk: frames, detector, segmenter, history, writer.

Owned by the listener's thread; only `open_audio` may be called from another.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from stt_daemon.audio.blocks import Block, Samples
from stt_daemon.audio.events import (
    FolderChanged,
    GapHeard,
    ListenerEvent,
    OpenAudio,
    PartialDue,
    SegmentClosed,
)
from stt_daemon.audio.history import SampleHistory
from stt_daemon.audio.levels import FULL_SCALE, frame_levels_db, loud_level_db
from stt_daemon.audio.segmenter import (
    Closed,
    Decision,
    Discarded,
    Opened,
    Segmenter,
    SpeechBegan,
    SpeechCeased,
)
from stt_daemon.audio.store import FULL, SegmentStore
from stt_daemon.audio.vad import FRAME, SpeechDetector
from stt_daemon.audio.wav import SegmentWriter
from stt_daemon.domain import SAMPLE_RATE, Clock, Segment, SegmentReason
from stt_daemon.messages import SpeechChanged, Warned

log = logging.getLogger(__name__)

T = TypeVar("T")

RETRY_S = 1.0
"""How often a disk that refused is tried again."""


class SegmentRecorder:
    """Feeds samples through the detector and keeps what is speech.

    `hold`: how to wait when the disk refuses. With a live source (None) the sound of that time becomes a gap;
    otherwise the write is repeated after each `hold(seconds)`, until it works or `hold` returns True, which
    gives up. Positions are samples since the recorder was made; `_anchor` ties one of them to session time.
    """

    def __init__(
        self,
        store: SegmentStore,
        make_detector: Callable[[], SpeechDetector],
        segmenter: Segmenter,
        *,
        emit: Callable[[ListenerEvent], None],
        clock: Clock,
        wall_of: Callable[[float], float],
        partial_interval_s: float | None,
        hold: Callable[[float], bool] | None,
    ) -> None:
        self._store = store
        self._next_store: SegmentStore | None = None
        self._make_detector = make_detector
        self._detector: SpeechDetector | None = None
        self._segmenter = segmenter
        self._emit = emit
        self._clock = clock
        self._wall_of = wall_of
        self._interval = partial_interval_s
        self._hold = hold
        self._lock = threading.Lock()
        # Under the lock, because open_audio reads them:
        self._history = SampleHistory()
        self._framed = 0
        self._anchor: tuple[int, float] | None = None
        self._confirmed = False
        # The listener's thread alone:
        self._writer: SegmentWriter | None = None
        self._continuation: SegmentWriter | None = None
        self._opened_at = self._saved_to = self._partial_at = self._partial_to = 0
        self._opened_wall = 0.0
        # While the disk refuses: since when (None: since the next block), why, and when to try again.
        self._blocked = self._told = False
        self._blocked_from: float | None = None
        self._block_reason = ""
        self._next_try = 0.0

    # --- called by the listener

    @property
    def in_silence(self) -> bool:
        return self._segmenter.in_silence

    def prepare(self) -> None:
        """Show that the folder can be written. Raises OSError, but a full disk only blocks."""
        try:
            self._persist(self._store.check)
        except OSError as error:
            if error.errno not in FULL:
                raise
            self._tell(error)
            self._blocked = True

    def load_detector(self) -> None:
        """Before the first block. Raises ModelError."""
        self._detector = self._make_detector()

    def use_store(self, store: SegmentStore) -> None:
        """Write to another folder from the next segment boundary on; FolderChanged tells when."""
        self._next_store = store
        if self._segmenter.start is None:
            self._change_store()

    def feed(self, block: Block) -> None:
        """Hear a block. It must follow the last one, unless `interrupt` was called in between."""
        if self._blocked and not self._unblock(block.t):
            return
        with self._lock:
            if self._anchor is None:
                self._anchor = (self._history.end, block.t)
            self._history.append(block.samples)
        whole = (self._history.end - self._framed) // FRAME
        try:
            self._hear(self._history.get(self._framed, self._framed + whole * FRAME))
        except OSError as error:
            self._block(error)
        with self._lock:
            self._history.forget_before(min(self._segmenter.earliest_needed, self._framed))

    def interrupt(self, reason: SegmentReason) -> None:
        """What was heard ends here; close the open segment. The next block may begin at any later time."""
        end = self._history.end
        try:
            rest = self._history.get(self._framed, end)
            if len(rest):
                self._hear(np.pad(rest, (0, FRAME - len(rest))))
            with self._lock:
                decisions = self._segmenter.finish(reason, end)
            self._apply(decisions)
        except OSError as error:
            self._block(error)
        self._start_anew()

    def finish(self, reason: SegmentReason, t: float) -> None:
        """Nothing follows session time `t`. A gap that still runs is told."""
        self.interrupt(reason)
        if self._blocked:
            self._end_gap(t)
        if self._next_store is not None:
            self._change_store()

    def open_audio(self) -> OpenAudio | None:
        """A copy of the segment being spoken; None while nothing surely spoken is open. Any thread."""
        with self._lock:
            start = self._segmenter.start
            if not self._confirmed or start is None or self._anchor is None:
                return None
            end = self._framed
            samples = self._history.get(start, end)
            return OpenAudio(samples, self._time(start), self._time(end))

    # --- hearing

    def _hear(self, samples: Samples) -> None:
        if len(samples) == 0:
            return
        frames = samples.reshape(-1, FRAME).astype(np.float32) / FULL_SCALE
        assert self._detector is not None
        probabilities = self._detector.probabilities(frames)
        levels = frame_levels_db(frames)
        for probability, level in zip(probabilities.tolist(), levels.tolist(), strict=True):
            with self._lock:
                decisions = self._segmenter.push(probability, level)
                self._framed = min(self._framed + FRAME, self._history.end)
            if decisions:
                self._apply(decisions)
        self._write_to(self._framed)
        self._consider_partial()

    def _apply(self, decisions: list[Decision]) -> None:
        for decision in decisions:
            if isinstance(decision, Opened):
                self._open(decision.start)
            elif isinstance(decision, SpeechBegan):
                self._confirmed = True
                self._partial_at = decision.at + self._interval_samples()
                self._emit(SpeechChanged(state="start", t=self._time(decision.at)))
            elif isinstance(decision, SpeechCeased):
                self._confirmed = False
                self._emit(SpeechChanged(state="end", t=self._time(decision.at)))
            elif isinstance(decision, Closed):
                self._close(decision)
            else:
                self._discard(decision)

    def _open(self, start: int) -> None:
        self._opened_at = start
        self._opened_wall = self._wall_of(self._time(start))
        if self._continuation is not None:
            self._writer, self._continuation = self._continuation, None
        else:
            self._writer = self._persist(lambda: self._store.open_segment(self._opened_wall))

    def _write_to(self, position: int) -> None:
        writer = self._writer
        if writer is None:
            return
        samples = self._history.get(self._opened_at + writer.samples, position)
        if len(samples):
            self._persist(lambda: writer.append(samples))

    def _close(self, closed: Closed) -> None:
        writer = self._writer
        assert writer is not None
        trouble: OSError | None = None
        try:
            self._write_to(closed.end)
            if closed.reason == "max":
                self._prepare_continuation(closed.end)
        except OSError as error:
            # What did reach the disk is a segment all the same.
            trouble = error
        count = min(closed.end - closed.start, writer.samples)
        self._writer, self._saved_to = None, closed.start + count
        wall, wav = self._opened_wall, self._persist(lambda: writer.finish(closed.reason, count)).name
        segment = Segment(
            wav=wav,
            reason=closed.reason,
            t0=self._time(closed.start),
            t1=self._time(self._saved_to),
            speech_t0=self._time(closed.speech_start),
            speech_t1=self._time(min(closed.speech_end, self._saved_to)),
            voiced_s=closed.voiced / SAMPLE_RATE,
            level_db=loud_level_db(self._history.get(closed.start, self._saved_to), SAMPLE_RATE),
            wall=wall,
        )
        now = self._clock.monotonic()
        ago = self._time(self._history.end) - segment.speech_t1
        self._emit(SegmentClosed(segment, now, now - ago))
        if self._next_store is not None:
            self._change_store()
        if trouble is not None:
            raise trouble

    def _prepare_continuation(self, cut: int) -> None:
        """Put what follows a forced cut on disk before it is cut off: a crash in between loses nothing."""
        store = self._next_store or self._store
        tail = self._history.get(cut, self._framed)

        def begin() -> SegmentWriter:
            writer = store.open_segment(self._wall_of(self._time(cut)))
            try:
                writer.append(tail)
            except OSError:
                writer.discard()
                raise
            return writer

        self._continuation = self._persist(begin)

    def _discard(self, discarded: Discarded) -> None:
        writer, self._writer = self._writer, None
        log.debug("not speech: %.2f s voiced", discarded.voiced / SAMPLE_RATE)
        if writer is not None:
            writer.discard()
        if self._next_store is not None:
            self._change_store()

    def _consider_partial(self) -> None:
        start = self._segmenter.start
        if self._interval is None or not self._confirmed or start is None or self._framed < self._partial_at:
            return
        if self._segmenter.last_voiced <= self._partial_to:
            return
        self._partial_at = self._framed + self._interval_samples()
        self._partial_to = self._segmenter.last_voiced
        self._emit(PartialDue(self._time(start), self._time(self._framed)))

    def _interval_samples(self) -> int:
        return int((self._interval or 0.0) * SAMPLE_RATE)

    def _change_store(self) -> None:
        assert self._next_store is not None
        self._store, self._next_store = self._next_store, None
        self._emit(FolderChanged(self._store.folder))

    def _start_anew(self) -> None:
        with self._lock:
            end = self._history.end
            self._history.forget_before(end)
            self._segmenter.restart(end)
            self._framed, self._anchor, self._confirmed = end, None, False
        if self._detector is not None:
            self._detector.reset()

    def _time(self, position: int) -> float:
        assert self._anchor is not None
        at, t = self._anchor
        return t + (position - at) / SAMPLE_RATE

    # --- a disk that refuses

    def _persist(self, action: Callable[[], T]) -> T:
        """Do it, again and again if the source can wait. Raises OSError when it cannot, or was stopped."""
        while True:
            try:
                result = action()
            except OSError as error:
                if self._hold is None:
                    raise
                self._tell(error)
                if self._hold(RETRY_S):
                    raise
            else:
                if self._told and not self._blocked:
                    self._tell_recovered()
                return result

    def _block(self, error: OSError) -> None:
        """Keep what reached the disk as a `lost` segment; from there on a gap begins."""
        self._tell(error)
        if self._writer is not None:
            begin = self._opened_at + self._writer.samples
        else:
            begin = self._saved_to if self._segmenter.start is None else self._segmenter.start
        self._blocked, self._blocked_from = True, self._time(max(begin, self._history.start))
        self._next_try = self._clock.monotonic() + RETRY_S
        try:
            with self._lock:
                decisions = self._segmenter.finish("lost", begin)
            self._apply(decisions)
        except OSError:
            # Its samples are in the part file, which the next start recovers.
            log.exception("a segment could not be closed")
            self._writer = None
        self._start_anew()

    def _unblock(self, t: float) -> bool:
        if self._blocked_from is None:
            self._blocked_from = t
        if self._clock.monotonic() < self._next_try:
            return False
        try:
            self._store.check()
        except OSError:
            self._next_try = self._clock.monotonic() + RETRY_S
            return False
        self._end_gap(t)
        self._tell_recovered()
        return True

    def _end_gap(self, t: float) -> None:
        start = self._blocked_from
        if start is not None:
            self._emit(GapHeard(start, max(t, start), self._block_reason))
        self._blocked, self._blocked_from = False, None

    def _tell(self, error: OSError) -> None:
        if self._told:
            return
        self._told, self._block_reason = True, error.strerror or str(error)
        message = f"sound cannot be saved in {self._store.folder}: {self._block_reason}; make room"
        log.error("%s", message)
        self._emit(Warned(where="audio", code="disk", message=message))

    def _tell_recovered(self) -> None:
        self._told = False
        self._emit(Warned(where="audio", code="disk_recovered", message="sound is being saved again"))
