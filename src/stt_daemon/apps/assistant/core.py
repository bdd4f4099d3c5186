"""The assistant core: one loop that reads messages, keeps the state, gives work to the lane, and publishes.

It never waits for a tick: a message wakes it at once, and without one it looks up every 0.1 s. Nothing in it
waits for a disk, a server or a program; what does has a thread of its own and answers through the inbox.
"""

from __future__ import annotations

import logging
import queue
from pathlib import Path

from stt_daemon.apps.assistant.chat import ChatDesk
from stt_daemon.apps.assistant.chat_job import ChatSettings, Piece, PlanMade
from stt_daemon.apps.assistant.command_flow import CommandFlow, conversation_records
from stt_daemon.apps.assistant.effects import Effects
from stt_daemon.apps.assistant.files import Archive, PastDesk
from stt_daemon.apps.assistant.heard import Heard
from stt_daemon.apps.assistant.inference import Inference
from stt_daemon.apps.assistant.modes import Modes
from stt_daemon.apps.assistant.side import SideAnswer, SideThread
from stt_daemon.apps.assistant.triage import build_desk
from stt_daemon.apps.assistant.turns import TurnDetector
from stt_daemon.apps.assistant.user_commands import ProgramEnded, Programs
from stt_daemon.channels import ChildContext, PeerClosed
from stt_daemon.config import Config
from stt_daemon.domain import Gap, Utterance
from stt_daemon.errors import ErrorRecord, SessionError
from stt_daemon.lanes.outcomes import Cancelled, Done, Failed, Refused
from stt_daemon.messages import (
    CaptureChanged,
    ChildChanged,
    ChildReady,
    ChildStopped,
    ControlReceived,
    GapMarked,
    Heartbeat,
    LagChanged,
    LaneChanged,
    SessionChanged,
    SourceAdvanced,
    SourceDrained,
    SpeechChanged,
    StopRequested,
    TranscriptMissed,
    TurnEnded,
    UtteranceFinished,
    Warned,
)
from stt_daemon.sessions import iso_local, read_transcript
from stt_daemon.wiring.assistant import AssistantParts
from stt_daemon.wiring.laya import LayaWarning
from stt_daemon.wiring.llm import (
    LlmProgress,
    LlmWarning,
    build_commands,
    build_conversation,
    hidden_variables,
    mode_phrases,
)
from stt_daemon.wiring.triage import LayaAnswered

log = logging.getLogger(__name__)

TICK_S = 0.1
HEARTBEAT_S = 1.0
JOIN_S = 0.5
"""How long a thread that was told to end is waited for; a call to a server that hangs is not."""


def run(context: ChildContext) -> int:
    """Run until asked to stop or the supervisor is gone. Returns the exit code."""
    return Core(context, AssistantParts()).run()


