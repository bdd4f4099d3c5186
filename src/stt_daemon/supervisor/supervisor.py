"""Keeps the children running and stops them in order: one loop, in the thread that calls `run`.

Frames between children do not pass through this loop; the hub hands them on. What comes here are births,
deaths, heartbeats, signals and requests to the supervisor itself.
"""

from __future__ import annotations

import dataclasses
import logging
import queue
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

from stt_daemon.channels import Frame, PeerClosed, stamped
from stt_daemon.domain import Clock, SystemClock
from stt_daemon.errors import SttDaemonError
from stt_daemon.messages import (
    ChildChanged,
    ChildConfigured,
    ChildLoadFailed,
    ChildReady,
    ChildState,
    ChildStopped,
    Failed,
    Heartbeat,
    LagChanged,
    Message,
    SessionAssigned,
    SessionChanged,
    SessionRequested,
    ShutdownRequested,
    SourceDrained,
    StopRequested,
    Warned,
)
from stt_daemon.supervisor import farewell
from stt_daemon.supervisor.health import HealthLimits
from stt_daemon.supervisor.hub import Hub
from stt_daemon.supervisor.managed import ManagedChild
from stt_daemon.supervisor.placement import ChildSpec, Placement
from stt_daemon.supervisor.restart import RestartPolicy
from stt_daemon.supervisor.routing import destinations
from stt_daemon.supervisor.source_end import SourceEnd
from stt_daemon.supervisor.states import change_state
from stt_daemon.supervisor.stop_order import HURRY, SCREEN_S, STOP_ORDER, StopShare, stop_share
from stt_daemon.supervisor.waker import Waker
from stt_daemon.terminal import TerminalGuard

log = logging.getLogger(__name__)

_HEALTH_CHECK_S = 1.0
_LAST_WORDS_S = 0.5
"""After a death its pipe is read to the end first; a grandchild that holds it open must not delay that."""
_LET_GO = StopShare(told_s=0.0, term_s=1.0, kill_s=3.0)
_REPLACE = StopShare(told_s=0.0, term_s=0.0, kill_s=2.0)


