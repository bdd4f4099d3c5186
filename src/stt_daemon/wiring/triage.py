"""Who gets which real part for triage: the service, the brief, the questions, and what is on disk of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stt_daemon.config import Config
from stt_daemon.lanes.laya import LayaAnswers, LayaJob, LayaLane
from stt_daemon.lanes.outcomes import Outcome
from stt_daemon.sessions.brief_file import read_brief
from stt_daemon.sessions.dump import write_dump
from stt_daemon.sessions.ledger_log import LEDGER_FILE, read_ledger
from stt_daemon.triage.brief_engine import BriefEngine, BriefSettings
from stt_daemon.triage.fact_ledger import FactLedger
from stt_daemon.triage.ports import BriefWriter, Decider, Pass, Sink, TriageSettings
from stt_daemon.triage.questions import QuestionSet, QuestionsProblem, read_questions
from stt_daemon.triage.service import TriageService
from stt_daemon.triage.signals import Signals, read_signals
from stt_daemon.wiring.laya import build_laya_lane

DUMPS = Path("troubleshoot") / "triage"
"""Where `dump_io` writes, below the working directory."""


def configured_questions(config: Config) -> QuestionSet | QuestionsProblem:
    """The questions file that is configured, relative to the working directory, or what is wrong with it."""
    return read_questions(Path(config.triage.questions_file).expanduser())


def build_triage(
    config: Config,
    questions: QuestionSet,
    *,
    decider: Decider,
    writer: BriefWriter,
    sink: Sink,
    wall: Callable[[], float],
) -> TriageService:
    """The service of one run of the core, or of one replay."""
    triage = config.triage

    def signals_of(answers: LayaAnswers) -> Signals:
        return read_signals(
            questions,
            answers.answers,
            confidence_field=triage.confidence_field,
            escalate_threshold=triage.escalate_threshold,
            choice_min_confidence=triage.choice_min_confidence,
            input_tokens=answers.input_tokens,
            unsure=answers.unsure,
        )

    return TriageService(
        TriageSettings(
            window=triage.window,
            state_char_budget=triage.state_char_budget,
            periodic_s=triage.periodic_s,
            extract_enabled=triage.extract_enabled,
            gate_enabled=triage.brief_gate_enabled,
            gate_threshold=triage.brief_gate_threshold,
            pending_char_budget=triage.brief_pending_char_budget,
        ),
        questions=questions,
        read_signals=signals_of,
        new_engine=lambda: build_brief_engine(config),
        decider=decider,
        writer=writer,
        sink=sink,
        wall=wall,
    )


def build_brief_engine(config: Config) -> BriefEngine:
    """An empty brief with an empty ledger."""
    triage = config.triage
    return BriefEngine(
        BriefSettings(
            system_prompt=config.llm.triage_system_prompt,
            max_tokens=triage.extract_max_tokens,
            timeout_s=triage.extract_timeout_s,
            temperature=triage.extract_temperature,
            slot_id=triage.brief_slot_id,
            max_chars=triage.brief_max_chars,
        ),
        FactLedger(triage.ledger_max_facts, triage.fact_max_chars),
    )


def laya_job(questions: QuestionSet, job: Pass) -> LayaJob:
    """A pass as the classifier's lane takes it."""
    return LayaJob(job.lines, questions.asked, job.language, job.generation)


@dataclass(frozen=True)
class LayaAnswered:
    """What became of a pass. Posted by the lane, so that it is not taken for the other lane's."""

    outcome: Outcome[LayaJob, LayaAnswers]


def read_saved(folder: Path) -> tuple[list[dict[str, Any]], str]:
    """The lines of a session's ledger, and the brief that was kept of it. Raises SessionError."""
    return read_ledger(folder / LEDGER_FILE), read_brief(folder)


def write_troubleshooting(record: Mapping[str, Any]) -> None:
    """Write a record of `dump_io` below the working directory. Raises SessionError."""
    write_dump(DUMPS, record)


@dataclass(frozen=True)
class TriageParts:
    """The parts triage is made of; a test replaces one."""

    lane: Callable[..., LayaLane] = build_laya_lane
    read_saved: Callable[[Path], tuple[list[dict[str, Any]], str]] = read_saved
    write_dump: Callable[[Mapping[str, Any]], None] = write_troubleshooting
