"""`stt-daemon transcribe FILE...`: sound files as text."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stt_daemon.cli._shared import config_option, error_line, load
from stt_daemon.domain.text import one_line

if TYPE_CHECKING:
    from stt_daemon.apps.oneshot.transcribe import FileOutcome


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "formats",
    default="txt",
    metavar="LIST",
    help="txt, md, srt, vtt, json; several with commas. [txt]",
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Write there, not beside the input."
)
@config_option
def command(files: tuple[Path, ...], formats: str, out: Path | None, config_path: Path | None) -> int:
    """Write down what is said in sound or video FILEs.

    One file in one format goes to standard output. Several files or formats are written beside their input,
    or to --out, and nothing is overwritten.
    """
    from stt_daemon.apps.oneshot.transcribe import parse_formats, transcribe_files
    from stt_daemon.wiring.offline import build_offline

    wanted = parse_formats(formats)
    config = load(config_path).config
    code = 0
    with _Bars() as bars:
        outcomes = transcribe_files(
            files,
            lambda: build_offline(config, lambda notice: error_line("warning", notice.message)),
            formats=wanted,
            out=out,
            on_progress=bars.advance,
        )
        for outcome in outcomes:
            bars.close()
            code = max(code, _tell(outcome))
    return code


def _tell(outcome: FileOutcome) -> int:
    if outcome.error is not None:
        error_line("error", outcome.error.line())
        return 1
    assert outcome.result is not None
    facts = [f"{outcome.result.duration_s:.1f} s", outcome.result.language or "no language"]
    if not outcome.result.utterances:
        facts.append("no speech")
    facts += [f"wrote {path}" for path in outcome.written]
    click.echo(one_line(f"{outcome.path}: {', '.join(facts)}"), err=True)
    # Files that others read are UTF-8 whatever the locale, also those the shell makes.
    click.echo(outcome.text.encode(), nl=False)
    return 0


class _Bars:
    """One progress bar at a time on standard error; none when that is not a terminal."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._path: Path | None = None

    def __enter__(self) -> _Bars:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def advance(self, path: Path, done: float, total: float) -> None:
        if self._path != path:
            self.close()
            self._open(path, total)
        self._bar.n = min(done, total)
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = self._path = None

    def _open(self, path: Path, total: float) -> None:
        from tqdm import tqdm

        # With its stock lock tqdm leaves a semaphore behind, and Python complains about it at the end.
        tqdm.set_lock(threading.RLock())
        self._path = path
        self._bar = tqdm(
            total=round(total, 1),
            desc=one_line(path.name),
            file=sys.stderr,
            disable=None,
            leave=False,
            bar_format="{desc}: {percentage:3.0f}% |{bar}| {n:.0f}/{total:.0f} s, {remaining} left",
        )
