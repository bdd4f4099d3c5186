"""`status`: what the running instance of a sessions directory does."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import click

from stt_daemon.cli._shared import config_option, load
from stt_daemon.domain.text import plain

_LOOK_S = 0.2
"""How often `--follow` looks at the status file; a person does not see less."""


@click.command("status")
@config_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--follow", is_flag=True, help="Show it again at each change until the instance ends.")
def command(config_path: Path | None, as_json: bool, follow: bool) -> int:
    """Show what the running instance does; exit code 1 when none runs."""
    from stt_daemon.supervisor.status import read_status

    root = Path(load(config_path).config.sessions.dir).expanduser().absolute()
    status = read_status(root)
    _show(status, as_json=as_json)
    if not status["running"]:
        return 1
    pause = threading.Event()
    while follow and status["running"]:
        pause.wait(_LOOK_S)
        latest = read_status(root)
        if latest != status:
            status = latest
            _show(status, as_json=as_json)
    return 0


def _show(status: dict[str, Any], *, as_json: bool) -> None:
    text = json.dumps(status) if as_json else "\n".join(lines(status))
    click.echo(text)


def lines(status: dict[str, Any]) -> list[str]:
    """The status for people. Device names and reasons come from outside and are made plain."""
    if not status["running"]:
        return ["no instance runs here"]
    out = [f"running    process {status['pid']}, mode {status['mode']}"]
    if session := status["session"]:
        out.append(f"session    {session['id']} in {session['dir']}")
    for name, child in status["children"].items():
        out.append(f"{name:<14} {child['state']}{_reason(child)}")
    for name, lane in status["lanes"].items():
        waiting = f", {lane['depth']} waiting" if lane["depth"] else ""
        out.append(f"lane {name:<9} {lane['state']}{waiting}{_reason(lane)}")
    if capture := status["capture"]:
        out.append(
            f"capture    {capture['state']}: {capture['device']} at {capture['rate']} Hz{_reason(capture)}"
        )
    out.append(f"lag        {status['lag_s']:.1f} s of audio wait for transcription")
    triage = {"state": status["triage_state"], "reason": status["triage_reason"]}
    out.append(f"triage     {triage['state']}{_reason(triage)}")
    if coverage := status["coverage"]:
        out.append(f"brief      {_covered(coverage)}")
    return [plain(line) for line in out]


def _reason(item: dict[str, Any]) -> str:
    return f" ({item['reason']})" if item["reason"] else ""


def _covered(coverage: dict[str, Any]) -> str:
    through = f"read up to {coverage['through']}" if coverage["through"] else "nothing read yet"
    words = [through, f"{coverage['pending']} waiting"]
    for key, meaning in (("set_aside", "set aside"), ("uncovered", "covered by no fact")):
        if coverage[key]:
            words.append(f"{len(coverage[key])} {meaning}")
    if coverage["unread_facts"]:
        words.append(f"{coverage['unread_facts']} facts did not fit into the last request")
    return ", ".join(words)
