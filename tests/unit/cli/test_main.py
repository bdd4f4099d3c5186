"""The frame of the command line: what it loads, what it says, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from stt_daemon import __version__
from stt_daemon.cli import COMMANDS, LazyCommand, cli, main
from stt_daemon.errors import (
    AlreadyRunningError,
    AudioError,
    ConfigError,
    ModelError,
    SttDaemonError,
    UsageError,
)

HEAVY = (
    "pydantic",
    "numpy",
    "platformdirs",
    "av",
    "faster_whisper",
    "sounddevice",
    "stt_daemon.config",
    "stt_daemon.messages",
)

SRC = Path(__file__).parents[3] / "src"

Outcome = list[BaseException | int | None]


def _fresh(code: str, *, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter of its own."""
    return subprocess.run(
        [sys.executable, "-c", code],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SRC)},
        text=True,
        timeout=60,
    )


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """A command named `probe` that raises or returns what the test puts in the list."""
    outcome: Outcome = []

    @click.command()
    def probe() -> int | None:
        (result,) = outcome
        if isinstance(result, BaseException):
            raise result
        return result

    module = type(sys)("stt_daemon_probe")
    module.command = probe  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "stt_daemon_probe", module)
    monkeypatch.setitem(COMMANDS, "probe", LazyCommand("stt_daemon_probe", "A probe."))
    return outcome


def test_help_loads_nothing_heavy_and_no_command() -> None:
    done = _fresh(
        "import sys, json; from stt_daemon.cli import main; code = main(['--help']);"
        "print(json.dumps([code, sorted(sys.modules)]))"
    )
    *_, last = done.stdout.splitlines()
    code, modules = json.loads(last)
    assert code == 0
    assert not [name for name in HEAVY if name in modules]
    assert not [entry.module for entry in COMMANDS.values() if entry.module in modules]


def test_help_lists_every_command_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in out and entry.summary in out for name, entry in COMMANDS.items())


def test_the_listed_commands_are_the_documented_ones() -> None:
    assert list(COMMANDS) == [
        "up", "status", "down", "doctor", "devices", "config", "sessions", "triage", "transcribe",
    ]  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_listed_command_takes_a_configuration_file(name: str) -> None:
    if find_spec(COMMANDS[name].module) is None:
        pytest.skip(f"{name} is not built yet")
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    leaves = command.commands.values() if isinstance(command, click.Group) else [command]
    assert all(any("--config" in param.opts for param in leaf.params) for leaf in leaves)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"stt-daemon {__version__}\n"


@pytest.mark.parametrize(("arguments", "command"), [([], "transcribe"), (["config"], "check")])
def test_without_a_command_the_help_is_shown_as_bad_usage(
    arguments: list[str], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"  {command} " in err


def test_an_unknown_option_is_named_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--nonsense"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--nonsense" in line
    assert line.endswith("(see 'stt-daemon --help')")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["confg"], "error: No such command 'confg'. Did you mean 'config'? (see 'stt-daemon --help')\n"),
        (["config", "show", "--config"], "error: Option '--config' requires an argument.\n"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_line_and_exit_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("c"), 2),
        (UsageError("u"), 2),
        (AlreadyRunningError("a"), 3),
        (AudioError("d"), 1),
        (ModelError("m"), 1),
        (SttDaemonError("s"), 1),
    ],
)
def test_each_kind_of_error_has_its_exit_code(
    raising: Outcome,
    error: SttDaemonError,
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    raising.append(error)
    assert main(["probe"]) == code
    assert capsys.readouterr().err == f"error: {error}\n"


def test_an_error_is_one_line_a_problem_with_its_mend_and_without_escapes(
    raising: Outcome, capsys: pytest.CaptureFixture[str]
) -> None:
    raising.append(ConfigError("first\nsecond \x1b[2J", mend="do this"))
    main(["probe"])
    assert capsys.readouterr().err == "error: first\nerror: second \\x1b[2J (do this)\n"


def test_an_unexpected_error_is_one_line_and_exit_1(
    raising: Outcome,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    raising.append(ValueError("a\nb"))
    assert main(["probe"]) == 1
    assert capsys.readouterr().err == "error: unexpected ValueError: a b\n"
    assert "Traceback" in caplog.text


def test_a_traceback_never_reaches_the_terminal() -> None:
    done = _fresh(
        "import sys, types, click; from stt_daemon.cli import COMMANDS, LazyCommand, main\n"
        "m = types.ModuleType('m'); sys.modules['m'] = m\n"
        "m.command = click.Command('x', callback=lambda: 1 / 0)\n"
        "COMMANDS['x'] = LazyCommand('m', ''); sys.exit(main(['x']))"
    )
    assert (done.returncode, done.stderr) == (1, "error: unexpected ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (1, 1), (3, 3)])
def test_a_command_returns_its_exit_code(raising: Outcome, returned: int | None, code: int) -> None:
    raising.append(returned)
    assert main(["probe"]) == code


def test_an_interrupt_exits_130_without_a_word(raising: Outcome, capsys: pytest.CaptureFixture[str]) -> None:
    raising.append(KeyboardInterrupt())
    assert main(["probe"]) == 130
    assert capsys.readouterr().err.strip() == ""


SHOW = "import sys; from stt_daemon.cli import main; sys.exit(main(['config', 'show']))"


def test_a_reader_that_leaves_is_no_reason_for_a_message() -> None:
    reader = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE)
    assert reader.stdin is not None
    assert reader.wait(60) == 0
    done = _fresh(SHOW, stdout=reader.stdin.fileno())
    reader.stdin.close()
    assert done.stderr == ""


def test_a_full_disk_behind_standard_output_is_one_line() -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = _fresh(SHOW, stdout=full.fileno())
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "No space left" in done.stderr
