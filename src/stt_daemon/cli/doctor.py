"""`stt-daemon doctor`: is everything there that listening needs."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stt_daemon.cli._native import native_noise_hidden
from stt_daemon.cli._shared import config_option

if TYPE_CHECKING:
    from stt_daemon.apps.oneshot.doctor import Check, Configured, Terminal
    from stt_daemon.config import Config

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@config_option
def command(as_json: bool, config_path: Path | None) -> int:
    """Check Python, audio, the model and its speed, the disk, the terminal and the configuration.

    The exit code is 1 when something failed.
    """
    from stt_daemon.apps.oneshot.doctor import Doctor, bundled_clip, checks_data
    from stt_daemon.domain import SystemClock
    from stt_daemon.wiring.probes import build_probes

    config, configured = _configuration(config_path)
    with bundled_clip() as clip:
        doctor = Doctor(
            build_probes(config),
            clock=SystemClock(),
            clip=clip,
            sessions_dir=Path(config.sessions.dir).absolute(),
            python=sys.version_info[:3],
            terminal=_terminal(),
            configured=configured,
        )
        with native_noise_hidden():
            checks = doctor.run()
    if as_json:
        click.echo(json.dumps(checks_data(checks), ensure_ascii=False, indent=2))
    else:
        _print(checks)
    return 1 if any(check.status == "fail" for check in checks) else 0


def _print(checks: list[Check]) -> None:
    from stt_daemon.apps.oneshot.doctor import check_lines

    width = max(len(check.name) for check in checks)
    for check in checks:
        for line in check_lines(check, width):
            mark, rest = line[:4], line[4:]
            click.echo(click.style(mark, fg=_COLOURS.get(mark.strip())) + rest)


def _configuration(config_path: Path | None) -> tuple[Config, Configured]:
    """The configuration, or the defaults beside what is wrong with it: the other checks go on."""
    from stt_daemon.apps.oneshot.doctor import Configured
    from stt_daemon.config import Config, load_config
    from stt_daemon.errors import ConfigError, ErrorRecord
    from stt_daemon.wiring.checking import check_config

    config = Config()
    try:
        loaded = load_config(config_path)
        config = loaded.config
        check_config(loaded)
    except ConfigError as error:
        return config, Configured(error=ErrorRecord.of(error))
    warnings = tuple(problem.text() for problem in loaded.warnings)
    return config, Configured(str(loaded.path or ""), warnings)


def _terminal() -> Terminal:
    from stt_daemon.apps.oneshot.doctor import Terminal

    size = shutil.get_terminal_size()
    return Terminal(
        is_tty=sys.stdout.isatty(),
        term=os.environ.get("TERM", ""),
        columns=size.columns,
        lines=size.lines,
        encoding=sys.stdout.encoding or "",
    )
