"""The assistant core: one loop that reads messages, keeps turns and publishes what follows from them.

It never waits for a tick: a message wakes it at once, and without one it looks up every 0.1 s. One thread;
it alone touches its state.
"""

from __future__ import annotations

import logging
import queue
from pathlib import Path

from stt_daemon.apps.assistant.control import UnknownCommandError, request_of
from stt_daemon.apps.assistant.turns import TurnDetector
from stt_daemon.channels import ChildContext, PeerClosed
from stt_daemon.config import Config
from stt_daemon.domain import Utterance
from stt_daemon.messages import (
    CaptureChanged,
    ChildReady,
    ChildStopped,
    ControlReceived,
    GapMarked,
    Heartbeat,
    LagChanged,
    SessionChanged,
    SourceAdvanced,
    SpeechChanged,
    StopRequested,
    TranscriptMissed,
    TurnEnded,
    UtteranceFinished,
    Warned,
)
from stt_daemon.sessions import read_transcript
from stt_daemon.sessions.follower import TranscriptFollower

log = logging.getLogger(__name__)

TICK_S = 0.1
HEARTBEAT_S = 1.0


def run(context: ChildContext) -> int:
    """Run until asked to stop or the supervisor is gone. Returns the exit code."""
    return Core(context).run()


class Core:
    """The loop and its state."""

    def __init__(self, context: ChildContext) -> None:
        self._inbox = context.inbox
        self._publish = context.outbox.publish
        self._clock = context.clock
        self._name = context.name
        config = Config.from_wire(context.configured.config)
        self._turns = TurnDetector(config.assistant.turn_gap_s)
        self._transcript = Path(context.configured.session_dir) / "transcript.jsonl"
        self._follower = self._follow()
        if context.configured.resumed or context.configured.attempt > 1:
            self._follower.catch_up()
        self._running = True
        self._last_beat = float("-inf")

    def run(self) -> int:
        self._publish(ChildReady(name=self._name))
        while self._running:
            self._beat()
            try:
                item = self._inbox.get(timeout=TICK_S)
            except queue.Empty:
                continue
            self._receive(item)
            self._publish_turns()
        self._turns.source_stopped()
        self._publish_turns()
        self._publish(ChildStopped(name=self._name))
        return 0

    def _receive(self, item: object) -> None:
        match item:
            case UtteranceFinished() | GapMarked() | TranscriptMissed():
                for line in self._follower.receive(item):
                    if isinstance(line, Utterance):
                        self._turns.utterance(line)
            case SpeechChanged(state="start"):
                self._turns.speech_started(item.t)
            case SpeechChanged():
                self._turns.speech_ended(item.t)
            case SourceAdvanced():
                self._turns.time_passed(item.t)
            case LagChanged():
                self._turns.transcription_waits(item.seconds > 0)
            case CaptureChanged(state="lost" | "paused" | "ended" | "muted"):
                self._turns.source_stopped()
            case SessionChanged():
                self._change_session(item)
            case ControlReceived():
                self._control(item.line)
            case StopRequested():
                self._running = False
            case PeerClosed():
                log.warning("the supervisor is gone: %s", item.reason)
                self._running = False
            case _:
                log.debug("nothing to do for %s", type(item).__name__)

    def _control(self, line: str) -> None:
        try:
            self._publish(request_of(line))
        except UnknownCommandError as error:
            self._publish(Warned(where="control", code="unknown_command", message=str(error)))

    def _change_session(self, change: SessionChanged) -> None:
        path = Path(change.dir) / "transcript.jsonl"
        if change.state == "closed" or path == self._transcript:
            return
        self._turns.source_stopped()
        self._publish_turns()
        self._turns.clear()
        self._transcript = path
        self._follower = self._follow()

    def _follow(self) -> TranscriptFollower:
        path = self._transcript
        return TranscriptFollower(lambda from_seq: read_transcript(path, from_seq))

    def _publish_turns(self) -> None:
        for turn in self._turns.settled():
            self._publish(TurnEnded(utterances=turn.utterances))

    def _beat(self) -> None:
        now = self._clock.monotonic()
        if now - self._last_beat >= HEARTBEAT_S:
            self._last_beat = now
            self._publish(Heartbeat(name=self._name))
