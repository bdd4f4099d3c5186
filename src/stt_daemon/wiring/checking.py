"""What of a configuration only the rooms that use it can judge: `up` and `config check` ask the same."""

from __future__ import annotations

from collections.abc import Iterator

from stt_daemon.commands import CommandsError
from stt_daemon.config import InvalidConfigError, LoadedConfig, Problem
from stt_daemon.config.model import COMMANDS
from stt_daemon.lanes.model_files import check_language
from stt_daemon.wiring.llm import build_commands


def check_config(loaded: LoadedConfig) -> None:
    """Raises ConfigError, a line for each problem, when `up` could not run with this; loads and asks nothing.

    Refused are a language that the speech model does not know, and `[[commands]]` that are not usable or
    take the name or a phrase of another command.
    """
    check_language(loaded.config.whisper.model, loaded.config.whisper.language)
    try:
        build_commands(loaded.config)
    except CommandsError as error:
        raise InvalidConfigError(list(_located(error, loaded))) from error


def _located(error: CommandsError, loaded: LoadedConfig) -> Iterator[Problem]:
    for problem in error.problems:
        line = loaded.origins[f"{COMMANDS}[{problem.entry}].{problem.key}"].rpartition(":")[2]
        yield Problem(
            f"cannot be used: {problem.text}",
            file=str(loaded.path or ""),
            line=int(line) if line.isdecimal() else None,
            section=f"[[{COMMANDS}]] entry {problem.entry + 1}",
            key=problem.key,
        )
