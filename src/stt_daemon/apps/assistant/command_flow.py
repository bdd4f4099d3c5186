"""From a typed line or a settled turn to a command's effect, and what the user is told on the way.

Owned by the loop. Phrases that change the mode are looked for first; what is left of the turn belongs to the
mode it was said in. Speech becomes a command in command mode only, and only the commands room decides what it
means: a model may propose an entry of the registry, and is believed after its checks.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

from stt_daemon.apps.assistant.chat import ChatDesk, Save
from stt_daemon.apps.assistant.effects import Effects
from stt_daemon.apps.assistant.heard import Heard
from stt_daemon.apps.assistant.inference import Inference, Job, TextGenerator, Waiting
from stt_daemon.apps.assistant.modes import ANSWER_WITHIN_S, Modes
from stt_daemon.commands import (
    Ask,
    ChoiceRequest,
    Commands,
    ModePhrases,
    NeedsConfirmation,
    Outcome,
    Refused,
    Run,
    Unmatched,
    mode_change,
)
from stt_daemon.domain import Clock
from stt_daemon.domain.text import plain
from stt_daemon.llm import ChatMessage, ChatRequest
from stt_daemon.messages import CommandChanged, CommandState, Message
from stt_daemon.sessions import iso_local

log = logging.getLogger(__name__)

CHOICE_TIMEOUT_S = ANSWER_WITHIN_S
"""A command chosen later than this would surprise: what was meant by it is over."""


class CommandFlow:
    """Takes lines and turns; see the module."""

    def __init__(
        self,
        commands: Commands,
        phrases: ModePhrases,
        *,
        modes: Modes,
        chat: ChatDesk,
        effects: Effects,
        inference: Inference,
        heard: Callable[[], Heard],
        publish: Callable[[Message], None],
        save: Save,
        clock: Clock,
    ) -> None:
        self._commands = commands
        self._phrases = phrases
        self._modes = modes
        self._chat = chat
        self._effects = effects
        self._inference = inference
        self._heard = heard
        self._publish = publish
        self._save = save
        self._clock = clock
        self._proposed: Run | None = None
        self._choosing: Job | None = None
        self._said_at: float | None = None
        self._proposed_at: float | None = None

    def typed(self, line: str) -> None:
        """A line of the keyboard or of `--control`: a command if it starts with "/", else a message."""
        line = line.strip()
        self._said_at = None
        if line.startswith("/"):
            self._follow(self._commands.typed(line, self._clock.monotonic()))
        elif line:
            self._chat.ask(plain(line), self._heard())

    def spoken(self, text: str, t0: float) -> None:
        """A settled turn that began at `t0` (session seconds)."""
        self._said_at = t0
        while (change := mode_change(text, self._phrases)) is not None:
            if change.before:
                self._in_mode(change.before)
            self._modes.change(change.mode, f"said: {change.phrase}")
            text = change.after
        if text:
            self._in_mode(text)

    def time_passed(self, now: float) -> None:
        """Let go of a proposal that nobody confirmed in time, and of a question nobody answered."""
        if self._proposed is not None and self._commands.waiting(now) is None:
            run, self._proposed = self._proposed, None
            self._tell(run.command, "refused", "nobody confirmed it in time", run.plain_args())
        self._modes.time_passed(now)

    def _in_mode(self, text: str) -> None:
        if self._modes.mode == "command":
            outcome = self._commands.spoken(text, self._clock.monotonic())
            if isinstance(outcome, Unmatched):
                self._ask_model(text)
            else:
                self._follow(outcome)
        elif self._modes.mode == "chat" and self._modes.send_transcripts:
            self._chat.ask(text, self._heard(), spoken=True)

    # Outcomes of the commands room

    def _follow(self, outcome: Outcome) -> None:
        now = self._clock.monotonic()
        self._drop_choice("another command came first")
        match outcome:
            case Run():
                self._proposed = None if outcome.confirmed else self._proposed
                self._run(outcome)
            case NeedsConfirmation(run=run, question=question, replaced=replaced):
                if replaced is not None:
                    self._tell(
                        replaced.command, "refused", "another command took its place", replaced.plain_args()
                    )
                self._proposed, self._proposed_at = run, self._said_at
                self._modes.asked(now)
                self._tell(run.command, "proposed", question, run.plain_args(), keep=False)
            case Ask(question=question, options=options, command=command):
                self._modes.asked(now)
                words = f"{question} {' / '.join(options)}" if options else question
                self._tell(command, "asked", words)
            case Refused(reason=reason, command=command):
                declined = self._proposed
                if self._commands.waiting(now) is None:
                    self._proposed = None
                known = declined is not None and declined.command == command
                args = declined.plain_args() if declined is not None and known else {}
                self._tell(command, "refused", reason, args)
                self._modes.command_over("the command was refused")

    def _run(self, run: Run) -> None:
        args = run.plain_args()
        if run.confirmed:
            self._tell(run.command, "confirmed", "", args, keep=False)
        if run.source != "typed" and run.command not in ("chat", "command", "idle"):
            self._modes.command_over("the command was given")
        self._effects.carry_out(
            run,
            lambda state, reason: self._tell(run.command, state, reason, args, source=run.source),
            t=self._proposed_at if run.confirmed else self._said_at,
        )

    # A model's choice

    def _ask_model(self, text: str) -> None:
        self._drop_choice("another turn came first")
        request = self._commands.choice_request(text)
        asked_at, said_at = self._clock.monotonic(), self._said_at

        def chosen(reply: str) -> None:
            if self._choosing is not job:
                return  # something else was said meanwhile
            self._choosing, self._said_at = None, said_at
            now = self._clock.monotonic()
            if now - asked_at > CHOICE_TIMEOUT_S or self._modes.mode != "command":
                log.info("a choice came too late: %.0f s", now - asked_at)
                self._follow(self._commands.unsure(text))
            else:
                self._follow(self._commands.chosen(text, reply, now))

        def unsure(why: str) -> None:
            if self._choosing is not job:
                return
            self._choosing = None
            ask = self._commands.unsure(text)
            self._follow(Ask(f"{ask.question} (The model could not be asked: {why})", ask.options))

        job = self._choosing = self._inference.submit(
            "command",
            "choose a command",
            lambda engine, stop: _choose(engine, request, stop),
            Waiting(done=chosen, failed=lambda error: unsure(error.line()), given_up=unsure),
        )

    def _drop_choice(self, reason: str) -> None:
        job, self._choosing = self._choosing, None
        if job is not None:
            self._inference.cancel(job, reason)

    def _tell(
        self,
        command: str,
        state: CommandState,
        reason: str,
        args: dict[str, Any] | None = None,
        *,
        keep: bool = True,
        source: str = "",
    ) -> None:
        self._publish(CommandChanged(id=command, state=state, args=args or {}, reason=reason))
        if keep:
            record = {
                "type": RECORD_TYPE,
                "id": command,
                "state": state,
                "args": args or {},
                "reason": reason,
                "source": source,
                "session": self._heard().session,
                "wall": iso_local(self._clock.wall()),
            }
            self._save([record])


RECORD_TYPE = "command"
"""The `type` of a line of chat.jsonl that tells what became of a command; no part of the chat's memory."""


def conversation_records(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of a chat.jsonl that make up the chat's memory."""
    return [record for record in records if record.get("type") != RECORD_TYPE]


def _choose(engine: TextGenerator, request: ChoiceRequest, stop: threading.Event) -> str:
    reply = engine.chat(
        ChatRequest(
            messages=(ChatMessage("system", request.system), ChatMessage("user", request.user)),
            temperature=0.0,
            max_tokens=request.max_tokens,
            timeout_s=CHOICE_TIMEOUT_S,
            purpose="command",
        ),
        cancelled=stop,
    )
    return reply.text
