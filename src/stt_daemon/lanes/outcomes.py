"""How a lane's job can end: a value that says so, delivered once.

Frozen data, safe to hand to any thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from stt_daemon.errors import ErrorRecord

JobT = TypeVar("JobT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Done(Generic[JobT, ResultT]):
    """The worker finished the job."""

    job: JobT
    result: ResultT


@dataclass(frozen=True)
class Failed(Generic[JobT]):
    """The worker tried the job and an exception came out; the lane works on."""

    job: JobT
    error: ErrorRecord


@dataclass(frozen=True)
class Refused(Generic[JobT]):
    """The job was never going to run: the queue is full, the engine is missing, the lane has stopped."""

    job: JobT
    reason: str


@dataclass(frozen=True)
class Cancelled(Generic[JobT]):
    """The job was accepted and then given up: replaced by a newer one, given up, or overtaken by a stop."""

    job: JobT
    reason: str


class GivenUp(Exception):  # noqa: N818 - not an error: how work obeys
    """Raised by a lane's work that stops because it was asked to; the message is the outcome's reason."""


Outcome = Done[JobT, ResultT] | Failed[JobT] | Refused[JobT] | Cancelled[JobT]
