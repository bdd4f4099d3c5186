"""The listener: one thread that reads a source and turns it into segments, states and warnings.

Owns the source, the detector, the segmenter and everything in the `audio` folder while it runs. `emit` is
called from its thread and must not block; all public methods may be called from any thread.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from stt_daemon.audio.blocks import (
    Block,
    Source,
    SourceEnd,
    SourceGap,
    SourceItem,
    SourceState,
    SourceWarning,
)
from stt_daemon.audio.events import (
    GapHeard,
    ListenerEnded,
    ListenerEvent,
    ListenerFailed,
    OpenAudio,
    SegmentClosed,
)
from stt_daemon.audio.monitor import DIGITAL_SILENCE, SoundMonitor
from stt_daemon.audio.recorder import SegmentRecorder
from stt_daemon.audio.segmenter import Segmenter
from stt_daemon.audio.store import RawRecorder, SegmentStore
from stt_daemon.audio.vad import SileroVad, SpeechDetector
from stt_daemon.domain import SAMPLE_RATE, Clock, SegmentReason
from stt_daemon.errors import AudioError, ErrorRecord, SttDaemonError
from stt_daemon.messages import CaptureChanged, CaptureState, SourceAdvanced, Warned

log = logging.getLogger(__name__)

ADVANCE_S = 0.1

_DRAIN_READS = 1000

_CLOSING: dict[str, SegmentReason] = {"muted": "speech", "paused": "stop", "lost": "lost"}
"""What a change of state makes of the segment that is open."""


class Listener:
    """`folder` is the session's `audio` folder; `wall_of` maps session seconds to seconds since the epoch.

    `detector` and `store` are seams for tests: a scripted detector, a disk that fills up.
    """

    def __init__(
        self,
        source: Source,
        *,
        folder: Path,
        emit: Callable[[ListenerEvent], None],
        clock: Clock,
        wall_of: Callable[[float], float],
        threshold: float = 0.5,
        min_speech_ms: int = 120,
        end_silence_ms: int = 700,
        max_segment_s: float = 28.0,
        pre_roll_ms: int = 300,
        silence_alarm_s: float = 5.0,
        keep_raw: bool = False,
        partial_interval_s: float | None = None,
        detector: Callable[[], SpeechDetector] = SileroVad,
        store: Callable[[Path], SegmentStore] = SegmentStore,
    ) -> None:
        self._source = source
        self._emit_out = emit
        self._clock = clock
        self._wall_of = wall_of
        self._segmenter = Segmenter(
            threshold=threshold,
            min_speech_ms=min_speech_ms,
            end_silence_ms=end_silence_ms,
            pre_roll_ms=pre_roll_ms,
            max_segment_s=max_segment_s,
        )
        self._silence_alarm_s = silence_alarm_s
        self._keep_raw = keep_raw
        self._interval = partial_interval_s
        self._make_detector, self._make_store = detector, store
        self._store = store(folder)
        self._recorder: SegmentRecorder | None = None
        self._monitor: SoundMonitor | None = None
        self._raw: RawRecorder | None = None
        self._raw_try = float("-inf")
        self._capture: CaptureChanged | None = None
        self._t = self._told_t = 0.0
        self._stop = threading.Event()
        self._opened = threading.Event()
        self._lock = threading.Lock()
        self._wanted_folder: Path | None = None
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)

    # --- any thread

    def start(self) -> None:
        """Begin; trouble with folder, source or detector arrives as ListenerFailed."""
        self._thread.start()

    def wait_open(self, timeout_s: float) -> bool:
        """Wait until the source is open or has failed: heavy imports belong after that moment."""
        return self._opened.wait(timeout_s)

    def stop(self) -> None:
        """End capture; what was captured is closed as `stop`, then comes ListenerEnded. Returns at once."""
        self._stop.set()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the thread's end; whether it came."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def mute(self, on: bool) -> None:
        self._source.mute(on)

    def pause(self, on: bool) -> None:
        self._source.pause(on)

    def change_folder(self, path: Path) -> None:
        """Write to another `audio` folder from the next segment boundary on; FolderChanged tells when."""
        with self._lock:
            self._wanted_folder = path

    def open_audio(self) -> OpenAudio | None:
        """A copy of the segment that is being spoken; None while there is none."""
        recorder = self._recorder
        return recorder.open_audio() if recorder is not None else None

    # --- the thread

    def _run(self) -> None:
        try:
            recorder = self._begin()
            ended = self._loop(recorder)
            self._end(recorder, ended)
        except SttDaemonError as error:
            log.error("listening ends: %s", error)
            self._fail(error)
        except Exception as error:
            log.exception("listening ends unexpectedly")
            self._fail(error)
        finally:
            self._opened.set()

    def _begin(self) -> SegmentRecorder:
        """Folder, then source, then detector: sound waits in its buffer while the model loads."""
        self._change_state("starting")
        recorder = SegmentRecorder(
            self._store,
            self._make_detector,
            self._segmenter,
            emit=self._emit,
            clock=self._clock,
            wall_of=self._wall_of,
            partial_interval_s=self._interval,
            hold=None if self._source.live else self._stop.wait,
        )
        try:
            recorder.prepare()
        except OSError as error:
            raise AudioError(
                f"{self._store.folder} cannot be written: {error.strerror or error}",
                mend="choose another [sessions].dir or correct its permissions",
                code="folder",
            ) from error
        self._source.open()
        self._opened.set()
        self._monitor = SoundMonitor(self._source.name, self._silence_alarm_s, self._clock)
        recorder.load_detector()
        self._recorder = recorder
        return recorder

    def _loop(self, recorder: SegmentRecorder) -> SourceEnd | None:
        """Read until the source ends (its end) or a stop is wanted (None)."""
        while not self._stop.is_set():
            self._consider_folder(recorder)
            item = self._source.read()
            if isinstance(item, SourceEnd):
                return item
            if item is not None:
                self._take(recorder, item)
        return None

    def _end(self, recorder: SegmentRecorder, ended: SourceEnd | None) -> None:
        self._source.close()
        if ended is None:
            # What was captured before the stop still counts: it may hold the last word.
            for _ in range(_DRAIN_READS):
                item = self._source.read()
                if item is None or isinstance(item, SourceEnd):
                    break
                self._take(recorder, item)
        self._consider_folder(recorder)
        settled = ended is not None and recorder.in_silence
        recorder.finish("speech" if settled else "stop", self._t)
        self._close_raw()
        self._advance(self._t, last=True)
        reason = ended.reason if ended is not None else "stopped"
        self._change_state("ended", reason)
        self._emit(ListenerEnded(reason, source_ended=ended is not None))

    def _fail(self, error: Exception) -> None:
        try:
            self._source.close()
            if self._recorder is not None:
                self._recorder.finish("lost", self._t)
            self._close_raw()
        except Exception:
            log.exception("the open segment could not be closed")
        self._change_state("ended", str(error))
        self._emit(ListenerFailed(ErrorRecord.of(error)))

    def _take(self, recorder: SegmentRecorder, item: SourceItem) -> None:
        if isinstance(item, Block):
            self._hear(recorder, item)
        elif isinstance(item, SourceState):
            if item.state in _CLOSING:
                recorder.interrupt(_CLOSING[item.state])
                self._sound_monitor.connection_lost()
            self._change_state(item.state, item.reason)
        elif isinstance(item, SourceGap):
            recorder.interrupt("lost")
            self._t = max(self._t, item.t1)
            self._emit(GapHeard(item.t0, item.t1, item.reason))
        elif isinstance(item, SourceWarning):
            self._emit(Warned(where=self._source.name, code=item.code, message=item.message))

    def _hear(self, recorder: SegmentRecorder, block: Block) -> None:
        monitor = self._sound_monitor
        was_silent = monitor.silent
        for message in monitor.observe(block):
            self._emit(message)
        if monitor.silent != was_silent:
            self._change_state("live", DIGITAL_SILENCE if monitor.silent else "")
        if self._keep_raw:
            self._record_raw(block)
        recorder.feed(block)
        self._advance(block.t + len(block.samples) / SAMPLE_RATE)

    def _advance(self, t: float, *, last: bool = False) -> None:
        self._t = t
        if last or t - self._told_t >= ADVANCE_S - 1e-6 or t < self._told_t:
            self._told_t = t
            self._emit(SourceAdvanced(t=t, live=self._source.live))

    # --- folder and raw sound

    def _consider_folder(self, recorder: SegmentRecorder) -> None:
        with self._lock:
            folder, self._wanted_folder = self._wanted_folder, None
        if folder is None:
            return
        store = self._make_store(folder)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            log.error("%s cannot be made: %s", folder, error)
            self._emit(
                Warned(where="audio", code="folder", message=f"{folder} cannot be made: {error.strerror}")
            )
            return
        self._close_raw()
        self._store = store
        recorder.use_store(store)

    def _record_raw(self, block: Block) -> None:
        if self._raw is None and self._clock.monotonic() < self._raw_try:
            return
        try:
            if self._raw is None:
                self._raw = self._store.open_raw()
            self._raw.append(block.samples)
        except OSError as error:
            if self._raw_try == float("-inf"):
                message = f"raw.wav cannot be written: {error.strerror or error}"
                self._emit(Warned(where="audio", code="disk", message=message))
            self._raw_try = self._clock.monotonic() + 1.0
            self._close_raw()
        else:
            self._raw_try = float("-inf")

    def _close_raw(self) -> None:
        raw, self._raw = self._raw, None
        if raw is None:
            return
        try:
            raw.close()
        except OSError:
            log.exception("raw.wav could not be closed")

    # --- telling

    @property
    def _sound_monitor(self) -> SoundMonitor:
        assert self._monitor is not None
        return self._monitor

    def _emit(self, event: ListenerEvent) -> None:
        if isinstance(event, SegmentClosed) and self._monitor is not None:
            self._monitor.kept(event.segment.voiced_s)
        self._emit_out(event)

    def _change_state(self, state: CaptureState, reason: str = "") -> None:
        changed = CaptureChanged(state=state, device=self._source.name, rate=self._source.rate, reason=reason)
        if changed != self._capture:
            self._capture = changed
            self._emit(changed)
