"""The command line: a lazy group of commands, and how their errors become lines and exit codes.

Importing this module loads click and nothing heavy, so that `--help` answers at once: a command's module
is imported when the command is run. The only room that prints; main thread only.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import NamedTuple, TextIO

import click

from stt_daemon import __version__
from stt_daemon.cli._shared import EXIT_USAGE, CommandGroup, error_line
from stt_daemon.errors import AlreadyRunningError, ConfigError, SttDaemonError, UsageError

log = logging.getLogger(__name__)

EXIT_FAILURE = 1
EXIT_ALREADY_RUNNING = 3
EXIT_INTERRUPTED = 130


class LazyCommand(NamedTuple):
    """Where a command lives (its module's `command`) and what the list of commands says about it."""

    module: str
    summary: str


COMMANDS: dict[str, LazyCommand] = {
    "up": LazyCommand("stt_daemon.cli.up", "Listen and write down what is said."),
    "status": LazyCommand("stt_daemon.cli.status", "Show what the running instance does."),
    "down": LazyCommand("stt_daemon.cli.down", "Stop the running instance cleanly."),
    "doctor": LazyCommand("stt_daemon.cli.doctor", "Check whether everything needed is there and works."),
    "devices": LazyCommand("stt_daemon.cli.devices", "List the audio inputs."),
    "config": LazyCommand("stt_daemon.cli.config", "Write, show or check the configuration."),
    "sessions": LazyCommand("stt_daemon.cli.sessions", "List, show, search, export and delete sessions."),
    "triage": LazyCommand("stt_daemon.cli.triage", "Run a past session through triage again."),
    "transcribe": LazyCommand("stt_daemon.cli.transcribe", "Write down what is said in sound files."),
}


class LazyGroup(CommandGroup):
    """Knows its commands by name and imports one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name].module).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a suggestion made from the names alone."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = get_close_matches(args[0], COMMANDS, n=1)
            ctx.fail(f"No such command '{args[0]}'." + (f" Did you mean '{near[0]}'?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list for `--help`, without importing what it lists."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Listens, writes down what is said, and loses none of it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. A command returns its own code, or None for 0."""
    # Without a handler Python would print warnings of the rooms, and tracebacks, to the terminal.
    logging.getLogger("stt_daemon").addHandler(logging.NullHandler())
    for stream in (sys.stdout, sys.stderr):
        _never_fail_to_encode(stream)
    try:
        code = _run(arguments)
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return EXIT_FAILURE
    except OSError as error:
        _discard_output()
        return _fail([f"standard output cannot be written: {error.strerror or error}"], EXIT_FAILURE)
    return code


def entry() -> None:
    """The program: `stt-daemon` and `python -m stt_daemon`."""
    code = main()
    if threading.active_count() > 1:
        from stt_daemon.logs import end_process

        end_process(code)
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        result = cli.main(arguments, prog_name="stt-daemon", standalone_mode=False)
    except SttDaemonError as error:
        lines = str(error).splitlines() or [type(error).__name__]
        lines[-1] += f" ({error.mend})" if error.mend else ""
        return _fail(lines, _exit_code(error))
    except click.ClickException as error:
        hint = (
            f" (see '{error.ctx.command_path} --help')"
            if isinstance(error, click.UsageError) and error.ctx
            else ""
        )
        return _fail([error.format_message() + hint], error.exit_code)
    except click.Abort as error:
        return EXIT_INTERRUPTED if isinstance(error.__cause__, KeyboardInterrupt) else EXIT_FAILURE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        log.exception("unexpected error")
        return _fail([f"unexpected {type(error).__name__}: {error}"], EXIT_FAILURE)
    return result if isinstance(result, int) else 0


def _exit_code(error: SttDaemonError) -> int:
    if isinstance(error, (ConfigError, UsageError)):
        return EXIT_USAGE
    return EXIT_ALREADY_RUNNING if isinstance(error, AlreadyRunningError) else EXIT_FAILURE


def _fail(lines: Sequence[str], code: int) -> int:
    for line in lines:
        error_line("error", line)
    return code


def _never_fail_to_encode(stream: TextIO | None) -> None:
    """A character the terminal's encoding lacks, or a stray byte in a file's name, must not end a command."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Nobody can read on; without this Python's own last flush would complain, with a traceback."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)
