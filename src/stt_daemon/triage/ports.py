"""What the triage service is given, what it needs from others, and what it hands them. Types only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from stt_daemon.messages import Message
from stt_daemon.triage.brief_engine import BriefRequest


@dataclass(frozen=True)
class TriageSettings:
    """The keys of `[triage]` that are rules of the service."""

    window: int
    state_char_budget: int
    periodic_s: float
    extract_enabled: bool
    gate_enabled: bool
    gate_threshold: float
    pending_char_budget: int


@dataclass(frozen=True, eq=False)
class Pass:
    """One classification: the condensed lines of a window, known by the `number` of its newest entry.

    `generation` tells what was cleared since: a result of an older one counts for nothing.
    """

    lines: tuple[str, ...]
    number: int
    language: str
    generation: int


@dataclass(frozen=True, eq=False)
class BriefJob:
    """One update of the brief, submitted once and known by its identity. `ts`: as in TriageChanged."""

    ts: float
    request: BriefRequest


class Decider(Protocol):
    """The lane of the classifier."""

    def submit(self, job: Pass) -> bool:
        """Take a pass; False when nobody will work on it. Exactly one answer follows for one taken, and no
        second is submitted before."""

    def drop(self) -> None:
        """Nobody wants a pass that waits any more; its answer still comes."""


class BriefWriter(Protocol):
    """The lane of the language model."""

    @property
    def context_tokens(self) -> int | None:
        """How much the model holds, as far as that is known."""

    def submit_if_room(self, job: BriefJob) -> bool:
        """Take a job if that displaces nobody. Exactly one answer follows for one taken."""

    def cancel(self, job: BriefJob) -> None:
        """Nobody wants its result any more; the answer still comes."""


class Sink(Protocol):
    """Where results go. Nothing here waits."""

    def publish(self, message: Message) -> None: ...

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Append lines to `ledger.jsonl`."""

    def snapshot(self, brief: str) -> None:
        """Keep the whole brief, when that is wanted; "" empties what was kept."""

    def trouble(self, code: str, message: str) -> None:
        """Tell the user that no brief came of something, and why."""