class Supervisor:
    """Runs the children of `specs` until told to stop.

    `configured` is what each child is told first; `make_session` makes a new session folder and may raise
    SttDaemonError or OSError. `run` may be called once. `request_stop` may be called from any thread.
    """

    def __init__(
        self,
        specs: Sequence[ChildSpec],
        placement: Placement,
        configured: ChildConfigured,
        hub: Hub,
        make_session: Callable[[], tuple[str, Path]],
        *,
        stop_grace_s: float = 10.0,
        policy: RestartPolicy | None = None,
        limits: HealthLimits | None = None,
        until_end: bool = False,
        clock: Clock | None = None,
        terminal: TerminalGuard | None = None,
    ) -> None:
        order = {name: place for place, name in enumerate(STOP_ORDER)}
        self._children = [ManagedChild(spec) for spec in sorted(specs, key=lambda spec: order[spec.name])]
        self._placement = placement
        self._configured = configured
        self._hub = hub
        self._make_session = make_session
        self._stop_grace_s = stop_grace_s
        self._policy = policy or RestartPolicy()
        self._limits = limits or HealthLimits()
        self._until_end = until_end
        self._clock = clock or SystemClock()
        self._terminal = terminal
        self._waker = Waker()
        self._inbox: queue.SimpleQueue[tuple[ManagedChild, int, object]] = queue.SimpleQueue()
        self._stop_wanted: str | None = None
        self._stop_by: float | None = None
        self._impatience = 0
        self._assigned: SessionAssigned | None = None
        self._waiting_s = 0.0
        self._source_end = SourceEnd()
        self._exit_code = 0

    def request_stop(self, reason: str) -> None:
        """Begin a clean stop; `run` returns when it is done."""
        self._stop_wanted = reason
        self._waker.nudge()

    def run(self, *, last: bool = False) -> int:
        """Start the children and keep them running until a stop is complete; the exit code.

        In the main thread SIGINT, SIGTERM and SIGHUP mean stop; with `last` they mean nothing afterwards.
        """
        with self._waker, self._waker.catching_signals(then_ignore=last):
            # Who listens first: what the worker says at once must find the core's queue.
            for child in reversed(self._children):
                self._launch(child)
            while self._stop_by is None or any(child.alive for child in self._children):
                self._sleep()
                self._take_signals()
                self._take_inbox()
                for child in self._children:
                    self._look_after(child)
                self._advance_stop()
            self._say_what_waits()
        return self._exit_code

    # The loop's steps

    def _sleep(self) -> None:
        now = self._clock.monotonic()
        times = [time for child in self._children for time in child.deadlines()]
        planned = min([*times, now + _HEALTH_CHECK_S])
        if any(child.gone_at is not None for child in self._children):
            planned = min(planned, now + 0.02)  # a reader about to see the end of file
        self._waker.wait(planned - now)
        if late := self._limits.overslept(max(planned, now), self._clock.monotonic()):
            log.warning("the supervisor was stopped for %.1f s; all deadlines start anew", late)
            for child in self._children:
                child.shift(late, self._clock.monotonic())
            if self._stop_by is not None:
                self._stop_by += late

    def _take_signals(self) -> None:
        for number in self._waker.take_signals():
            log.info("received %s", signal.Signals(number).name)
            if self._stop_by is None:
                self._begin_stop(signal.Signals(number).name)
            elif number == signal.SIGINT:
                self._answer_impatience()  # a key of the interface means the same: see `_asked_to_stop`

    def _take_inbox(self) -> None:
        while True:
            try:
                child, attempt, item = self._inbox.get_nowait()
            except queue.Empty:
                return
            if attempt != child.attempt or child.run is None:
                continue  # of an earlier start
            if isinstance(item, PeerClosed):
                child.closed = True
            elif isinstance(item, Frame):
                self._handle(child, item.message())

    def _handle(self, child: ManagedChild, message: Message) -> None:
        match message:
            case ChildReady():
                if child.state == "starting":
                    self._move(child, "ready")
            case ChildLoadFailed(error=error):
                child.load_error = error
                log.error("%s could not start: %s\n%s", child.spec.name, error.line(), error.detail)
            case Heartbeat(busy_s=busy_s, source_t=source_t):
                child.busy_s, child.source_t = busy_s, source_t
            case ChildStopped():
                child.farewell = message
            case SourceDrained():
                self._source_end.said_by(child.spec.name)
                if child.spec.name == "transcription":
                    self._hub.publish(SourceDrained())
            case SessionChanged(state="opened" | "resumed", id=session_id, dir=folder):
                if session_id != self._configured.session_id:
                    self._configured = dataclasses.replace(
                        self._configured, session_id=session_id, session_dir=folder, resumed=False
                    )
            case SessionRequested():
                self._assign_session()
            case ShutdownRequested():
                self._asked_to_stop(child)
            case _:
                log.debug("nothing to do for %s", message.topic)

    def _look_after(self, child: ManagedChild) -> None:
        now = self._clock.monotonic()
        if child.run is None:
            if child.start_at is not None and now >= child.start_at:
                self._launch(child)
            return
        code = child.run.exit_code()
        if code is not None:
            child.gone_at = child.gone_at or now
            if child.closed or now - child.gone_at > _LAST_WORDS_S:
                self._ended(child, code)
            return
        if child.closed and child.kill_at is None and child.abandon_at is None:
            child.end_by(now, _LET_GO)
        if child.state in ("starting", "ready") and not child.ailment:
            self._judge(child, now)
        child.force(now)
        if child.abandon_at is not None and now >= child.abandon_at:
            self._ended(child, -signal.SIGKILL)

    def _judge(self, child: ManagedChild, now: float) -> None:
        assert child.run is not None
        child.ailment = self._limits.ailment(
            heard=child.heard, silence_s=now - child.heard_at, busy_s=child.busy_s
        )
        if not child.ailment:
            return
        if child.run.killable:
            child.end_by(now, _REPLACE)
        else:
            # A thread cannot be ended, and a second one beside it would write the same files.
            self._warn("stuck", f"{child.spec.name} is {child.ailment}; only a new start can help")

    # Births and deaths

    def _launch(self, child: ManagedChild) -> None:
        spec = child.spec
        self._source_end.begins_anew(spec.name)
        child.begin(self._clock.monotonic())
        self._publish_state(child)
        if spec.owns_terminal and self._terminal is not None:
            self._terminal.save()
        attempt = child.attempt

        def deliver(frame: Frame) -> None:
            if attempt != child.attempt:
                return
            child.heard, child.heard_at = True, self._clock.monotonic()
            self._hub.relay(spec.name, frame)
            if "supervisor" in destinations(spec.name, frame.topic):
                self._post(child, attempt, frame)

        try:
            run = self._placement.launch(
                spec, deliver, lambda reason: self._post(child, attempt, PeerClosed(reason))
            )
        except (OSError, SttDaemonError) as error:
            log.exception("%s cannot be launched", spec.name)
            child.ailment = f"cannot be launched: {error}"
            self._bury(child, 1)
            return
        child.run = run
        self._tell(child, dataclasses.replace(self._configured, attempt=attempt, source_t=child.source_t))
        if self._assigned is not None and self._assigned.id != self._configured.session_id:
            self._tell(child, self._assigned)
        if spec.name == "assistant" and self._source_end.reached:
            self._tell(child, SourceDrained())
        self._hub.attach(spec.name, run.send)

    def _post(self, child: ManagedChild, attempt: int, item: object) -> None:
        self._inbox.put((child, attempt, item))
        self._waker.nudge()

    def _ended(self, child: ManagedChild, code: int) -> None:
        assert child.run is not None
        self._hub.detach(child.spec.name, child.run.send)
        child.run.close()
        child.run = None
        if child.spec.owns_terminal and self._terminal is not None and code != 0:
            self._terminal.restore()
        if child.farewell is not None:
            self._waiting_s += child.farewell.waiting_s
        elif child.spec.name == "transcription" and self._stop_by is not None:
            self._waiting_s += self._lag_s()
        self._hub.forget(child.spec.name)
        self._bury(child, code)

    def _bury(self, child: ManagedChild, code: int) -> None:
        """Decide what follows a death."""
        child.term_at = child.kill_at = child.abandon_at = child.gone_at = None
        reason = child.why_ended(code)
        log.info("%s ended with code %d", child.spec.name, code)
        if self._stop_by is not None:
            if child.ended_well(code):
                self._move(child, "stopped")
            else:
                if not child.spec.owns_terminal:
                    self._exit_code = 1
                self._move(child, "failed", reason)
            return
        if child.spec.owns_terminal and code in (0, -signal.SIGHUP):
            self._move(child, "stopped")
            self.request_stop("the interface was left")
            return
        now = self._clock.monotonic()
        child.deaths.append(now)
        delay = None if child.hopeless else self._policy.delay(child.deaths, now)
        if delay is None:
            self._give_up(child, reason)
        else:
            child.start_at = now + delay
            self._move(child, "backoff", reason)

    def _give_up(self, child: ManagedChild, reason: str) -> None:
        self._move(child, "failed", reason)
        self._hub.publish(Failed(where=child.spec.name, code="given_up", message=f"given up after {reason}"))
        if child.spec.owns_terminal:
            return
        self._exit_code = 1
        if child.spec.name == "transcription":
            self.request_stop("transcription failed")

    # Stopping

    def _asked_to_stop(self, child: ManagedChild) -> None:
        if self._stop_by is None:
            self.request_stop(f"asked by {child.spec.name}")
        elif child.spec.owns_terminal:
            self._answer_impatience()

    def _begin_stop(self, reason: str) -> None:
        log.info("stopping: %s", reason)
        self._stop_by = self._clock.monotonic() + self._stop_grace_s
        for child in self._children:
            if child.state == "backoff":
                child.start_at = None
                self._move(child, "stopped")

    def _advance_stop(self) -> None:
        """One child at a time drains; the next is asked when it is gone."""
        if self._until_end and self._source_end.is_over(c.spec.name for c in self._children if c.counts):
            self._stop_wanted = self._stop_wanted or "the source has ended"
        if self._stop_wanted is not None and self._stop_by is None:
            self._begin_stop(self._stop_wanted)
        if self._stop_by is None or any(child.state == "draining" for child in self._children):
            return
        left = [child for child in self._children if child.alive]
        if left:
            remaining = self._stop_by - self._clock.monotonic()
            if left[0].spec.owns_terminal:
                remaining = max(remaining, SCREEN_S)
            self._ask_to_stop(left[0], stop_share(remaining, len(left)))

    def _ask_to_stop(self, child: ManagedChild, share: StopShare) -> None:
        if child.state != "draining":
            self._move(child, "draining")
        child.end_by(self._clock.monotonic(), share)
        self._tell(child, StopRequested(grace_s=share.told_s))

    def _answer_impatience(self) -> None:
        self._impatience += 1
        if self._impatience == 1:
            self._hub.publish(farewell.still_draining(self._lag_s()))
        else:
            for child in self._children:
                if child.alive:
                    self._ask_to_stop(child, HURRY)

    def _say_what_waits(self) -> None:
        if self._waiting_s > 0:
            self._hub.publish(farewell.audio_waiting(self._waiting_s, self._configured.session_id))

    def _lag_s(self) -> float:
        lag = self._hub.state(LagChanged)
        return lag.seconds if isinstance(lag, LagChanged) else 0.0

    # Small helpers

    def _assign_session(self) -> None:
        try:
            session_id, folder = self._make_session()
        except (SttDaemonError, OSError) as error:
            log.exception("no new session")
            self._hub.publish(Failed(where="session", code="session", message=f"no new session: {error}"))
            return
        self._assigned = SessionAssigned(id=session_id, dir=str(folder))
        self._hub.publish(self._assigned)

    def _tell(self, child: ManagedChild, message: Message) -> None:
        if child.run is not None:
            child.run.send(Frame.of(stamped(message, self._clock)))

    def _move(self, child: ManagedChild, state: ChildState, reason: str = "") -> None:
        child.state = change_state(child.state, state)
        self._publish_state(child, reason)

    def _publish_state(self, child: ManagedChild, reason: str = "") -> None:
        self._hub.publish(ChildChanged(name=child.spec.name, state=child.state, reason=reason))

    def _warn(self, code: str, message: str) -> None:
        self._hub.publish(Warned(where="supervisor", code=code, message=message))
