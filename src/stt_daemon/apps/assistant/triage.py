"""Triage as the loop sees it: hands the service what happened, and its jobs to the two lanes.

Owned by the loop. What a lane answers comes through the inbox. Switched off, there is nothing here but the
calls: no lane, no questions, no library.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from stt_daemon.apps.assistant.files import Archive
from stt_daemon.apps.assistant.inference import Inference, Job, Waiting
from stt_daemon.apps.assistant.modes import Modes
from stt_daemon.apps.assistant.triage_dumps import TriageDumps
from stt_daemon.config import Config
from stt_daemon.domain import Clock, Turn, Utterance
from stt_daemon.errors import ErrorRecord, SessionError
from stt_daemon.lanes.outcomes import Cancelled, Done, Failed, Outcome, Refused
from stt_daemon.llm import ChatExchange
from stt_daemon.messages import LaneChanged, Message, TriageChanged, TriageState, TriageStateChanged, Warned
from stt_daemon.triage.ports import BriefJob, Pass
from stt_daemon.triage.questions import QuestionSet, QuestionsProblem
from stt_daemon.wiring.brief_call import NOBODY_THERE, BriefCall, BriefReply
from stt_daemon.wiring.triage import LayaAnswered, TriageParts, build_triage, configured_questions, laya_job

log = logging.getLogger(__name__)

NOTHING_TO_CLEAR = "there are no signals and no brief to clear"
PREDICT_FAILED = "predict failed"
CLEARED = "the signals, the brief and its facts are cleared"


class NoTriage:
    """Triage that is switched off."""

    @property
    def idle(self) -> bool:
        """Whether nothing more will come of what was said so far; updates count as the other lane's work."""
        return True

    @property
    def busy_s(self) -> Mapping[str, float]:
        """How long the present job of each lane of its own runs."""
        return {}

    def start(self) -> None: ...

    def take_up(self, folder: Path, utterances: Iterable[Utterance]) -> None: ...

    def heard(self, utterance: Utterance) -> None: ...

    def settled(self, turn: Turn) -> None: ...

    def time_passed(self, t: float | None) -> None: ...

    def overheard(self, role: Literal["user", "assistant"], text: str, spoken: bool, /) -> None: ...

    def receive(self, outcome: Outcome[Any, Any]) -> None: ...

    def lane_changed(self, change: LaneChanged) -> None: ...

    def clear(self) -> str:
        return NOTHING_TO_CLEAR

    def new_session(self) -> None: ...

    def stop(self, *, drain: bool, deadline: float | None = None) -> None: ...

    def join(self, timeout_s: float) -> None: ...


class NoQuestions(NoTriage):
    """Triage that is switched on and has no questions to ask; it says so."""

    def __init__(self, reason: str, publish: Callable[[Message], None]) -> None:
        self._reason = reason
        self._publish = publish

    def start(self) -> None:
        self._publish(TriageStateChanged(state="no_questions", reason=self._reason))


