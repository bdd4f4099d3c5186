"""`stt-daemon sessions list`, `show`, `search`, `export` and `delete`: what is kept of past sessions."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import click

from stt_daemon.cli._shared import CommandGroup, config_option, error_line, load
from stt_daemon.domain.text import one_line, plain
from stt_daemon.errors import SessionError
from stt_daemon.sessions import SessionFolder, clock_text
from stt_daemon.sessions.library import (
    EXPORTS,
    SessionSummary,
    clear_removed,
    export_session,
    find_session,
    remove_session,
    render_session,
    summaries,
    summarise,
)

json_option = click.option("--json", "as_json", is_flag=True, help="As JSON.")
id_argument = click.argument("session_id", metavar="ID")


@click.group(cls=CommandGroup)
def command() -> None:
    """Past sessions. ID is a session's folder name, or `latest`."""


@command.command("list")
@json_option
@config_option
def list_(as_json: bool, config_path: Path | None) -> None:
    """List the sessions, the newest last."""
    root = _root(config_path)
    found = summaries(root)
    running = _running_id(root)
    if as_json:
        _print_json([{**summary.data(), "running": summary.id == running} for summary in found])
        return
    if not found:
        click.echo(one_line(f"no session in {root} yet"), err=True)
    width = max((len(summary.id) for summary in found), default=0)
    for summary in found:
        mark = "*" if summary.id == running else " "
        length = f"{clock_text(summary.duration_s)}  {_counted(summary.utterances, 'line'):>10}"
        click.echo(plain(f"{mark} {summary.id:<{width}}  {length}  {summary.title}").rstrip())


@command.command()
@id_argument
@json_option
@config_option
def show(session_id: str, as_json: bool, config_path: Path | None) -> None:
    """Print a session: what is known of it, and its lines with notes and gaps."""
    folder = find_session(_root(config_path), session_id)
    if as_json:
        click.echo(render_session(folder, "json"), nl=False)
        return
    for line in _facts(summarise(folder)):
        click.echo(plain(line))
    click.echo()
    click.echo(render_session(folder, "txt"), nl=False)


@command.command()
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@click.option("--session", "session_id", metavar="ID", help="Only in this session.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="At most."
)
@click.option("--any", "any_word", is_flag=True, help="Lines with any of the words, not only with all.")
@json_option
@config_option
def search(
    words: tuple[str, ...],
    session_id: str | None,
    limit: int,
    any_word: bool,
    as_json: bool,
    config_path: Path | None,
) -> None:
    """Find lines and notes in all sessions, the best first."""
    from stt_daemon.sessions.index import SessionIndex

    root = _root(config_path)
    only = find_session(root, session_id).id if session_id is not None else None
    hits = []
    if root.is_dir():
        with contextlib.closing(SessionIndex.open(root)) as index:
            index.refresh()
            hits = index.search(" ".join(words), limit=limit, session=only, any_word=any_word)
    if as_json:
        _print_json([vars(hit) for hit in hits])
        return
    if not hits:
        click.echo("nothing found", err=True)
    for hit in hits:
        who = "note" if hit.kind == "note" else f"{hit.utterance} {hit.speaker}"
        click.echo(plain(f"{hit.session}  {clock_text(hit.t0)}  {who}: {hit.snippet}"))


@command.command()
@id_argument
@click.option(
    "--format",
    "formats",
    default="md",
    metavar="LIST",
    help="md, txt, srt, vtt, json; several with commas. [md]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write there, not to the sessions' `exports` folder.",
)
@json_option
@config_option
def export(session_id: str, formats: str, out: Path | None, as_json: bool, config_path: Path | None) -> None:
    """Write a session as a file a format. Nothing is overwritten."""
    from stt_daemon.apps.oneshot.transcribe import parse_formats

    wanted = parse_formats(formats)
    root = _root(config_path)
    folder = find_session(root, session_id)
    written = export_session(folder, wanted, out or root / EXPORTS, private=out is None)
    if as_json:
        _print_json({"session": folder.id, "files": [str(path) for path in written]})
        return
    for path in written:
        click.echo(one_line(str(path)))


@command.command()
@id_argument
@click.option("--no-export", is_flag=True, help="Do not keep the words either.")
@json_option
@config_option
def delete(session_id: str, no_export: bool, as_json: bool, config_path: Path | None) -> None:
    """Delete a session with its sound, after exporting its words as md and json.

    When the export fails nothing is deleted. A session that is being written is refused.
    """
    root = _root(config_path)
    folder = find_session(root, session_id)
    exports = None if no_export else root / EXPORTS
    with _unused(root, folder):
        waiting = summarise(folder).pending
        removed = remove_session(folder, exports=exports)
    if waiting:
        error_line("warning", f"{_counted(waiting, 'segment')} of {folder.id} never got transcribed")
    try:
        _forget(root, folder.id)
    finally:
        clear_removed(root)
    if as_json:
        _print_json({"deleted": folder.id, "exports": [str(path) for path in removed.exports]})
        return
    for path in removed.exports:
        click.echo(one_line(f"exported to {path}"))
    click.echo(one_line(f"deleted {folder.id}"))


def _root(config_path: Path | None) -> Path:
    return Path(load(config_path).config.sessions.dir).expanduser().absolute()


def _running_id(root: Path) -> str | None:
    """The session that is being written now."""
    from stt_daemon.supervisor.status import read_status

    session = read_status(root)["session"]
    return session["id"] if session else None


def _unused(root: Path, folder: SessionFolder) -> contextlib.AbstractContextManager[None]:
    """Be sure that nobody writes to this session while inside. Raises SessionError or AlreadyRunningError.

    An instance that runs writes to its own session alone, except that segments of the one before may still
    wait for the model.
    """
    from stt_daemon.supervisor.locks import hold_off
    from stt_daemon.supervisor.status import read_status

    status = read_status(root)
    if not status["running"]:
        return hold_off(root)
    mend = "stop it first with: stt-daemon down"
    if status["session"] is None or status["session"]["id"] == folder.id:
        raise SessionError(f"session {plain(folder.id)} is being written by the running instance", mend=mend)
    if summarise(folder).pending:
        raise SessionError(f"the running instance may still transcribe {plain(folder.id)}", mend=mend)
    return contextlib.nullcontext()


def _forget(root: Path, session_id: str) -> None:
    """Take the words out of the search index too."""
    from stt_daemon.sessions.index import INDEX_FILE, SessionIndex

    if (root / INDEX_FILE).exists():
        with contextlib.closing(SessionIndex.open(root)) as index:
            index.forget(session_id)


def _facts(summary: SessionSummary) -> list[str]:
    """What `show` says above the lines; what is not known is left out."""
    waiting = f"{_counted(summary.pending, 'segment')} without a transcript" if summary.pending else ""
    facts = {
        "session": summary.id,
        "folder": str(summary.path),
        "start": summary.start.isoformat(" ", "seconds") if summary.start else "",
        "end": summary.end.isoformat(" ", "seconds") if summary.end else "",
        "length": f"{clock_text(summary.duration_s)}, {_counted(summary.utterances, 'line')}",
        "device": summary.device,
        "model": summary.model,
        "waiting": waiting,
    }
    return [f"{name:<8} {value}" for name, value in facts.items() if value]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2))
