"""What every command uses: the `--config` option, loading it, and lines on standard error.

Imports nothing heavy at the top; main thread only.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from stt_daemon.domain.text import one_line

if TYPE_CHECKING:
    from stt_daemon.config import LoadedConfig, Problem

F = TypeVar("F", bound=Callable[..., Any])

EXIT_USAGE = 2


class CommandGroup(click.Group):
    """A group that answers a missing command with its help, as bad usage, whatever click's version does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(EXIT_USAGE)
        return super().parse_args(ctx, args)


def config_option(command: F) -> F:
    """Give a command `--config PATH`, passed as `config_path: Path | None`."""
    return click.option(
        "--config",
        "config_path",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="The configuration file, instead of config.toml here or in the user's configuration folder.",
    )(command)


def load(config_path: Path | None) -> LoadedConfig:
    """Load the configuration; its warnings go to standard error. Raises InvalidConfigError."""
    from stt_daemon.config import InvalidConfigError, load_config

    try:
        loaded = load_config(config_path)
    except InvalidConfigError as error:
        _warn(error.warnings)
        raise
    _warn(loaded.warnings)
    return loaded


def error_line(kind: str, text: str) -> None:
    """One line on standard error, such as `error: ...`, whatever the text holds."""
    click.echo(f"{kind}: {one_line(text)}", err=True)


def _warn(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        error_line("warning", problem.text())
