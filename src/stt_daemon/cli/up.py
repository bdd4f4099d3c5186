"""`up`: check what was asked for, then run the supervisor until it stops."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import click

from stt_daemon.cli._shared import config_option, load
from stt_daemon.errors import UsageError

if TYPE_CHECKING:
    from stt_daemon.config import Config, LoadedConfig
    from stt_daemon.domain import Gap, Utterance
    from stt_daemon.supervisor.locks import Locks

Speed = Literal["realtime", "max"]

LLM_MARGIN_S = 60.0
"""Beyond the deadline of a call: counting tokens and asking about the server have limits of their own."""


@click.command("up")
@config_option
@click.option("--source", metavar="mic|mic:NAME|FILE|-", help="What to hear; -: raw 16 kHz s16le mono.")
@click.option("--speed", type=click.Choice(["realtime", "max"]), default="realtime", help="For files.")
@click.option("--until-end", is_flag=True, help="Leave when the source has ended and all is written down.")
@click.option("--session", "session_id", metavar="ID", help="Continue a session.")
@click.option("--events", metavar="PATH|-", help="Write events as JSON lines; - is stdout.")
@click.option("--control", metavar="-|FIFO", help="Read commands and messages, one a line.")
@click.option("--offline", is_flag=True, help="Never ask a model hub.")
@click.option("--in-process", is_flag=True, help="Threads instead of child processes.")
@click.option("--with-tui", is_flag=True, help="Show the interface in this terminal.")
def command(
    config_path: Path | None,
    source: str | None,
    speed: str,
    until_end: bool,
    session_id: str | None,
    events: str | None,
    control: str | None,
    offline: bool,
    in_process: bool,
    with_tui: bool,
) -> int:
    """Listen and write down what is said."""
    try:
        _stop_signals_interrupt()
        loaded = load(config_path)
        config = loaded.config
        request = Request(
            loaded=loaded,
            source=source or config.audio.source,
            speed=cast(Speed, speed),
            until_end=until_end,
            session_id=session_id,
            events=events,
            control=control,
            offline=offline,
            threads=in_process or config.supervisor.placement == "thread",
            interface=with_tui,
        )
        return request.run()
    except KeyboardInterrupt:
        return 0  # before the supervisor took over: nothing was recorded yet


def _stop_signals_interrupt() -> None:
    """Until the supervisor runs, every stop signal unwinds what has been begun, as Ctrl-C does."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, signal.default_int_handler)


class Request:
    """One invocation of `up`, checked before anything is started or written."""

    def __init__(
        self,
        *,
        loaded: LoadedConfig,
        source: str,
        speed: Speed,
        until_end: bool,
        session_id: str | None,
        events: str | None,
        control: str | None,
        offline: bool,
        threads: bool,
        interface: bool = False,
    ) -> None:
        from stt_daemon.wiring.checking import check_config

        check_config(loaded)
        if interface:
            check_terminal(source=source, events=events, control=control)
        self._config = config = loaded.config
        self._source = checked_source(source, speed)
        self._speed = speed
        self._until_end = until_end
        self._session_id = session_id
        self._events = events
        self._control = checked_control(control, self._source)
        self._offline = offline
        self._threads = threads
        self._interface = interface
        self._root = Path(config.sessions.dir).expanduser().absolute()

    def run(self) -> int:
        """Hold the locks, make or open the session, run; the exit code of the program."""
        from stt_daemon.logs import log_path, start_logging, stop_logging
        from stt_daemon.supervisor.locks import hold_locks
        from stt_daemon.supervisor.outputs import ensure_standard_descriptors

        ensure_standard_descriptors()
        with hold_locks(self._root) as locks:
            handler = start_logging(log_path(self._root, "supervisor"), redirect=False)
            try:
                return self._supervise(locks)
            finally:
                stop_logging(handler)

    def _supervise(self, locks: Locks) -> int:
        import contextlib
        import time

        from stt_daemon.domain import SystemClock
        from stt_daemon.logs import log_path
        from stt_daemon.messages import ChildConfigured, ControlReceived
        from stt_daemon.sessions import create_session, open_session
        from stt_daemon.supervisor.control import ControlReader
        from stt_daemon.supervisor.health import HealthLimits
        from stt_daemon.supervisor.hub import Hub
        from stt_daemon.supervisor.launch import ProcessPlacement
        from stt_daemon.supervisor.output import open_events
        from stt_daemon.supervisor.outputs import descriptors_moved_to, showing
        from stt_daemon.supervisor.placement import ChildSpec, MixedPlacement, Placement, ThreadPlacement
        from stt_daemon.supervisor.restart import RestartPolicy
        from stt_daemon.supervisor.status import StatusBoard
        from stt_daemon.supervisor.supervisor import Supervisor
        from stt_daemon.terminal import TerminalGuard

        to_file = self._events not in (None, "-")
        open_target = open_events(Path(cast(str, self._events))) if to_file else None
        if self._session_id is None:
            folder = create_session(self._root, time.time())
        else:
            folder = open_session(self._root, self._session_id, writable=True)

        def make_session() -> tuple[str, Path]:
            fresh = create_session(self._root, time.time())
            return fresh.id, fresh.path

        clock = SystemClock()
        hub = Hub(clock)
        settings = self._config.supervisor
        with contextlib.ExitStack() as stack:
            placement: Placement = ProcessPlacement(self._root, locks.writers)
            stdout, stderr = 1, 2
            if self._threads:
                placement = MixedPlacement(ThreadPlacement(clock), placement)
                stdout, stderr = stack.enter_context(descriptors_moved_to(log_path(self._root, "supervisor")))
            board = StatusBoard(self._root, folder.id, folder.path)
            stack.enter_context(
                showing(
                    hub,
                    read_transcript_of,
                    clock,
                    board,
                    stdout=stdout,
                    stderr=stderr,
                    events=open_target,
                    events_on_stdout=self._events == "-",
                    interface=self._interface,
                )
            )
            specs = [ChildSpec("transcription", stdin=self._source == "-"), ChildSpec("assistant")]
            if self._interface:
                specs.append(ChildSpec("tui", owns_terminal=True))
            supervisor = Supervisor(
                specs,
                placement,
                ChildConfigured(
                    config=self._config.to_wire(),
                    session_id=folder.id,
                    session_dir=str(folder.path),
                    resumed=self._session_id is not None,
                    source=self._source,
                    speed=self._speed,
                    offline=self._offline,
                ),
                hub,
                make_session,
                stop_grace_s=settings.stop_grace_s,
                policy=RestartPolicy(settings.restarts, settings.restart_window_s),
                limits=HealthLimits(llm_busy_s=_longest_llm_job_s(self._config) + LLM_MARGIN_S),
                until_end=self._until_end,
                clock=clock,
                terminal=TerminalGuard(stdout) if self._interface else None,
            )
            if self._control is not None:
                ControlReader(
                    None if self._control == "-" else Path(self._control),
                    lambda line: hub.publish(ControlReceived(line=line)),
                )
            return supervisor.run(last=True)