class TriageDesk(NoTriage):
    """See the module. Port of the service to its two lanes, its files and its readers."""

    def __init__(
        self,
        config: Config,
        questions: QuestionSet,
        parts: TriageParts,
        *,
        inference: Inference,
        modes: Modes,
        archive: Archive,
        publish: Callable[[Message], None],
        post: Callable[[object], None],
        clock: Clock,
        offline: bool,
    ) -> None:
        self._questions = questions
        self._inference = inference
        self._modes = modes
        self._archive = archive
        self._publish = publish
        self._clock = clock
        self._read_saved = parts.read_saved
        self._write_brief = config.brief.write
        self._lane = parts.lane(
            config,
            offline=offline,
            on_outcome=lambda outcome: post(LayaAnswered(outcome)),
            post=post,
            clock=clock,
        )
        self._service = build_triage(config, questions, decider=self, writer=self, sink=self, wall=clock.wall)
        self._dumps: TriageDumps | None = None
        if config.triage.dump_io:
            self._dumps = TriageDumps(lambda record: archive.dump(record, parts.write_dump), clock.wall)
        self._passes: dict[object, Pass] = {}
        self._updates: dict[BriefJob, tuple[Job, list[ChatExchange]]] = {}
        self._lane_state = LaneChanged(name="laya", state="loading")
        self._context_tokens: int | None = config.llm.context_tokens or None
        self._ending = self._is_closed = False
        self._trouble = ""
        self._told: TriageStateChanged | None = None
        self._told_trouble = ""
        """The trouble that the user knows of."""

    def start(self) -> None:
        self._tell_state()
        self._lane.start()

    # What the loop tells

    @property
    def idle(self) -> bool:
        return not self._passes

    @property
    def busy_s(self) -> Mapping[str, float]:
        since = self._lane.busy_since
        return {"laya": 0.0 if since is None else max(0.0, self._clock.monotonic() - since)}

    def take_up(self, folder: Path, utterances: Iterable[Utterance]) -> None:
        try:
            lines, brief = self._read_saved(folder)
        except SessionError as error:
            log.exception("facts and brief cannot be taken up")
            self._publish(Warned(where="triage", code=error.code, message=ErrorRecord.of(error).line()))
            return
        self._service.restore(lines, utterances, brief)

    def heard(self, utterance: Utterance) -> None:
        self._service.heard(utterance)

    def settled(self, turn: Turn) -> None:
        self._service.turn_settled(turn.utterances[-1])

    def time_passed(self, t: float | None) -> None:
        self._service.time_passed(t)

    def overheard(self, role: Literal["user", "assistant"], text: str, spoken: bool, /) -> None:
        """A message or a reply of the chat. What was said is in the window already, unless it is not sent."""
        if not self._modes.send_to_triage:
            return
        if role == "assistant":
            self._service.chat("Assistant", text, complete=True)
        elif not (spoken and self._modes.send_transcripts):
            self._service.chat("You", text, complete=False)

    def clear(self) -> str:
        self._service.clear()
        if self._dumps is not None:
            self._dumps.cleared()
        return CLEARED

    def new_session(self) -> None:
        self._service.new_session()
        if self._dumps is not None:
            self._dumps.cleared()

    def stop(self, *, drain: bool, deadline: float | None = None) -> None:
        """With `drain` what waits is still classified, unless the classifier still loads."""
        self._ending = drain and bool(self._passes) and self._lane_state.state in ("ready", "busy")
        if not self._ending:
            self._is_closed = True
            self._lane.stop(drain=drain, deadline=deadline)

    def join(self, timeout_s: float) -> None:
        self._lane.join(timeout_s)

    # What the classifier says

    def receive(self, outcome: Outcome[Any, Any]) -> None:
        done = self._passes.pop(outcome.job)
        match outcome:
            case Done(result=result):
                self._trouble = ""
                ts, update = self._service.answered(done, result)
                half = {"request": result.request, "response": result.response, "error": None}
                self._dump(ts, half, update)
            case Failed(error=error):
                self._trouble = f"{PREDICT_FAILED}: {error.line()}"
                ts, update = self._service.undecided(done)
                request = {"state": "\n".join(done.lines), "questions": self._questions.asked}
                self._dump(ts, {"request": request, "response": None, "error": PREDICT_FAILED}, update)
            case Refused() | Cancelled():
                log.info("a classification was given up: %s", outcome.reason)
                self._service.let_go(done)
        self._tell_state()
        if self._ending and not self._passes:
            self.stop(drain=True)

    def lane_changed(self, change: LaneChanged) -> None:
        self._lane_state = change
        self._publish(replace(change, at=0.0))
        self._tell_state()

    def _tell_state(self) -> None:
        state, reason = self._lane_state.state, self._lane_state.reason
        shown: TriageState = "ok" if state in ("ready", "busy") else "loading"
        if state == "unavailable" or (shown == "ok" and self._trouble):
            shown, reason = "unavailable", reason if state == "unavailable" else self._trouble
        told = TriageStateChanged(state=shown, reason=reason, questions=self._questions.raw)
        if told != self._told:
            self._told = told
            self._publish(told)

    # The service's ports

    def submit(self, job: Pass) -> bool:
        if self._is_closed or self._lane_state.state == "unavailable":
            return False
        laya = laya_job(self._questions, job)
        self._passes[laya] = job
        self._lane.submit(laya)
        return True

    def drop(self) -> None:
        self._lane.drop_waiting("cleared")

    @property
    def context_tokens(self) -> int | None:
        return self._context_tokens

    def _learn_context(self, tokens: int) -> None:
        self._context_tokens = tokens

    def submit_if_room(self, job: BriefJob) -> bool:
        exchanges: list[ChatExchange] = []
        call = BriefCall(job.request, self._service.reask, exchanges.append, self._learn_context)
        waiting = Waiting(
            done=lambda reply: self._ended(job, lambda: self._replied(job, reply)),
            failed=lambda error: self._ended(job, lambda: self._failed(job, error)),
            given_up=lambda reason: self._ended(job, lambda: self._service.given_up(job)),
        )
        queued = self._inference.submit_if_room("brief", "update the brief", call, waiting)
        if queued is None:
            return False
        self._updates[job] = queued, exchanges
        return True

    def cancel(self, job: BriefJob) -> None:
        self._inference.cancel(self._updates[job][0], "cleared")

    def publish(self, message: Message) -> None:
        if isinstance(message, TriageChanged) and message.stage != "signals":
            self._told_trouble = ""
        self._publish(message)

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        if lines:
            self._archive.record_facts([dict(line) for line in lines])

    def snapshot(self, brief: str) -> None:
        if not brief:
            self._archive.empty_brief()
        elif self._write_brief:
            self._archive.keep_brief(brief)

    def trouble(self, code: str, message: str) -> None:
        """Each kind of trouble is told once, until a brief is accepted again."""
        if message != self._told_trouble:
            self._told_trouble = message
            self._publish(Warned(where="triage", code=code, message=f"the brief stays as it was: {message}"))

    # What the language model says

    def _replied(self, job: BriefJob, reply: BriefReply) -> BriefJob | None:
        return self._service.replied(job, reply.text, reply.finish_reason)

    def _failed(self, job: BriefJob, error: ErrorRecord) -> BriefJob | None:
        return self._service.failed(job, error.line(), counts=error.code not in NOBODY_THERE)

    def _ended(self, job: BriefJob, tell: Callable[[], BriefJob | None]) -> None:
        _, exchanges = self._updates.pop(job)
        if self._dumps is not None:
            self._dumps.ended(job, exchanges)
        following = tell()
        if self._dumps is not None:
            self._dumps.flushed(following)

    def _dump(self, ts: float, laya: dict[str, Any], update: BriefJob | None) -> None:
        if self._dumps is not None and ts:
            self._dumps.triaged(ts, laya, update)


def build_desk(
    config: Config,
    parts: TriageParts,
    *,
    inference: Inference,
    modes: Modes,
    archive: Archive,
    publish: Callable[[Message], None],
    post: Callable[[object], None],
    clock: Clock,
    offline: bool,
) -> NoTriage:
    """The desk that the configuration asks for."""
    if not config.triage.enabled:
        return NoTriage()
    questions = configured_questions(config)
    if isinstance(questions, QuestionsProblem):
        log.warning("no triage: %s", questions.reason)
        return NoQuestions(questions.reason, publish)
    return TriageDesk(
        config,
        questions,
        parts,
        inference=inference,
        modes=modes,
        archive=archive,
        publish=publish,
        post=post,
        clock=clock,
        offline=offline,
    )
