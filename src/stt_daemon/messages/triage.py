"""What is made of the transcript: signals, the brief, its facts, the rolling summary, values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from stt_daemon.messages.base import Keep, Message

TriageStage = Literal["signals", "content", "cleared"]
TriageState = Literal["ok", "disabled", "loading", "no_questions", "unavailable"]
FactOp = Literal["add", "evict", "clear"]
ValueStatus = Literal["accepted", "unclear", "unparseable"]


@dataclass(frozen=True, kw_only=True)
class TriageChanged(Message):
    """A triage made signals, a brief was accepted, or all of it was cleared.

    `ts` is the time of that triage in seconds since the epoch; of two of these the later `ts` holds. `order`
    are the question ids in the order of the file, `items` one plain dict for each of them: `qid`, `type`,
    `flagged`, `confidence`, and `p` (noul), `selected` (choice) or `expected`, `level`, `label` (score).
    With stage "content" the signals are the latest ones and `brief` is what the pane shows.
    """

    topic: ClassVar[str] = "triage"
    public: ClassVar[bool] = True
    sticky: ClassVar[tuple[str, ...] | None] = ("stage",)

    stage: TriageStage
    ts: float
    order: tuple[str, ...] = ()
    items: tuple[dict[str, Any], ...] = ()
    escalated: bool = False
    input_tokens: int = 0
    brief: str = ""


@dataclass(frozen=True, kw_only=True)
class TriageStateChanged(Message):
    """Whether triage can work, and why not; `questions` is the validated file, empty without one."""

    topic: ClassVar[str] = "triage_state"
    sticky: ClassVar[tuple[str, ...] | None] = ()

    state: TriageState
    reason: str = ""
    questions: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FactChanged(Message):
    """A line of `ledger.jsonl` that changed the facts. `evidence`: `ids`, `t0`, `t1` of what was said."""

    topic: ClassVar[str] = "fact"
    public: ClassVar[bool] = True

    op: FactOp
    id: str = ""
    text: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
    verified: bool = False


@dataclass(frozen=True, kw_only=True)
class CoverageChanged(Message):
    """How far the brief has read.

    `through`: id of the last utterance an accepted brief has read. `pending`: how many lines wait for the
    next one. `set_aside` and `uncovered`: ids that no brief could be made of, and that no fact covers.
    `unread_facts`: recorded facts that did not fit into the last request.
    """

    topic: ClassVar[str] = "coverage"
    public: ClassVar[bool] = True
    sticky: ClassVar[tuple[str, ...] | None] = ()

    through: str = ""
    pending: int = 0
    set_aside: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    unread_facts: int = 0


@dataclass(frozen=True, kw_only=True)
class SummaryChanged(Message):
    """The rolling summary, and the latest words, which are not in it yet."""

    topic: ClassVar[str] = "summary"
    public: ClassVar[bool] = True
    keep: ClassVar[Keep] = "latest"
    sticky: ClassVar[tuple[str, ...] | None] = ()

    summary: str
    recent: str


@dataclass(frozen=True, kw_only=True)
class ValueRead(Message):
    """A typed value in what was said. `span`: the quoted words; `utterance`: the id of their line."""

    topic: ClassVar[str] = "value"
    public: ClassVar[bool] = True

    field: str
    status: ValueStatus
    value: str = ""
    span: str = ""
    utterance: str = ""
    why: str = ""
