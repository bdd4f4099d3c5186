"""Past sessions: what each was about, everything it holds, exports of it, and its removal.

Any process, any thread; reads and writes the disk. Only removal cares who else is at work: its caller makes
sure that nobody writes to the session.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from stt_daemon.domain.text import plain, whole
from stt_daemon.errors import SessionError
from stt_daemon.sessions.chat_log import read_chat
from stt_daemon.sessions.export import Item, render
from stt_daemon.sessions.files import disk_error, ensure_private_dirs, free_names, write_new
from stt_daemon.sessions.folder import SessionFolder, is_session, list_sessions, open_session
from stt_daemon.sessions.json_lines import decode_object, read_lines
from stt_daemon.sessions.lines import read_transcript
from stt_daemon.sessions.marks import Mark, read_marks
from stt_daemon.sessions.record import read_record

log = logging.getLogger(__name__)

EXPORTS = "exports"
"""The folder in the sessions directory that takes exports nobody gave another place."""

LATEST = "latest"
"""Stands for the newest session wherever an id is asked for."""

KEEPSAKES = ("md", "json")
"""What is exported before a removal: one form to read, one that holds all there was but the sound."""

_LATEST_S = 1e9
"""A time beyond it is a damaged line's; a larger whole number may not even fit a float."""

_TITLE_CHARS = 60
_DELETED = ".deleted-"


@dataclass(frozen=True)
class SessionSummary:
    """One session in a list.

    `duration_s` runs to the end of the last line, `pending` counts segments that were never transcribed,
    `title` is how the talk began. `start` and `end` come from session.json and may be missing.
    """

    id: str
    path: Path
    start: datetime | None
    end: datetime | None
    duration_s: float
    utterances: int
    pending: int
    title: str
    device: str = ""
    model: str = ""

    def data(self) -> dict[str, Any]:
        """The summary as plain JSON values."""
        return {
            "id": plain(self.id),
            "dir": whole(str(self.path)),
            "start": self.start.isoformat(timespec="seconds") if self.start else None,
            "end": self.end.isoformat(timespec="seconds") if self.end else None,
            "duration_s": round(self.duration_s, 3),
            "utterances": self.utterances,
            "pending": self.pending,
            "title": self.title,
            "device": self.device,
            "model": self.model,
        }


def find_session(root: Path, session_id: str) -> SessionFolder:
    """The session with this id, or the newest for "latest". Raises SessionError when there is none."""
    if session_id == LATEST and not is_session(root / LATEST):
        # A session with a name of its own does not say when it was.
        folders = sorted(list_sessions(root), key=lambda folder: folder.id[:1].isdigit())
        if not folders:
            raise SessionError(plain(f"there is no session in {root} yet"))
        return folders[-1]
    folder = open_session(root, session_id)
    if not is_session(folder.path):
        raise SessionError(plain(f"{folder.path} is not a session"), mend="list them with: sessions list")
    return folder


def summarise(folder: SessionFolder) -> SessionSummary:
    """What one session was about. Raises SessionError when its transcript cannot be read."""
    duration, utterances, opening = 0.0, 0, ""
    waiting: set[str] = set()
    # Not decoded into utterances: a list of hundreds of sessions would take seconds.
    for line in read_lines(folder.transcript, decode_object):
        kind, wav = line.get("type"), str(line.get("wav", ""))
        t1 = line.get("t1")
        if isinstance(t1, int | float) and abs(t1) < _LATEST_S and kind in ("utterance", "gap"):
            duration = max(duration, float(t1))
        if kind == "pending" and wav:
            waiting.add(wav)
        elif kind in ("utterance", "dropped"):
            waiting.discard(str(line.get("segment", wav)))
        if kind == "utterance":
            utterances += 1
            if len(opening) < _TITLE_CHARS:
                opening = f"{opening} {line.get('text', '')}".strip()
    start = end = None
    device = model = ""
    try:
        record = read_record(folder.record)
        start, end, device, model = record.start, record.end, record.device, record.model
    except SessionError as error:
        log.info("%s", error)  # the transcript is what matters, and it says enough
    return SessionSummary(
        folder.id,
        folder.path,
        start,
        end,
        duration_s=duration,
        utterances=utterances,
        pending=len(waiting),
        title=_shortened(plain(opening)),
        device=plain(device),
        model=plain(model),
    )


