"""Triage itself: when to classify, what to do with the answer, and that no word is read twice or forgotten.

Owns the window, the pending deltas, the token of the one brief update that may be under way, the generation,
and through the brief engine the ledger. Driven by one thread, which calls it with what happened; jobs leave
through ports, and what became of each comes back as one call. It starts no thread and waits for nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stt_daemon.domain import Utterance
from stt_daemon.domain.text import one_line, plain
from stt_daemon.messages import CoverageChanged, FactChanged, TriageChanged, TriageStage
from stt_daemon.triage.brief_engine import BriefAccepted, BriefEngine, BriefRequest
from stt_daemon.triage.buffer import Pending, PendingDeltas
from stt_daemon.triage.coverage import Coverage, Line
from stt_daemon.triage.evidence import Delta
from stt_daemon.triage.focus import focus_lines
from stt_daemon.triage.gate import GATE_QUESTION, gate_passes
from stt_daemon.triage.passes import Passes
from stt_daemon.triage.ports import BriefJob, BriefWriter, Decider, Pass, Sink, TriageSettings
from stt_daemon.triage.questions import QuestionSet
from stt_daemon.triage.recent import RecentEntries
from stt_daemon.triage.reply import Unusable, parse_reply
from stt_daemon.triage.rhythm import Rhythm
from stt_daemon.triage.signals import Signals
from stt_daemon.triage.window import Entry, state_lines

log = logging.getLogger(__name__)

FAILURES = 3
"""After so many failed updates a delta is set aside: what no model can digest must not hold up the rest."""

LOGGED_CHARS = 2000
"""So much of a reply that cannot be used is kept in the log."""


@dataclass(frozen=True)
class _Flight:
    """The update under way: what it reads, what it offers again, and what it belongs to."""

    job: BriefJob
    deltas: tuple[Pending, ...]
    offered: tuple[Delta, ...]
    generation: int


class TriageService:
    """See the module. `wall` gives epoch seconds; `new_engine` makes the brief of a new session."""

    # A delta is in `_pending`, or in `_flight`, or was read, dropped for room, cleared or set aside.
    # `_owed`: an update was wanted and refused because one was under way.
    # `_judged`: up to this entry the gate has found nothing new.

    def __init__(
        self,
        settings: TriageSettings,
        *,
        questions: QuestionSet,
        read_signals: Callable[[Any], Signals],
        new_engine: Callable[[], BriefEngine],
        decider: Decider,
        writer: BriefWriter,
        sink: Sink,
        wall: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._questions = questions
        self._read_signals = read_signals
        self._new_engine = new_engine
        self._decider = decider
        self._writer = writer
        self._sink = sink
        self._wall = wall

        self._generation = 0
        self._recent = RecentEntries(settings.window)
        self._pending = PendingDeltas(settings.pending_char_budget)
        self._rhythm = Rhythm(settings.periodic_s)
        self._flight: _Flight | None = None
        self._passes = Passes(self._begin_pass)
        self._last_ts = 0.0
        self._language = ""
        self._begin_session()

    def _begin_session(self) -> None:
        self._engine = self._new_engine()
        self._coverage = Coverage()
        self._newest_utterance = ""
        self._now = 0.0
        self._forget()

    def _forget(self) -> None:
        """The part of the state that a clear and a new session take away alike."""
        self._generation += 1
        self._recent.clear()
        self._pending.clear()
        self._passes.drop_waiting()
        self._rhythm.rest()
        self._signals: Signals | None = None
        self._offers: tuple[Delta, ...] = ()
        self._passed = self._recent.newest
        self._judged = self._recent.newest
        self._owed = False

    @property
    def coverage(self) -> CoverageChanged:
        """How far the brief has come."""
        flight = self._flight
        is_live = flight is not None and flight.generation == self._generation
        return CoverageChanged(
            through=self._coverage.through,
            pending=len(self._pending) + (len(flight.deltas) if flight is not None and is_live else 0),
            set_aside=self._coverage.set_aside,
            uncovered=self._coverage.uncovered,
            unread_facts=self._coverage.unread_facts,
        )

    # What was said

    def heard(self, utterance: Utterance) -> None:
        """A new line of the transcript."""
        self._advance(utterance.t0)
        self._no_room_for(self._note(utterance))
        self._rhythm.heard(self._now)

    def chat(self, speaker: str, text: str, *, complete: bool) -> None:
        """A part of the chat, labelled; a `complete` turn is classified at once."""
        words = " ".join(plain(text).split())
        if not words:
            return
        self._no_room_for(self._add(Delta("", speaker, words, self._now, self._now)))
        if complete:
            self._classify(self._recent.newest)

    def turn_settled(self, last: str) -> None:
        """A turn has ended with the utterance `last`. What was said after it waits for its own turn."""
        number = self._recent.number_of(last)
        if number is not None:
            self._classify(number)

    def time_passed(self, t: float | None) -> None:
        """The source has been read up to session second `t`; None while what was read is not yet text."""
        self._advance(self._now if t is None else t)

    # What the classifier answered

    def answered(self, done: Pass, answers: Any) -> tuple[float, BriefJob | None]:
        """Its answers, as the function `read_signals` reads them. Returns the time of the triage (0: it was
        stale), and the update that it led to at once."""
        self._passes.ended(done)
        if done.generation != self._generation:
            return 0.0, None
        signals = self._signals = self._read_signals(answers)
        ts = self._stamp()
        self._publish("signals", ts)
        gate = gate_passes(
            signals.p(GATE_QUESTION),
            enabled=self._settings.gate_enabled,
            threshold=self._settings.gate_threshold,
        )
        if not gate:
            self._judged = max(self._judged, done.number)
        return ts, self._update(ts, signals) if gate else None

    def undecided(self, done: Pass) -> tuple[float, BriefJob | None]:
        """It failed: the brief is asked for all the same, without hints. Returns as `answered` does."""
        self._passes.ended(done)
        if done.generation != self._generation:
            return 0.0, None
        ts = self._stamp()
        return ts, self._update(ts, None)

    def let_go(self, done: Pass) -> None:
        """The lane gave it up before it was classified."""
        self._passes.ended(done)

    # What the language model answered

    def replied(self, job: BriefJob, text: str, finish_reason: str) -> BriefJob | None:
        """The reply to an update. Returns the next update, when one follows at once."""
        flight = self._land(job)
        if flight is None:
            return self._after_stale()
        deltas = [pending.delta for pending in flight.deltas]
        result = self._engine.accept(text, finish_reason, deltas, flight.offered)
        if not isinstance(result, BriefAccepted):
            log.info("the reply was: %s", one_line(text[:LOGGED_CHARS]))
            self._not_updated(flight, result.reason)
            return None
        self._accepted(flight, result)
        return self._update(self._stamp(), self._signals) if self._more_to_read() else None

    def reask(self, request: BriefRequest, reply: str, finish_reason: str) -> BriefRequest | None:
        """The request that restates the form; None when the reply has it. May be called in any thread."""
        parsed = parse_reply(reply, cut=finish_reason == "length")
        return self._engine.reask(request, reply) if isinstance(parsed, Unusable) else None

    def failed(self, job: BriefJob, reason: str, *, counts: bool = True) -> BriefJob | None:
        """No reply. With `counts` false it had nothing to do with what was asked: nobody was there."""
        flight = self._land(job)
        if flight is None:
            return self._after_stale()
        self._not_updated(flight, reason, counts=counts)
        return None

    def given_up(self, job: BriefJob) -> BriefJob | None:
        """The lane let go of it before its end."""
        flight = self._land(job)
        if flight is None:
            return self._after_stale()
        self._offers = flight.offered
        self._wait_again(flight.deltas)
        self._tell_coverage()
        return None

    # Beginning anew

    def clear(self) -> None:
        """Empty the panel, the window, the brief and the ledger."""
        self._drop_jobs()
        self._forget()
        line = {**self._engine.clear(), "through": self._newest_utterance}
        self._coverage.cleared(self._newest_utterance)
        self._sink.record([line])
        self._sink.snapshot("")
        self._sink.publish(FactChanged(op="clear"))
        self._publish("cleared", self._stamp())
        self._tell_coverage()

    def new_session(self) -> None:
        """Everything begins fresh; what the session before has on disk stays."""
        self._drop_jobs()
        self._begin_session()
        self._publish("cleared", self._stamp())
        self._tell_coverage()

    def restore(
        self, lines: Sequence[Mapping[str, Any]], utterances: Iterable[Utterance], brief: str
    ) -> None:
        """Take up a session: its ledger's lines, its transcript, and the brief that was kept of it."""
        self._coverage.restore(lines)
        # A brief without an update behind the last clear is one that the clear did not come to empty.
        self._engine.restore(lines, brief if self._coverage.through else "")
        self._no_room_for([gone for utterance in utterances for gone in self._note(utterance)])
        if not len(self._pending):
            self._passed = self._recent.newest
        self._judged = 0
        if self._engine.shown:
            self._publish("content", self._stamp())
        self._tell_coverage()

    # Inside

    def _note(self, utterance: Utterance) -> list[Pending]:
        """Take in a line; what had to leave the pending buffer for it."""
        self._now = max(self._now, utterance.t1)
        self._newest_utterance = utterance.id
        self._language = utterance.language or self._language
        if self._coverage.is_before_clear(utterance.id):
            return []
        speaker, text = plain(utterance.speaker), plain(utterance.text)
        return self._add(Delta(utterance.id, speaker, text, utterance.t0, utterance.t1))

    def _add(self, delta: Delta) -> list[Pending]:
        number = self._recent.add(Entry(delta.id, delta.speaker, delta.text, delta.t0, delta.t1))
        if not self._settings.extract_enabled or (delta.id and self._coverage.is_settled(delta.id)):
            return []
        return self._pending.add(Pending(delta, number))

    def _advance(self, t: float) -> None:
        self._now = max(self._now, t)
        if self._rhythm.due(self._now) and not self._classify(self._recent.newest):
            self._rhythm.rest()

    def _classify(self, number: int) -> bool:
        """Have the window that ends with this entry classified, unless it has been."""
        if number <= self._passed:
            return False
        if not self._passes.want(number):
            return False
        self._passed = number
        self._rhythm.begin(self._now)
        self._tell_coverage()
        return True

    def _begin_pass(self, number: int) -> Pass | None:
        lines = state_lines(self._recent.until(number), budget=self._settings.state_char_budget)
        job = Pass(tuple(lines), number, self._language, self._generation)
        return job if lines and self._decider.submit(job) else None

    def _update(self, ts: float, signals: Signals | None) -> BriefJob | None:
        """Have everything that is pending read, unless an update is under way or there is no room."""
        if not self._settings.extract_enabled or not len(self._pending):
            return None
        if self._flight is not None:
            self._owed = True
            return None
        deltas = self._pending.take()
        job = BriefJob(
            ts,
            self._engine.request(
                [pending.delta for pending in deltas],
                focus_lines(self._questions, signals) if signals else (),
                self._offers,
                context_tokens=self._writer.context_tokens,
            ),
        )
        if not self._writer.submit_if_room(job):
            self._wait_again(deltas)
            return None
        self._owed = False
        self._coverage.unread_facts = job.request.left_out
        self._flight = _Flight(job, deltas, self._offers, self._generation)
        self._offers = ()
        return job

    def _land(self, job: BriefJob) -> _Flight | None:
        """The flight that came to its end; None when what it was for has been cleared."""
        flight, self._flight = self._flight, None
        assert flight is not None, "an update ended twice"
        assert flight.job is job, "another update ended than the one under way"
        return flight if flight.generation == self._generation else None

    def _after_stale(self) -> BriefJob | None:
        return self._update(self._stamp(), self._signals) if self._owed else None

    def _more_to_read(self) -> bool:
        return self._owed or self._pending.newest > self._judged

    def _accepted(self, flight: _Flight, accepted: BriefAccepted) -> None:
        self._offers = accepted.missed
        self._coverage.covered(accepted.covered)
        lines: list[Line] = [
            *accepted.lines,
            *self._coverage.read(pending.delta.id for pending in flight.deltas),
            *self._coverage.left_uncovered([line.id for line in accepted.missed]),
        ]
        self._sink.record(lines)
        for line in accepted.lines:
            self._sink.publish(FactChanged(**line))
        self._sink.snapshot(self._engine.rendered)
        self._publish("content", flight.job.ts)
        self._tell_coverage()

    def _not_updated(self, flight: _Flight, reason: str, *, counts: bool = True) -> None:
        log.info("no brief: %s", reason)
        tried = [replace(one, failures=one.failures + 1) if counts else one for one in flight.deltas]
        hopeless = [one for one in tried if one.failures >= FAILURES]
        self._offers = flight.offered if not hopeless else ()
        self._wait_again(one for one in tried if one.failures < FAILURES)
        if hopeless:
            log.warning("%d lines are set aside: %d updates of the brief failed", len(hopeless), FAILURES)
            self._sink.record(self._coverage.put_aside(one.delta.id for one in hopeless))
        self._sink.trouble("no_brief", reason)
        self._tell_coverage()

    def _wait_again(self, deltas: Iterable[Pending]) -> None:
        self._no_room_for(self._pending.put_back(deltas))

    def _no_room_for(self, gone: Sequence[Pending]) -> None:
        if gone:
            log.info("%d lines left the pending buffer unread: it is full", len(gone))
            self._sink.record(self._coverage.left_uncovered(one.delta.id for one in gone))

    def _drop_jobs(self) -> None:
        self._decider.drop()
        if self._flight is not None:
            self._writer.cancel(self._flight.job)

    def _stamp(self) -> float:
        """Now, and later than every time given before, whatever the clock did."""
        self._last_ts = max(round(self._wall(), 3), round(self._last_ts + 0.001, 3))
        return self._last_ts

    def _publish(self, stage: TriageStage, ts: float) -> None:
        signals = self._signals if stage != "cleared" else None
        self._sink.publish(
            TriageChanged(
                stage=stage,
                ts=ts,
                order=tuple(signals.order) if signals else (),
                items=tuple(signals.items) if signals else (),
                escalated=signals.escalated if signals else False,
                input_tokens=signals.input_tokens if signals else 0,
                brief=self._engine.shown if stage == "content" else "",
            )
        )

    def _tell_coverage(self) -> None:
        self._sink.publish(self.coverage)
