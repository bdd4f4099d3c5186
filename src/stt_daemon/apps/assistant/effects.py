"""What each command does. Owned by the loop; nothing here waits.

An effect ends at once with a text for the user, or later by telling its `Report`. What a command needs from
the disk is asked of `Past`, whose calls come back through the inbox.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from stt_daemon.apps.assistant.chat import ChatDesk
from stt_daemon.apps.assistant.heard import Heard
from stt_daemon.apps.assistant.modes import Modes
from stt_daemon.apps.assistant.user_commands import ProgramEnded, Programs
from stt_daemon.commands import Commands, Refused, Run
from stt_daemon.conversation import AllSessions, RecentMinutes, Scope, ThisSession, scope_of
from stt_daemon.messages import (
    CommandState,
    Message,
    MuteRequested,
    PauseRequested,
    SessionRequested,
    ShutdownRequested,
)

log = logging.getLogger(__name__)

Report = Callable[[CommandState, str], None]
"""How a command ended ("done", "refused", "failed"), and what the user reads. Called exactly once."""

DEFAULT_FORMAT = "md"


class Found(Protocol):
    """A line or note that a search found; a note has no utterance and no speaker."""

    @property
    def session(self) -> str: ...
    @property
    def utterance(self) -> str: ...
    @property
    def wall(self) -> str: ...
    @property
    def speaker(self) -> str: ...
    @property
    def snippet(self) -> str: ...


class Past(Protocol):
    """Search and export, off the loop; one of the two callbacks is called in the loop."""

    def find(
        self, text: str, then: Callable[[Sequence[Found]], None], failed: Callable[[str], None]
    ) -> None: ...

    def export(self, form: str, then: Callable[[str], None], failed: Callable[[str], None]) -> None: ...


class Effects:
    """Carries out a `Run`."""

    def __init__(
        self,
        *,
        commands: Commands,
        modes: Modes,
        chat: ChatDesk,
        heard: Callable[[], Heard],
        past: Past,
        programs: Programs,
        mark: Callable[[float, str, Report], None],
        clear: Callable[[], str],
        publish: Callable[[Message], None],
    ) -> None:
        self._commands = commands
        self._modes = modes
        self._chat = chat
        self._heard = heard
        self._past = past
        self._programs = programs
        self._mark = mark
        self._clear_panel = clear
        self._publish = publish
        self._at = 0.0
        self._table: dict[str, Callable[[Run, Report], None]] = {
            "chat": self._change_mode,
            "command": self._change_mode,
            "idle": self._change_mode,
            "new": self._new,
            "clear": self._clear,
            "mute": lambda run, report: self._request(MuteRequested(on=True), "muted", report),
            "unmute": lambda run, report: self._request(MuteRequested(on=False), "listening again", report),
            "pause": lambda run, report: self._request(PauseRequested(on=True), "paused", report),
            "resume": lambda run, report: self._request(PauseRequested(on=False), "recording again", report),
            "mark": self._set_mark,
            "note": self._set_mark,
            "find": self._find,
            "export": self._export,
            "summarise": self._summarise,
            "rewind": self._rewind,
            "scope": self._scope,
            "forget": self._forget,
            "triage": self._toggle,
            "transcripts": self._toggle,
            "stop": lambda run, report: self._request(ShutdownRequested(), "stopping", report),
        }

    def carry_out(self, run: Run, report: Report, *, t: float | None = None) -> None:
        """Do it. Only what the registry holds gets here.

        `t` is when it was said (session seconds), which is what a mark means; None: now, it was typed.
        """
        self._at = self._heard().now_t if t is None else t
        effect = self._table.get(run.command)
        if effect is not None:
            effect(run, report)
        else:
            self._run_program(run, report)

    def _request(self, request: Message, result: str, report: Report) -> None:
        self._publish(request)
        report("done", result)

    def _change_mode(self, run: Run, report: Report) -> None:
        mode = run.command
        assert mode in ("chat", "command", "idle")
        self._modes.change(mode, f"/{mode}" if run.source == "typed" else f"said: {mode}")  # type: ignore[arg-type]
        report("done", f"{mode} mode")

    def _new(self, run: Run, report: Report) -> None:
        self._request(SessionRequested(), "a new session begins at the next pause", report)

    def _clear(self, run: Run, report: Report) -> None:
        report("done", self._clear_panel())

    def _set_mark(self, run: Run, report: Report) -> None:
        self._mark(self._at, str(run.args.get("text", "")), report)

    def _find(self, run: Run, report: Report) -> None:
        text = str(run.args["text"])
        session = self._heard().session

        def found(lines: Sequence[Found]) -> None:
            self._chat.remember(f"Find “{text}”.", _cited(lines, session))
            report("done", _listed(lines, session))

        self._past.find(text, found, lambda reason: report("failed", reason))

    def _export(self, run: Run, report: Report) -> None:
        form = str(run.args.get("format", DEFAULT_FORMAT))
        self._past.export(
            form, lambda place: report("done", f"written: {place}"), lambda reason: report("failed", reason)
        )

    def _summarise(self, run: Run, report: Report) -> None:
        minutes = run.args["minutes"]
        assert isinstance(minutes, int)

        def told(trouble: str) -> None:
            report("failed" if trouble else "done", trouble or "the summary is above")

        self._chat.summarise(minutes, self._heard(), told)

    def _rewind(self, run: Run, report: Report) -> None:
        count = run.args["count"]
        assert isinstance(count, int)
        dropped = self._chat.rewind(count)
        if not dropped:
            report("refused", "the chat is empty")
        else:
            report("done", "1 turn taken back" if dropped == 1 else f"{dropped} turns taken back")

    def _forget(self, run: Run, report: Report) -> None:
        held = self._chat.forget()
        report("done", f"the chat is forgotten ({held} {'turn' if held == 1 else 'turns'})")

    def _scope(self, run: Run, report: Report) -> None:
        kind, minutes = str(run.args["kind"]), run.args.get("minutes")
        assert kind in ("minutes", "session", "all")
        scope = scope_of(kind, minutes if isinstance(minutes, int) else None)  # type: ignore[arg-type]
        self._chat.set_scope(scope)
        report("done", f"the chat sees {_named(scope)}")

    def _toggle(self, run: Run, report: Report) -> None:
        on = run.args["state"] == "on"
        name = "send_to_triage" if run.command == "triage" else "send_transcripts"
        self._modes.toggle(name, on)
        what = "the chat goes to triage" if run.command == "triage" else "spoken turns go to the chat"
        report("done", f"{what}: {'on' if on else 'off'}")

    def _run_program(self, run: Run, report: Report) -> None:
        argv = self._commands.argv(run)
        command = self._commands.registry.get(run.command)
        if isinstance(argv, Refused) or command is None or command.program is None:
            report("refused", argv.reason if isinstance(argv, Refused) else "there is no such command")
            return

        def told(end: ProgramEnded) -> None:
            if end.code == 0:
                self._chat.remember(f"Run “{run.command}”.", "It ran.")
                report("done", end.output or "it ran")
                return
            why = end.reason or f"exit code {end.code}"
            report("failed", f"{why}\n{end.output}" if end.output else why)

        refused = self._programs.run(argv, command.program.timeout_s, told)
        if refused:
            report("refused", refused)


def _name(line: Found, session: str) -> str:
    name = line.utterance or "note"
    return name if line.session == session else f"{line.session}:{name}"


def _words(line: Found) -> str:
    return f"{line.speaker}: {line.snippet}" if line.speaker else line.snippet


def _listed(lines: Sequence[Found], session: str) -> str:
    if not lines:
        return "nothing was found"
    rows = [f"[{_name(line, session)}] {line.wall[11:19]} {_words(line)}" for line in lines]
    return "\n".join((f"{len(lines)} found", *rows))


def _cited(lines: Sequence[Found], session: str) -> str:
    """What the chat's memory keeps of a search: where, not what; the words are not the assistant's."""
    lines = [line for line in lines if line.utterance]
    if not lines:
        return "Nothing was found."
    return f"Found in {', '.join(f'[{_name(line, session)}]' for line in lines)}."


def _named(scope: Scope) -> str:
    if isinstance(scope, RecentMinutes):
        return f"the last {scope.minutes:g} minutes"
    if isinstance(scope, ThisSession):
        return "this session"
    assert isinstance(scope, AllSessions)
    return "this session and what is found in earlier ones"