def summaries(root: Path) -> list[SessionSummary]:
    """All sessions, oldest first; one that cannot be read is in the list with nothing in it."""
    found = []
    for folder in list_sessions(root):
        try:
            found.append(summarise(folder))
        except SessionError as error:
            log.warning("%s", error)
            found.append(SessionSummary(folder.id, folder.path, None, None, 0.0, 0, 0, f"({error})"))
    return found


def read_items(folder: SessionFolder) -> list[Item]:
    """Utterances and gaps by `seq`, with each mark before the first line that starts after it."""
    items: list[Item] = list(read_transcript(folder.transcript))
    for mark in sorted(read_marks(folder.path / "marks.jsonl"), key=lambda mark: mark.t):
        later = (n for n, item in enumerate(items) if not isinstance(item, Mark) and item.t0 > mark.t)
        items.insert(next(later, len(items)), mark)
    return items


def render_session(folder: SessionFolder, form: str) -> str:
    """One session in one of the export formats; md holds its chat too, json chat, brief and ledger as well.

    Raises SessionError for what cannot be read, UsageError for an unknown format.
    """
    about = summarise(folder).data()
    del about["dir"]  # says nothing about the session to whoever gets the file
    about["title"] = f"Session {folder.id}: {about['title']}" if about["title"] else f"Session {folder.id}"
    if form in ("md", "json"):
        about |= _beside_the_transcript(folder)
    return render(form, read_items(folder), about=about)


def export_session(
    folder: SessionFolder, forms: Iterable[str], out: Path, *, private: bool = False
) -> list[Path]:
    """Write `<id>.<form>` files into a folder, which is made if need be; nothing is overwritten.

    Returns where they are. `private` keeps them from other users. Raises SessionError, and UsageError for
    an unknown format before anything is written.
    """
    texts = {form: render_session(folder, form) for form in forms}
    try:
        ensure_private_dirs(out)
    except OSError as error:
        raise disk_error(out, error, doing="make") from error
    return [write_new(out / f"{folder.id}.{form}", text, private=private) for form, text in texts.items()]


@dataclass(frozen=True)
class Removed:
    """A session that is gone from the list. `exports` hold its words; `path` is still to be cleared away."""

    exports: tuple[Path, ...]
    path: Path


def remove_session(folder: SessionFolder, *, exports: Path | None) -> Removed:
    """Export a session, then take it out of the list in one step; `clear_removed` does the rest.

    With `exports` None nothing is exported. Raises SessionError; the session is untouched then.
    """
    written = export_session(folder, KEEPSAKES, exports, private=True) if exports is not None else []
    for hidden in free_names(folder.path.with_name(f"{_DELETED}{folder.id}")):
        if os.path.lexists(hidden):
            continue
        try:
            folder.path.rename(hidden)
        except OSError as error:
            raise disk_error(folder.path, error, doing="delete") from error
        return Removed(tuple(written), hidden)
    raise AssertionError("unreachable: the names never end")


def clear_removed(root: Path) -> None:
    """Delete the files of removed sessions, earlier interrupted deletions included. Raises SessionError."""
    try:
        for path in [path for path in root.iterdir() if path.name.startswith(_DELETED)]:
            if path.is_symlink():
                path.unlink()  # the folder it leads to was never ours
            else:
                shutil.rmtree(path)
    except OSError as error:
        raise disk_error(Path(error.filename or root), error, doing="delete") from error


def _beside_the_transcript(folder: SessionFolder) -> dict[str, Any]:
    """What the core wrote about the session, as far as it is there."""
    found: dict[str, Any] = {
        "chat": [record for record in read_chat(folder.path / "chat.jsonl") if not record.get("carried")],
        "ledger": list(read_lines(folder.path / "ledger.jsonl", decode_object)),
        "brief": _text_of(folder.path / "brief.md"),
        "summary": _text_of(folder.path / "summary.md"),
    }
    return {name: value for name, value in found.items() if value}


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise disk_error(path, error, doing="read") from error


def _shortened(text: str) -> str:
    if len(text) <= _TITLE_CHARS:
        return text
    return text[: _TITLE_CHARS - 1].rsplit(" ", 1)[0].rstrip(" ,.;:") + "…"
