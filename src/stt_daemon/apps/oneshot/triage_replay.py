"""Triage of a stored session once more, with the questions and thresholds of now. One thread, the caller's.

Each turn is classified, and the brief updated, before the next is heard: slower than live at full speed, but
the same every time. Reads the session and writes nothing.
"""

from __future__ import annotations

import json
import logging
import queue
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stt_daemon.apps.oneshot.label_metrics import Judged, measure, read_labels
from stt_daemon.config import Config
from stt_daemon.domain import Clock, Gap, SystemClock, Utterance
from stt_daemon.domain.text import plain
from stt_daemon.errors import ConfigError, ModelError, SessionError
from stt_daemon.lanes.inference_queue import InferenceJob, InferenceQueue
from stt_daemon.lanes.outcomes import Done, Failed, Outcome
from stt_daemon.messages import CoverageChanged, Message, TriageChanged
from stt_daemon.sessions import SessionFolder, read_transcript
from stt_daemon.triage.ports import BriefJob, Pass
from stt_daemon.triage.questions import QuestionSet, QuestionsProblem
from stt_daemon.wiring.brief_call import NOBODY_THERE, BriefCall
from stt_daemon.wiring.laya import LayaWarning
from stt_daemon.wiring.llm import LlmWarning, build_llm_lane
from stt_daemon.wiring.triage import LayaAnswered, TriageParts, build_triage, configured_questions, laya_job

log = logging.getLogger(__name__)

JOIN_S = 2.0


@dataclass(frozen=True)
class Classified:
    """One classification: the utterances it was the first to see, their time, and its signals."""

    utterances: tuple[str, ...]
    t0: float
    t1: float
    signals: TriageChanged


@dataclass
class ReplayResult:
    """What came of a session. `figures` is None without a `labels.json`."""

    session: str
    classified: list[Classified] = field(default_factory=list)
    brief: str = ""
    facts: list[dict[str, Any]] = field(default_factory=list)
    coverage: dict[str, Any] = field(default_factory=dict)
    trouble: list[str] = field(default_factory=list)
    figures: dict[str, Any] | None = None

    def data(self) -> dict[str, Any]:
        """As `--json` shows it."""
        return {
            "session": self.session,
            "classified": [
                {"utterances": one.utterances, "t0": one.t0, "t1": one.t1, **_signals(one.signals)}
                for one in self.classified
            ],
            "brief": self.brief,
            "facts": self.facts,
            "coverage": self.coverage,
            "trouble": self.trouble,
            "labels": self.figures,
        }


@dataclass(frozen=True)
class ReplayParts:
    """The two lanes; a test replaces them."""

    triage: TriageParts = field(default_factory=TriageParts)
    llm_lane: Callable[[Config, Callable[[object], None], Clock], InferenceQueue[Any]] = build_llm_lane


def replay(
    folder: SessionFolder,
    config: Config,
    on_classified: Callable[[Classified], None],
    parts: ReplayParts | None = None,
) -> ReplayResult:
    """Run it; `on_classified` hears of each classification as it comes.

    Raises ConfigError without usable questions, ModelError without a classifier, SessionError when the
    session cannot be read.
    """
    questions = configured_questions(config)
    if isinstance(questions, QuestionsProblem):
        raise ConfigError(questions.reason, mend="see questions.example.json")
    lines = list(read_transcript(folder.transcript))
    labels = _labels_of(folder)
    runner = _Replay(folder.id, config, questions, on_classified, parts or ReplayParts())
    with runner:
        for turn in turns_of(lines, config.assistant.turn_gap_s):
            runner.hear(turn)
    result = runner.result
    if labels is not None:
        judged = [Judged(one.utterances, one.signals.items) for one in result.classified]
        hours = max((line.t1 for line in lines), default=0.0) / 3600
        result.figures = measure(judged, labels, hours=hours)
    return result


def turns_of(lines: Iterable[Utterance | Gap], gap_s: float) -> Iterator[list[Utterance]]:
    """The turns of a transcript: a gap in the recording, or a pause of `gap_s`, ends one."""
    turn: list[Utterance] = []
    for line in lines:
        if turn and (isinstance(line, Gap) or line.t0 - turn[-1].t1 >= gap_s):
            yield turn
            turn = []
        if isinstance(line, Utterance):
            turn.append(line)
    if turn:
        yield turn


