"""`stt-daemon config init`, `show` and `check`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from pydantic import SecretStr

from stt_daemon.cli._shared import CommandGroup, config_option, load
from stt_daemon.config import LoadedConfig, render_example
from stt_daemon.config.fields import Section
from stt_daemon.config.model import COMMANDS, SECTIONS, heading
from stt_daemon.config.problems import shown, without_credentials
from stt_daemon.domain.text import one_line
from stt_daemon.errors import ConfigError, UsageError

_HIDDEN = "***"


@click.group(cls=CommandGroup)
def command() -> None:
    """Write, show or check the configuration."""


@command.command()
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@config_option
def init(path: Path | None, force: bool, config_path: Path | None) -> None:
    """Write a commented configuration.

    To PATH, or to config.toml in the working directory.
    """
    if path and config_path:
        raise UsageError("config init takes PATH or --config PATH, not both")
    target = path or config_path or Path("config.toml")
    try:
        _write(target, render_example(), replace=force)
    except FileExistsError:
        raise UsageError(f"{target} exists already", mend="--force replaces it") from None
    except OSError as error:
        raise ConfigError(f"{target} cannot be written: {error.strerror or error}") from error
    click.echo(f"wrote {one_line(str(target))}", err=True)


@command.command()
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@config_option
def show(as_json: bool, config_path: Path | None) -> None:
    """Print every setting and where it comes from.

    The API key is hidden.
    """
    loaded = load(config_path)
    if as_json:
        path = str(loaded.path) if loaded.path else None
        click.echo(json.dumps({"path": path, "settings": _as_data(loaded)}, indent=2))
        return
    for line in _as_lines(loaded):
        click.echo(line)


@command.command()
@config_option
def check(config_path: Path | None) -> None:
    """Check the configuration.

    Every problem is one line on standard error, and the exit code is 2.
    """
    from stt_daemon.wiring.checking import check_config

    loaded = load(config_path)
    check_config(loaded)
    click.echo(
        f"{one_line(str(loaded.path))}: ok" if loaded.path else "ok: no configuration file, the defaults hold"
    )


def _write(path: Path, text: str, *, replace: bool) -> None:
    if path.is_dir():
        raise IsADirectoryError(0, "it is a folder", str(path))
    if not replace:
        _create(path, text)
        return
    real = path.resolve()
    fresh = real.with_name(f".{real.name}.{os.getpid()}")
    _create(fresh, text)
    fresh.replace(real)


def _create(path: Path, text: str) -> None:
    """Write a new file only its owner may read, since it may come to hold an API key."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        path.unlink()
        raise


def _fit_to_show(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return _HIDDEN if value.get_secret_value() else ""
    return without_credentials(value) if isinstance(value, str) else value


def _groups(loaded: LoadedConfig) -> Iterator[tuple[str, Section]]:
    """The sections and commands by the names that `origins` uses."""
    config = loaded.config
    yield from ((name, getattr(config, name)) for name in SECTIONS)
    yield from ((f"{COMMANDS}[{number}]", entry) for number, entry in enumerate(config.commands))


def _as_data(loaded: LoadedConfig) -> dict[str, Any]:
    data: dict[str, Any] = {COMMANDS: []}
    for name, group in _groups(loaded):
        settings = {
            key: {"value": _fit_to_show(value), "origin": loaded.origins[f"{name}.{key}"]}
            for key, value in group
        }
        if name in SECTIONS:
            data[name] = settings
        else:
            data[COMMANDS].append(settings)
    return data


def _as_lines(loaded: LoadedConfig) -> Iterator[str]:
    for number, (name, group) in enumerate(_groups(loaded)):
        if number:
            yield ""
        yield heading(name.partition("[")[0])
        for key, value in group:
            written = f"# {key} is unset" if value is None else f"{key} = {shown(_fit_to_show(value))}"
            yield f"{written}  # {one_line(loaded.origins[f'{name}.{key}'])}"
