"""A lane: one worker thread that owns one engine, a bounded queue before it, one outcome for every job.

Any thread may call the public methods; none of them waits for the worker, except `join`. The engine is
created and used in the worker thread only. A lane keeps answering while its engine is missing: the state
says why, and jobs are refused with that reason.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from stt_daemon.domain import Clock
from stt_daemon.errors import ErrorRecord, SttDaemonError
from stt_daemon.lanes.outcomes import Cancelled, Done, Failed, GivenUp, Outcome, Refused
from stt_daemon.lanes.queueing import JobQueue
from stt_daemon.messages import LaneChanged, LaneName

log = logging.getLogger(__name__)

JobT = TypeVar("JobT")
ResultT = TypeVar("ResultT")
EngineT = TypeVar("EngineT")


class _Running(Generic[JobT]):
    """The job at work; compared by identity, since equal jobs are different jobs."""

    def __init__(self, job: JobT, since: float) -> None:
        self.job = job
        self.since = since


class Lane(Generic[JobT, ResultT, EngineT]):
    """See the module. `load` makes the engine and `work` does one job, both in the worker thread.

    `on_outcome` is called once for each submitted job, by the worker, by the submitting thread (refused or
    evicted), or by whoever stops or joins. `on_state` is called with each new state, never twice at a time
    and never out of order. Both must return at once (post into an inbox).

    `interrupt` is told of a job at work that nobody wants any more, and why, from whichever thread gave it
    up; it asks `work` to hurry and returns at once. `work` may then raise GivenUp, which ends the job as
    cancelled. Whatever else it comes to still counts, unless the job was answered by `join`.

    `describe(engine)` is the reason shown while ready. `niceness` is given to the worker thread before
    `load`, so that the threads an engine starts inherit it; 0 leaves the thread as it is.
    """

    # Held by `_lock`: a submitted job is in `_queue`, or is `_running`, or has been answered. Whoever takes
    # it out of the first two, under the lock, is the one who answers it, after letting go of the lock.

    def __init__(
        self,
        name: LaneName,
        *,
        load: Callable[[], EngineT],
        work: Callable[[EngineT, JobT], ResultT],
        queue: JobQueue[JobT],
        on_outcome: Callable[[Outcome[JobT, ResultT]], None],
        on_state: Callable[[LaneChanged], None],
        clock: Clock,
        interrupt: Callable[[JobT, str], None] = lambda _job, _reason: None,
        describe: Callable[[EngineT], str] = lambda _engine: "",
        niceness: int = 0,
    ) -> None:
        self._name: LaneName = name
        self._load = load
        self._work = work
        self._queue = queue
        self._on_outcome = on_outcome
        self._on_state = on_state
        self._clock = clock
        self._interrupt = interrupt
        self._describe = describe
        self._niceness = niceness

        self._lock = threading.Lock()
        self._wake = threading.Condition(self._lock)
        self._running: _Running[JobT] | None = None
        self._ready = False
        self._about = ""
        self._refusal = ""  # why no more jobs are taken
        self._stopping = False
        self._deadline: float | None = None
        self._over = threading.Event()  # nobody needs to wait for the worker any more
        self._stale = False
        self._announcing = False
        self._announced: LaneChanged | None = None
        self._thread = threading.Thread(target=self._run, name=f"{name}-lane", daemon=True)

    # -- for everybody ---------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the worker, which loads the engine first. Jobs may be submitted before."""
        self._announce()
        self._thread.start()

    def submit(self, job: JobT) -> None:
        """Hand over a job. Never blocks; the outcome may arrive before this returns."""
        answers: list[Outcome[JobT, ResultT]] = []
        with self._lock:
            if self._refusal:
                answers.append(Refused(job, self._refusal))
            else:
                offer = self._queue.offer(job)
                answers += [Cancelled(old, why) for old, why in offer.evicted]
                if offer.refused:
                    answers.append(Refused(job, offer.refused))
                self._wake.notify()
        self._answer(answers)
        self._announce()

    def submit_if_room(self, job: JobT) -> bool:
        """Hand over a job if it is taken at once; False without any outcome if not. Never blocks."""
        with self._lock:
            if self._refusal:
                return False
            offer = self._queue.offer(job)
            self._wake.notify()
        self._answer([Cancelled(old, why) for old, why in offer.evicted])
        self._announce()
        return not offer.refused

    def give_up(self, unwanted: Callable[[JobT], bool], reason: str) -> bool:
        """Cancel the unwanted jobs that wait and interrupt the one at work. Never blocks.

        `unwanted` must return at once and call nobody. Returns whether there was any such job.
        """
        with self._lock:
            gone = self._queue.evict(unwanted)
            running = self._running
        if running is not None and not unwanted(running.job):
            running = None
        if running is not None:
            self._interrupt(running.job, reason)
        self._answer([Cancelled(job, reason) for job in gone])
        self._announce()
        return bool(gone) or running is not None

    def stop(self, *, drain: bool, deadline: float | None = None) -> None:
        """Take no more jobs. Never blocks; may be called again to be stricter.

        With `drain` the waiting jobs are still done, until the clock's monotonic time reaches `deadline`.
        Without it, or while the engine is still loading, they are cancelled at once. A job at work ends by
        itself, interrupted when not draining, or is given up by `join`.
        """
        with self._lock:
            self._stopping = True
            self._refusal = self._refusal or "the lane has stopped"
            if deadline is not None:
                self._deadline = deadline if self._deadline is None else min(deadline, self._deadline)
            left = [] if drain and self._ready else self._take_all()
            if not self._ready:
                self._over.set()
            running = None if drain else self._running
            self._wake.notify()
        if running is not None:
            self._interrupt(running.job, "the lane is stopping")
        self._answer([Cancelled(job, "stopped before its turn") for job in left])
        self._announce()

    def join(self, timeout_s: float) -> bool:
        """After `stop`: wait for the worker, at most this many real seconds; True if it came to its end.

        Whatever is unanswered then, a job at work included, is cancelled; a late result is thrown away. An
        engine that is still loading is not waited for: its daemon thread ends with the process.
        """
        if self._over.wait(timeout_s):
            return True
        with self._lock:
            running, self._running = self._running, None
            left = self._take_all()
        late: list[Outcome[JobT, ResultT]] = [Cancelled(job, "stopped before its turn") for job in left]
        if running is not None:
            self._interrupt(running.job, "the time is up")
            late.insert(0, Cancelled(running.job, "still at work when the time was up"))
        self._answer(late)
        self._announce()
        return False

    @property
    def busy_since(self) -> float | None:
        """Monotonic time at which the job at work began; None when there is none. Loading is not work."""
        with self._lock:
            return None if self._running is None else self._running.since

    @property
    def depth(self) -> int:
        """How many jobs wait, the one at work not counted."""
        with self._lock:
            return len(self._queue)

    @property
    def state(self) -> LaneChanged:
        """The state as it is now."""
        with self._lock:
            return self._status()

    # -- the worker ------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._lower_priority()
            try:
                engine = self._load()
            except SttDaemonError as error:
                reason = ErrorRecord.of(error).line()
                log.warning("the %s lane has no engine: %s", self._name, reason)
                self._close(reason)
                return
            except Exception as error:
                log.exception("the %s lane has no engine", self._name)
                self._close(ErrorRecord.of(error).line())
                return
            with self._lock:
                self._ready = not self._stopping
            if self._ready:
                self._serve(engine)
            self._close("the lane has stopped")
        except BaseException as error:
            # A callback or the queue broke: nobody will serve the lane again, so it must not look alive.
            self._close(f"the lane broke: {ErrorRecord.of(error).line()}")
            raise
        finally:
            self._over.set()

    def _lower_priority(self) -> None:
        """Make the worker, and the threads its engine will start, nicer than the audio reader.

        On Linux niceness belongs to a thread, not to the process, so the rest of the process keeps its
        own. Elsewhere it would slow down the whole process, and nothing is done.
        """
        if self._niceness and sys.platform == "linux":
            try:
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), self._niceness)
            except OSError as error:
                log.info("the %s lane keeps its priority: %s", self._name, error)

    def _serve(self, engine: EngineT) -> None:
        while True:
            about = self._describe(engine)
            with self._lock:
                self._about = about
            self._announce()
            with self._lock:
                while not self._stopping and len(self._queue) == 0:
                    self._wake.wait()
                job = None if self._out_of_time() else self._queue.take()
                if job is None:
                    break
                running = self._running = _Running(job, self._clock.monotonic())
            self._announce()
            outcome = self._do(engine, job)
            with self._lock:
                mine = self._running is running
                if mine:
                    self._running = None
            if mine:
                self._answer([outcome])
            # Nothing of a finished job may stay alive while the lane idles: jobs can hold audio.
            del job, running, outcome

    def _do(self, engine: EngineT, job: JobT) -> Outcome[JobT, ResultT]:
        try:
            return Done(job, self._work(engine, job))
        except GivenUp as given_up:
            return Cancelled(job, str(given_up))
        except SttDaemonError as error:
            # Foreseen, and its words say all there is to know: a server may be away for a whole evening.
            failed = ErrorRecord.of(error)
            log.warning("a job of the %s lane failed: %s", self._name, failed.line())
            return Failed(job, failed)
        except Exception as error:
            log.exception("a job of the %s lane failed", self._name)
            return Failed(job, ErrorRecord.of(error))

    def _out_of_time(self) -> bool:
        return self._stopping and self._deadline is not None and self._clock.monotonic() >= self._deadline

    def _close(self, reason: str) -> None:
        """Answer everybody and stay unavailable."""
        with self._lock:
            refused = not self._stopping
            if refused:
                self._refusal = reason
            self._ready = False
            running, self._running = self._running, None
            left = self._take_all()
        answers: list[Outcome[JobT, ResultT]] = []
        if running is not None:
            answers.append(Cancelled(running.job, reason))
        for job in left:
            answers.append(Refused(job, reason) if refused else Cancelled(job, "stopped before its turn"))
        self._answer(answers)
        self._announce()

    # -- shared ----------------------------------------------------------------------------------------

    def _take_all(self) -> list[JobT]:
        jobs: list[JobT] = []
        while (job := self._queue.take()) is not None:
            jobs.append(job)
        return jobs

    def _answer(self, outcomes: list[Outcome[JobT, ResultT]]) -> None:
        for outcome in outcomes:
            self._on_outcome(outcome)

    def _status(self) -> LaneChanged:
        depth = len(self._queue)
        if self._running is not None or (self._ready and depth):
            return LaneChanged(name=self._name, state="busy", depth=depth, reason=self._about)
        if self._ready:
            return LaneChanged(name=self._name, state="ready", depth=depth, reason=self._about)
        if self._refusal:
            return LaneChanged(name=self._name, state="unavailable", depth=depth, reason=self._refusal)
        return LaneChanged(name=self._name, state="loading", depth=depth)

    def _announce(self) -> None:
        """Tell the state if it is new. One thread tells at a time; others leave it a note to look again."""
        with self._lock:
            self._stale = True
            if self._announcing:
                return
            self._announcing = True
        try:
            while (status := self._news()) is not None:
                self._on_state(status)
        except BaseException:
            with self._lock:
                self._announcing = False
            raise

    def _news(self) -> LaneChanged | None:
        """The state, if it has to be told; None ends the telling."""
        with self._lock:
            if self._stale:
                self._stale = False
                status = self._status()
                if status != self._announced:
                    self._announced = status
                    return status
            self._announcing = False
            return None
