"""Transcribe whole files and put the text where it belongs. One thread, the caller's.

One file in one format without a folder goes to stdout, as `text` of its outcome. Everything else is
written, beside its input or into the folder asked for, under a name that is free: `talk.txt`, `talk-1.txt`.
So several files always get a file each: run together on stdout nobody could tell them apart again.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stt_daemon.domain.text import plain
from stt_daemon.errors import AudioError, ErrorRecord, SessionError, SttDaemonError, UsageError
from stt_daemon.sessions import FORMATS, ensure_private_dirs, render, write_new
from stt_daemon.wiring.offline import OfflineResult, OfflineTranscriber

log = logging.getLogger(__name__)

FileProgress = Callable[[Path, float, float], None]
"""Told the file, how many of its seconds are done, and how many it has."""


@dataclass(frozen=True)
class FileOutcome:
    """How one file ended. Either `error` is set, or `result` with its `text` (stdout) or `written` files."""

    path: Path
    result: OfflineResult | None = None
    text: str = ""
    written: tuple[Path, ...] = ()
    error: ErrorRecord | None = None


def parse_formats(text: str) -> tuple[str, ...]:
    """`"txt, srt"` as formats, each once. Raises UsageError for an unknown one or none."""
    wanted = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    unknown = [form for form in wanted if form not in FORMATS]
    if unknown or not wanted:
        named = f"unknown format {plain(unknown[0])!r}" if unknown else "no format given"
        raise UsageError(f"--format: {named}", mend=f"accepted: {', '.join(FORMATS)}, several with commas")
    return wanted


def transcribe_files(
    files: Sequence[Path],
    load: Callable[[], OfflineTranscriber],
    *,
    formats: Sequence[str],
    out: Path | None,
    on_progress: FileProgress,
) -> Iterator[FileOutcome]:
    """One outcome a file, in order; a file that fails does not stop the others.

    `load` is called once, when the first file turns out to be usable: a misspelt name costs no model.
    Raises ModelError when there is no model to work with, SessionError when `out` cannot be made.
    """
    if out is not None:
        _make_folder(out)
    to_stdout = out is None and len(files) == 1 and len(formats) == 1
    transcriber: OfflineTranscriber | None = None
    for path in files:
        folder = None if to_stdout else (out if out is not None else path.parent)
        try:
            _check(path, folder)
        except SttDaemonError as error:
            yield FileOutcome(path, error=ErrorRecord.of(error))
            continue
        if transcriber is None:
            transcriber = load()
        yield _transcribe(path, transcriber, formats, folder, on_progress)


def _transcribe(
    path: Path,
    transcriber: OfflineTranscriber,
    formats: Sequence[str],
    folder: Path | None,
    on_progress: FileProgress,
) -> FileOutcome:
    written: list[Path] = []
    try:
        result = transcriber.transcribe(path, lambda done, total: on_progress(path, done, total))
        about = {
            "title": path.stem,
            "file": path.name,
            "language": result.language,
            "duration_s": round(result.duration_s, 3),
        }
        texts = {form: render(form, result.utterances, about=about) for form in formats}
        if folder is None:
            return FileOutcome(path, result, text="".join(texts.values()))
        for form, text in texts.items():
            written.append(write_new(folder / f"{path.stem}.{form}", text))
    except SttDaemonError as error:
        return FileOutcome(path, written=tuple(written), error=ErrorRecord.of(error))
    except Exception as error:
        # The other files may be fine, and hours of work must not be thrown away for this one.
        log.exception("transcribing %s failed", path)
        wrapped = ErrorRecord.of(error)
        named = ErrorRecord(wrapped.code, f"{path}: {wrapped.message}", detail=wrapped.detail)
        return FileOutcome(path, written=tuple(written), error=named)
    return FileOutcome(path, result, written=tuple(written))


def _check(path: Path, folder: Path | None) -> None:
    """Find out before the work what would make it useless. Raises AudioError or SessionError."""
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise AudioError(plain(f"cannot read {path}: {error.strerror or error}")) from error
    if folder is not None and not os.access(folder, os.W_OK | os.X_OK):
        raise SessionError(plain(f"cannot write beside {path}"), mend="give a folder with --out")


def _make_folder(out: Path) -> None:
    try:
        ensure_private_dirs(out)
    except OSError as error:
        raise SessionError(plain(f"cannot make {out}: {error.strerror or error}")) from error