def check_terminal(*, source: str, events: str | None, control: str | None) -> None:
    """Raises UsageError when the interface cannot have the terminal for itself."""
    claims = {"--source -": source, "--events -": events, "--control -": control}
    for option, value in claims.items():
        if value == "-":
            stream = "stdout" if option == "--events -" else "stdin"
            raise UsageError(
                f"--with-tui and {option} both claim {stream}",
                mend="name a file or a named pipe instead of -",
            )
    for descriptor, stream in ((0, "stdin"), (1, "stdout")):
        if not os.isatty(descriptor):
            raise UsageError(
                f"--with-tui needs a terminal, and {stream} is none",
                mend="leave --with-tui away to run without",
            )


def checked_source(source: str, speed: Speed) -> str:
    """The source as a child in any directory understands it. Raises UsageError."""
    if source == "-":
        return source
    if source == "mic" or source.startswith("mic:"):
        if speed == "max":
            raise UsageError("--speed max needs a file: a microphone has its own speed")
        return source
    path = Path(source).expanduser().absolute()
    if not path.exists():
        raise UsageError(f"--source {source}: there is no such file", mend="mic, mic:NAME, a file or -")
    if path.is_dir():
        raise UsageError(f"--source {source} is a directory", mend="name one sound file")
    if not os.access(path, os.R_OK):  # opening would wait if it is a named pipe
        raise UsageError(f"--source {source} cannot be read", mend="make it readable for this user")
    return str(path)


def checked_control(control: str | None, source: str) -> str | None:
    """Raises UsageError when it is no named pipe, or stdin has two claims."""
    if control == "-" and source == "-":
        raise UsageError("--source - and --control - both claim stdin", mend="use a named pipe for --control")
    if control is None or control == "-":
        return control
    from stt_daemon.supervisor.control import check_fifo

    path = Path(control).expanduser().absolute()
    check_fifo(path)
    return str(path)


def read_transcript_of(folder: Path, from_seq: int) -> Iterable[Utterance | Gap]:
    """The journal of a session folder, for senders that have to catch up."""
    from stt_daemon.sessions import read_transcript

    return read_transcript(folder / "transcript.jsonl", from_seq)


def _longest_llm_job_s(config: Config) -> float:
    """The longest that one job of the language model may take: a brief may ask twice."""
    brief = config.triage.enabled and config.triage.extract_enabled
    return max(config.llm.timeout_s, 2 * config.triage.extract_timeout_s if brief else 0.0)