class Core:
    """The loop and its state. Raises ConfigError when the user's commands cannot be used."""

    def __init__(self, context: ChildContext, parts: AssistantParts) -> None:
        configured = context.configured
        self._inbox = context.inbox
        self._publish = publish = context.outbox.publish
        self._clock = clock = context.clock
        self._name = context.name
        self._again = configured.resumed or configured.attempt > 1
        self._config = config = Config.from_wire(configured.config)
        self._folder = folder = Path(configured.session_dir)
        post = self._inbox.put

        self._writer = SideThread("core-writer", post)
        self._reader = SideThread("core-reader", post)
        self._turns = TurnDetector(config.assistant.turn_gap_s)
        self._heard = self._new_heard(configured.session_id)
        self._modes = Modes(
            publish,
            send_transcripts=config.assistant.send_transcripts,
            send_to_triage=config.assistant.send_to_triage,
        )
        self._archive = Archive(folder, parts.session_files, self._writer, publish=publish, clock=clock)
        self._past = PastDesk(lambda: parts.library(folder.parent), self._reader, publish)
        self._past.folder = folder
        self._programs = Programs(post, clock, hidden=hidden_variables(config))
        self._inference = Inference(parts.llm_lane(config, post, clock), publish, clock)
        self._conversation = build_conversation(config, configured.session_id)
        self._read_chat = parts.read_chat
        self._triage = triage = build_desk(
            config,
            parts.triage,
            inference=self._inference,
            modes=self._modes,
            archive=self._archive,
            publish=publish,
            post=post,
            clock=clock,
            offline=configured.offline,
        )
        chat = ChatDesk(
            self._conversation,
            self._inference,
            publish=publish,
            post=post,
            save=self._archive.save,
            search=self._past.search,
            settings=_chat_settings(config),
            clock=clock,
            overheard=triage.overheard,
        )
        self._chat = chat
        commands = build_commands(config)
        effects = Effects(
            commands=commands,
            modes=self._modes,
            chat=chat,
            heard=lambda: self._heard,
            past=self._past,
            programs=self._programs,
            mark=self._archive.mark,
            clear=triage.clear,
            publish=publish,
        )
        self._flow = CommandFlow(
            commands,
            mode_phrases(config),
            modes=self._modes,
            chat=chat,
            effects=effects,
            inference=self._inference,
            heard=lambda: self._heard,
            publish=publish,
            save=self._archive.save,
            clock=clock,
        )
        self._lag_s = 0.0
        self._stop_by: float | None = None
        self._orphaned = False
        self._drained = False
        self._told_drained = False
        self._last_beat = float("-inf")

    def run(self) -> int:
        self._take_up()
        self._inference.start()
        self._triage.start()
        self._publish(ChildReady(name=self._name))
        self._modes.announce()
        while not self._is_over():
            self._beat()
            try:
                item = self._inbox.get(timeout=TICK_S)
            except queue.Empty:
                item = None
            self.handle(item)
        return self._finish()

    def handle(self, item: object | None) -> None:
        """One turn of the loop: what came in, if anything, and what time has brought."""
        if item is not None:
            self._receive(item)
        self._publish_turns()
        self._triage.time_passed(None if self._waits else self._heard.now_t)
        self._flow.time_passed(self._clock.monotonic())
        self._close_inference(drain=True)
        if self._drained and not self._told_drained and self._nothing_is_at_work():
            self._told_drained = True
            self._publish(SourceDrained())

    # What comes in

    def _receive(self, item: object) -> None:
        match item:
            case UtteranceFinished() | GapMarked() | TranscriptMissed():
                self._take_lines(self._heard.receive(item))
            case SpeechChanged(state="start"):
                self._turns.speech_started(item.t)
            case SpeechChanged():
                self._turns.speech_ended(item.t)
            case SourceAdvanced():
                self._heard.time_passed(item.t)
                self._turns.time_passed(item.t)
            case LagChanged():
                self._lag_s = item.seconds
            case CaptureChanged(state="lost" | "paused" | "ended" | "muted"):
                self._turns.source_stopped()
            case SessionChanged():
                self._change_session(item)
            case ControlReceived():
                self._flow.typed(item.line)
            case SourceDrained():
                self._drained, self._told_drained = True, False
            case ChildChanged(name="transcription", state="draining"):
                self._chat.close()
            case StopRequested():
                self._stop(item.grace_s)
            case PeerClosed():
                log.warning("the supervisor is gone: %s", item.reason)
                self._orphaned = True
            case _:
                self._receive_answer(item)

    def _receive_answer(self, item: object) -> None:
        """What the core's own parts post."""
        match item:
            case Done() | Failed() | Refused() | Cancelled():
                self._inference.receive(item)
            case LaneChanged(name="llm"):
                self._inference.lane_changed(item)
            case LayaAnswered(outcome=outcome):
                self._triage.receive(outcome)
            case LaneChanged(name="laya"):
                self._triage.lane_changed(item)
            case LlmProgress(text=text):
                self._inference.progress(text)
            case PlanMade():
                self._chat.plan_made(item)
            case Piece():
                self._chat.piece(item)
            case SideAnswer(call=call):
                call()
            case ProgramEnded():
                self._programs.ended(item)
            case LlmWarning(warning=warning) | LayaWarning(warning=warning):
                self._publish(warning)
            case _:
                log.debug("nothing to do for %s", type(item).__name__)

    def _take_lines(self, lines: list[Utterance]) -> None:
        for line in lines:
            self._turns.utterance(line)
            self._triage.heard(line)

    @property
    def _waits(self) -> bool:
        """Whether recorded speech is still on its way to becoming known text."""
        return self._lag_s > 0 or self._heard.is_behind

    def _publish_turns(self) -> None:
        self._turns.transcription_waits(self._waits)
        for turn in self._turns.settled():
            self._publish(TurnEnded(utterances=turn.utterances))
            self._flow.spoken(self._heard.text(turn.utterances), turn.t0)
            self._triage.settled(turn)

    # Sessions

    def _take_up(self) -> None:
        """Before the loop runs: read what a predecessor, or an earlier run of the session, has left."""
        if not self._again:
            return
        try:
            self._heard.take_up(read_transcript(self._folder / "transcript.jsonl"))
            self._triage.take_up(self._folder, self._heard.lines())
            records = conversation_records(self._read_chat(self._folder))
        except SessionError as error:
            log.warning("the session cannot be read: %s", error)
            self._publish(Warned(where="session", code=error.code, message=ErrorRecord.of(error).line()))
            return
        restored = self._conversation.restore(records, wall=iso_local(self._clock.wall()))
        if restored.skipped:
            message = f"{restored.skipped} lines of chat.jsonl cannot be used"
            self._publish(Warned(where="session", code="repaired", message=message))
        self._chat.take_up(restored)

    def _change_session(self, change: SessionChanged) -> None:
        folder = Path(change.dir)
        if change.state == "closed" or folder == self._folder:
            return
        self._turns.source_stopped()
        self._publish_turns()
        self._turns.clear()
        self._folder = self._past.folder = folder
        self._heard = self._new_heard(change.id)
        self._archive.change_folder(folder)
        self._triage.new_session()
        self._archive.save(self._conversation.change_session(change.id, wall=iso_local(self._clock.wall())))

    def _new_heard(self, session: str) -> Heard:
        path = self._folder / "transcript.jsonl"

        def read(from_seq: int) -> None:
            def take(lines: list[Utterance | Gap]) -> None:
                found = heard.caught_up(lines)
                if heard is self._heard:
                    self._take_lines(found)

            def failed(error: ErrorRecord) -> None:
                self._publish(Warned(where="session", code=error.code, message=error.line()))
                take([])

            self._reader.submit(lambda: list(read_transcript(path, from_seq)), take, failed)

        heard = Heard(session, read)
        return heard

    # Time and the end

    def _beat(self) -> None:
        now = self._clock.monotonic()
        if now - self._last_beat >= HEARTBEAT_S:
            self._last_beat = now
            busy_s = {"llm": self._inference.busy_s, **self._triage.busy_s}
            self._publish(Heartbeat(name=self._name, busy_s=busy_s))

    def _nothing_is_at_work(self) -> bool:
        return (
            self._inference.idle
            and self._triage.idle
            and self._reader.idle
            and self._writer.idle
            and not self._programs.running
            and self._inbox.empty()
        )

    def _stop(self, grace_s: float) -> None:
        """Let the lane finish what it has until the grace is over; a later call can only shorten it."""
        deadline = self._clock.monotonic() + grace_s
        self._stop_by = deadline if self._stop_by is None else min(deadline, self._stop_by)
        self._turns.source_stopped()
        self._publish_turns()
        self._chat.close()
        self._triage.stop(drain=grace_s > 0, deadline=self._stop_by)
        self._close_inference(drain=grace_s > 0)

    def _close_inference(self, *, drain: bool) -> None:
        """Take no more for the model, but for the brief that a classification under way may lead to."""
        if self._stop_by is not None and (self._triage.idle or not drain):
            self._inference.stop(drain=drain, deadline=self._stop_by)

    def _is_over(self) -> bool:
        if self._orphaned:
            return True
        if self._stop_by is None:
            return False
        return self._nothing_is_at_work() or self._clock.monotonic() >= self._stop_by

    def _finish(self) -> int:
        """End the parts; every waiting question is answered, if only with the fact that no reply came."""
        self._triage.stop(drain=False)
        self._inference.stop(drain=False)
        self._inference.join(JOIN_S)
        self._triage.join(JOIN_S)
        self._programs.finish(JOIN_S)
        self._handle_rest()
        self._archive.close()
        if not self._writer.finish(2 * JOIN_S):
            log.error("not everything could be written: the disk does not answer")
        self._reader.finish(0.0)
        self._handle_rest()
        self._publish(ChildStopped(name=self._name))
        return 0

    def _handle_rest(self) -> None:
        while True:
            try:
                item = self._inbox.get_nowait()
            except queue.Empty:
                return
            self._receive_answer(item)


def _chat_settings(config: Config) -> ChatSettings:
    llm = config.llm
    return ChatSettings(llm.temperature, llm.max_tokens, llm.timeout_s, llm.chat_slot_id)
