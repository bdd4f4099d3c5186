"""The core's side of the LLM lane: who waits for which job, and what the lane's state is called.

Owned by the loop; what the lane says arrives through the inbox. The lane itself is alive as long as its
client exists. A server that did not answer makes it "unavailable" with the reason, until one call succeeds.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from stt_daemon.domain import Clock
from stt_daemon.errors import ErrorRecord
from stt_daemon.lanes.inference_queue import InferenceJob, InferenceQueue, JobKind
from stt_daemon.lanes.outcomes import Cancelled, Done, Failed, Outcome, Refused
from stt_daemon.llm import ChatExchange, ChatReply, ChatRequest, ServerFacts, TokenCount
from stt_daemon.messages import LaneChanged, LaneState, Message

log = logging.getLogger(__name__)

_NOBODY_THERE = frozenset({"unreachable", "loading", "timeout", "auth"})
"""Errors that are about the server and not about what it was asked."""


class TextGenerator(Protocol):
    """What a job may do with the lane's engine, in the lane's thread."""

    def facts(self, *, timeout_s: float = ..., cancelled: threading.Event | None = None) -> ServerFacts: ...

    def count_tokens(self, text: str) -> TokenCount: ...

    def chat(
        self,
        request: ChatRequest,
        *,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
        on_exchange: Callable[[ChatExchange], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> ChatReply: ...


Job = InferenceJob[TextGenerator, Any]
Do = Callable[[TextGenerator, threading.Event], Any]


@dataclass(frozen=True)
class Waiting:
    """Who waits for a job: exactly one of these is called, in the loop."""

    done: Callable[[Any], None]
    failed: Callable[[ErrorRecord], None]
    given_up: Callable[[str], None]
    """Refused or cancelled, and why."""


class Inference:
    """Submits jobs and brings their outcomes to whoever waits."""

    def __init__(
        self,
        lane: InferenceQueue[TextGenerator],
        publish: Callable[[Message], None],
        clock: Clock,
    ) -> None:
        self._lane = lane
        self._publish = publish
        self._clock = clock
        self._waiting: dict[Job, Waiting] = {}
        self._trouble = ""
        self._progress = ""
        self._said: LaneChanged | None = None
        self._told: LaneChanged | None = None

    def start(self) -> None:
        self._lane.start()

    @property
    def idle(self) -> bool:
        """Whether every job has been answered."""
        return not self._waiting

    @property
    def busy_s(self) -> float:
        """How long the present job runs; 0 when there is none."""
        since = self._lane.busy_since
        return 0.0 if since is None else max(0.0, self._clock.monotonic() - since)

    def submit(self, kind: JobKind, name: str, do: Do, waiting: Waiting) -> Job:
        """Queue a job; its outcome comes later, also when it is refused."""
        job: Job = InferenceJob(kind, name, do)
        self._waiting[job] = waiting
        self._lane.submit(job)
        return job

    def submit_if_room(self, kind: JobKind, name: str, do: Do, waiting: Waiting) -> Job | None:
        """Queue a job that displaces nobody; None when there is no room, and nobody hears of it."""
        job: Job = InferenceJob(kind, name, do)
        self._waiting[job] = waiting
        if not self._lane.submit_if_room(job):
            del self._waiting[job]
            return None
        return job

    def cancel(self, job: Job, reason: str) -> None:
        """Nobody wants the answer any more; the outcome still comes."""
        self._lane.cancel(job, reason)

    def stop(self, *, drain: bool, deadline: float | None = None) -> None:
        self._lane.stop(drain=drain, deadline=deadline)

    def join(self, timeout_s: float) -> bool:
        return self._lane.join(timeout_s)

    def receive(self, outcome: Outcome[Job, Any]) -> None:
        """An outcome from the lane."""
        waiting = self._waiting.pop(outcome.job, None)
        if waiting is None:
            log.error("nobody waits for %r", outcome)
            return
        match outcome:
            case Done(result=result):
                self._trouble = ""
                waiting.done(result)
            case Failed(error=error):
                self._trouble = error.line() if error.code in _NOBODY_THERE else ""
                waiting.failed(error)
            case Refused(reason=reason) | Cancelled(reason=reason):
                waiting.given_up(reason)
        self._tell()

    def lane_changed(self, change: LaneChanged) -> None:
        self._said = change
        self._tell()

    def progress(self, text: str) -> None:
        self._progress = text
        self._tell()

    def _tell(self) -> None:
        if (change := self._said) is None:
            return
        state: LaneState = change.state
        reason = change.reason
        if state == "busy" and self._progress:
            state, reason = "loading", self._progress
        elif state == "ready" and self._trouble:
            state, reason = "unavailable", self._trouble
        shown = replace(change, state=state, reason=reason, at=0.0)
        if shown != self._told:
            self._told = shown
            self._publish(shown)