class _Replay:
    """The service between its two lanes, and the wait for them."""

    def __init__(
        self,
        session: str,
        config: Config,
        questions: QuestionSet,
        on_classified: Callable[[Classified], None],
        parts: ReplayParts,
    ) -> None:
        self._inbox: queue.Queue[object] = queue.Queue()
        post, clock = self._inbox.put, SystemClock()
        self._questions = questions
        self._on_classified = on_classified
        self._laya = parts.triage.lane(
            config,
            offline=False,
            on_outcome=lambda outcome: post(LayaAnswered(outcome)),
            post=post,
            clock=clock,
        )
        self._llm = parts.llm_lane(config, post, clock)
        self._service = build_triage(config, questions, decider=self, writer=self, sink=self, wall=clock.wall)
        self._heard: list[Utterance] = []
        self._seen = 0
        self._context_tokens: int | None = config.llm.context_tokens or None
        self._passes: dict[object, Pass] = {}
        self._updates: dict[object, BriefJob] = {}
        self.result = ReplayResult(session)

    def __enter__(self) -> _Replay:
        self._laya.start()
        self._llm.start()
        return self

    def __exit__(self, *_: object) -> None:
        for lane in (self._laya, self._llm):
            lane.stop(drain=False)
        for lane in (self._laya, self._llm):
            lane.join(JOIN_S)

    def hear(self, turn: Sequence[Utterance]) -> None:
        """Take in one turn, and wait for all that follows from it."""
        for utterance in turn:
            self._heard.append(utterance)
            self._service.heard(utterance)
            self._service.time_passed(None)
            self._settle()
        self._service.turn_settled(turn[-1].id)
        self._settle()

    def _settle(self) -> None:
        while self._passes or self._updates:
            match self._inbox.get():
                case LayaAnswered(outcome=outcome):
                    self._answered(outcome)
                case LayaWarning(warning=warning) | LlmWarning(warning=warning):
                    self.trouble(warning.code, warning.message)
                case (Done() | Failed()) as outcome if outcome.job in self._updates:
                    self._ended(outcome)
                case _:
                    pass

    def _answered(self, outcome: Outcome[Any, Any]) -> None:
        done = self._passes.pop(outcome.job)
        if isinstance(outcome, Done):
            self._service.answered(done, outcome.result)
            signals = self._last_signals
            seen = self._heard[self._seen : done.number]
            self._seen = max(self._seen, done.number)
            names = tuple(utterance.id for utterance in seen)
            classified = Classified(names, seen[0].t0, seen[-1].t1, signals)
            self.result.classified.append(classified)
            self._on_classified(classified)
        elif isinstance(outcome, Failed):
            self.trouble("predict_failed", outcome.error.line())
            self._service.undecided(done)
        else:
            raise ModelError(f"there is no classifier: {outcome.reason}")

    def _ended(self, outcome: Done[Any, Any] | Failed[Any]) -> None:
        job = self._updates.pop(outcome.job)
        if isinstance(outcome, Done):
            self._service.replied(job, outcome.result.text, outcome.result.finish_reason)
        else:
            self._service.failed(job, outcome.error.line(), counts=outcome.error.code not in NOBODY_THERE)

    # The service's ports

    def submit(self, job: Pass) -> bool:
        laya = laya_job(self._questions, job)
        self._passes[laya] = job
        self._laya.submit(laya)
        return True

    def drop(self) -> None:
        raise AssertionError("a replay clears nothing")

    @property
    def context_tokens(self) -> int | None:
        return self._context_tokens

    def _learn_context(self, tokens: int) -> None:
        self._context_tokens = tokens

    def submit_if_room(self, job: BriefJob) -> bool:
        call = BriefCall(job.request, self._service.reask, lambda _exchange: None, self._learn_context)
        queued: InferenceJob[Any, Any] = InferenceJob("brief", "update the brief", call)
        self._updates[queued] = job
        if not self._llm.submit_if_room(queued):
            del self._updates[queued]
            return False
        return True

    def cancel(self, job: BriefJob) -> None:
        raise AssertionError("a replay clears nothing")

    def publish(self, message: Message) -> None:
        match message:
            case TriageChanged(stage="signals"):
                self._last_signals = message
            case TriageChanged(stage="content"):
                self.result.brief = message.brief
            case CoverageChanged():
                self.result.coverage = message.payload()
            case _:
                pass

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        self.result.facts += [dict(line) for line in lines if line.get("op") == "add"]

    def snapshot(self, brief: str) -> None:
        pass

    def trouble(self, code: str, message: str) -> None:
        if message not in self.result.trouble:
            self.result.trouble.append(message)


def _labels_of(folder: SessionFolder) -> dict[str, dict[str, Any]] | None:
    path = folder.path / "labels.json"
    try:
        return read_labels(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SessionError(plain(f"{path} cannot be used: {error}")) from error


def _signals(message: TriageChanged) -> dict[str, Any]:
    return {"items": message.items, "escalated": message.escalated, "input_tokens": message.input_tokens}
