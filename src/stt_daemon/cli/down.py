"""`down`: ask the running instance of a sessions directory to stop, and wait until it has."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import click

from stt_daemon.cli._shared import config_option, error_line, load

_MARGIN_S = 5.0
"""Beyond the grace: last lines to slow readers, and the end of the interpreter."""

_LOOK_S = 0.05


@click.command("down")
@config_option
def command(config_path: Path | None) -> int:
    """Stop the running instance cleanly; exit code 1 when none runs."""
    from stt_daemon.supervisor.locks import running_pid

    config = load(config_path).config
    root = Path(config.sessions.dir).expanduser().absolute()
    pid = running_pid(root)
    if pid is None:
        error_line("error", f"no instance runs in {root}")
        return 1
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return 0  # it ended by itself in this very moment
    except PermissionError:
        error_line("error", f"process {pid} belongs to another user")
        return 1
    deadline = time.monotonic() + config.supervisor.stop_grace_s + _MARGIN_S
    pause = threading.Event()
    while running_pid(root) == pid:
        if time.monotonic() > deadline:
            error_line(
                "error", f"process {pid} has not ended yet (its log: {root / 'logs' / 'supervisor.log'})"
            )
            return 1
        pause.wait(_LOOK_S)
    return 0
