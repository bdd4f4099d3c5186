"""`stt-daemon triage replay`: triage of a stored session once more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stt_daemon.cli._shared import CommandGroup, config_option, error_line, load
from stt_daemon.domain.text import one_line, plain

if TYPE_CHECKING:
    from stt_daemon.apps.oneshot.triage_replay import Classified, ReplayResult


@click.group(cls=CommandGroup)
def command() -> None:
    """Signals, brief and facts of past sessions."""


@command.command()
@click.argument("session_id", metavar="SESSION")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, at the end.")
@config_option
def replay(session_id: str, as_json: bool, config_path: Path | None) -> int:
    """Run a session through triage again, with the questions and thresholds of now.

    SESSION is a session's folder name, or `latest`. Nothing in it is changed. With a labels.json in its
    folder the answers are measured against it.
    """
    from stt_daemon.apps.oneshot.triage_replay import replay as run
    from stt_daemon.sessions.library import find_session

    config = load(config_path).config
    folder = find_session(Path(config.sessions.dir).expanduser().absolute(), session_id)
    result = run(folder, config, (lambda _: None) if as_json else _show)
    if as_json:
        click.echo(json.dumps(result.data()))
    else:
        _show_end(result)
    for trouble in result.trouble:
        error_line("warning", trouble)
    return 0


def _show(one: Classified) -> None:
    from stt_daemon.sessions import clock_text

    span = one.utterances[0] if len(one.utterances) == 1 else f"{one.utterances[0]}-{one.utterances[-1]}"
    click.echo(plain(f"{clock_text(one.t1)} {span}"))
    for item in one.signals.items:
        click.echo(plain(f"  {_answer(item)}{' ⚠' if item['flagged'] else ''}"))


def _answer(item: dict[str, Any]) -> str:
    match item["type"]:
        case "noul":
            return f"{item['qid']}: {_number(item.get('p'))}"
        case "choice":
            return f"{item['qid']}: {item.get('selected')} ({_number(item.get('confidence'))})"
        case _:
            return f"{item['qid']}: {item.get('label')} ({_number(item.get('expected'))})"


def _show_end(result: ReplayResult) -> None:
    for line in result.brief.splitlines():
        click.echo(plain(line))
    if result.figures is None:
        return
    for qid, figures in result.figures["questions"].items():
        click.echo(one_line(f"{qid}: " + ", ".join(f"{k} {_number(v)}" for k, v in figures.items())))
    for key, best in result.figures["thresholds"].items():
        if best is not None:
            click.echo(f"{key}: {best['value']:.4g} has the best F1 ({best['f1']:.2f})")


def _number(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    return f"{value:.2f}" if isinstance(value, float) else "unknown"
