"""The triage service between ports that a test plays: what it asks for waits here until the test answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from stt_daemon.config import Config
from stt_daemon.domain import Utterance
from stt_daemon.lanes.laya import LayaAnswers
from stt_daemon.messages import CoverageChanged, FactChanged, Message, TriageChanged
from stt_daemon.triage.ports import BriefJob, Pass
from stt_daemon.triage.questions import QuestionSet, read_questions
from stt_daemon.wiring.triage import build_triage
from tests.fakes.clock import FakeClock

M = TypeVar("M", bound=Message)

EXAMPLE = Path(__file__).parents[2] / "questions.example.json"


def example_questions() -> QuestionSet:
    questions = read_questions(EXAMPLE)
    assert isinstance(questions, QuestionSet)
    return questions


def line(number: int, text: str, *, t0: float | None = None, speaker: str = "Speaker") -> Utterance:
    """Utterance number `number`, two seconds long, five after the one before."""
    start = 5.0 * number if t0 is None else t0
    return Utterance(
        id=f"u{number}",
        seq=number,
        t0=start,
        t1=start + 2,
        wall="2026-01-31T09:00:00.000+01:00",
        speaker=speaker,
        source="test",
        text=text,
        language="en",
        wav="",
        avg_logprob=-0.2,
        no_speech_prob=0.01,
    )


def answers(**p: Any) -> LayaAnswers:
    """What Laya says to the example's questions: "no" to each, but for those named with a probability, or
    with the whole answer."""
    said: dict[str, dict[str, Any]] = {}
    for question in example_questions():
        if question.type == "choice":
            said[question.qid] = {"choice": question.labels[-1], "answer_confidence": 0.9, "confidence": 0.8}
        else:
            said[question.qid] = {"noul": 0.1, "answer_confidence": 0.9, "confidence": 0.8}
    said["substantive_update"]["noul"] = 0.9
    for qid, value in p.items():
        said[qid] = value if isinstance(value, dict) else {**said[qid], "noul": value}
    return LayaAnswers(said, 100, "- state", {"text": "- state"}, {"answers": said})


def brief_reply(*facts: str, narrative: str = "Summary\n- They talked.") -> str:
    """A reply in the two sections."""
    listed = "\n".join(f"- {fact}" for fact in facts) or "none"
    return f"NEW FACTS:\n{listed}\nBRIEF:\n{narrative}"


class TriageRig:
    """The service with its ports. `passes` and `jobs` are unanswered; keywords are keys of `[triage]`."""

    def __init__(self, *, prompt: str = "Keep the notes.", **keys: Any) -> None:
        config = Config.model_validate({"triage": keys, "llm": {"triage_system_prompt": prompt}})
        self.clock = FakeClock()
        self.passes: list[Pass] = []
        self.jobs: list[BriefJob] = []
        self.seen: list[BriefJob] = []
        self.cancelled: list[BriefJob] = []
        self.messages: list[Message] = []
        self.lines: list[dict[str, Any]] = []
        self.snapshots: list[str] = []
        self.troubles: list[str] = []
        self.dropped = 0
        self.taken = True
        self.room = True
        self.context_tokens: int | None = None
        self._number = 0
        self.service = build_triage(
            config, example_questions(), decider=self, writer=self, sink=self, wall=self.clock.wall
        )

    # What a test does

    def says(self, text: str, *, t0: float | None = None) -> Utterance:
        """One utterance; its turn goes on."""
        self._number += 1
        said = line(self._number, text, t0=t0)
        self.service.heard(said)
        return said

    def turn(self, *texts: str) -> Utterance:
        """A whole turn, settled."""
        for text in texts:
            last = self.says(text)
        self.service.turn_settled(last.id)
        return last

    def classified(self, result: LayaAnswers | None = None) -> BriefJob | None:
        """Answer the oldest pass that waits."""
        _, job = self.service.answered(self.passes.pop(0), result or answers())
        return job

    def brief(self, *texts: str) -> BriefJob:
        """A turn that leads to an update, which waits for its reply."""
        self.turn(*texts)
        job = self.classified()
        assert job is not None
        return job

    def reply(self, text: str, finish_reason: str = "stop") -> BriefJob | None:
        return self.service.replied(self.jobs.pop(0), text, finish_reason)

    def fail(self, reason: str = "it broke", *, counts: bool = True) -> BriefJob | None:
        return self.service.failed(self.jobs.pop(0), reason, counts=counts)

    def restarted(self, said: Sequence[Utterance], brief: str = "", **keys: Any) -> TriageRig:
        """Another run on the ledger that this one wrote."""
        other = TriageRig(**keys)
        other._number = self._number
        other.service.restore(self.lines, said, brief)
        return other

    def windows(self) -> list[tuple[str, ...]]:
        """Answer all passes there are and will be; the lines of each."""
        seen = []
        while self.passes:
            seen.append(self.passes[0].lines)
            self.classified()
        return seen

    # What a test sees

    def of(self, kind: type[M]) -> list[M]:
        return [message for message in self.messages if isinstance(message, kind)]

    def stage(self, stage: str) -> list[TriageChanged]:
        return [message for message in self.of(TriageChanged) if message.stage == stage]

    def ops(self, op: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["op"] == op]

    @property
    def coverage(self) -> CoverageChanged:
        return self.of(CoverageChanged)[-1]

    @property
    def facts(self) -> list[str]:
        return [fact.text for fact in self.of(FactChanged) if fact.op == "add"]

    @staticmethod
    def prompt(job: BriefJob) -> str:
        return job.request.messages[-1].content

    @classmethod
    def read(cls, job: BriefJob) -> list[str]:
        """The lines under NEW UTTERANCES."""
        return cls.prompt(job).split("NEW UTTERANCES:\n")[1].split("\n\n")[0].splitlines()

    # The ports

    def submit(self, job: Pass) -> bool:
        assert not self.passes, "one pass at a time"
        if self.taken:
            self.passes.append(job)
        return self.taken

    def drop(self) -> None:
        self.dropped += 1

    def submit_if_room(self, job: BriefJob) -> bool:
        if self.room:
            self.jobs.append(job)
            self.seen.append(job)
        return self.room

    def cancel(self, job: BriefJob) -> None:
        self.cancelled.append(job)

    def publish(self, message: Message) -> None:
        self.messages.append(message)

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        self.lines += [dict(line) for line in lines]

    def snapshot(self, brief: str) -> None:
        self.snapshots.append(brief)

    def trouble(self, code: str, message: str) -> None:
        self.troubles.append(message)
