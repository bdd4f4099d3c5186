"""Session folders: making one, finding one, listing them. Any thread, any process.

A session is a folder `YYYYMMDD-HHMMSS[-N]` in the sessions directory, private to its owner, with an
`audio` folder inside. Two processes that make one in the same second get two.
"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from stt_daemon.domain import next_session_id
from stt_daemon.domain.text import plain
from stt_daemon.errors import SessionError
from stt_daemon.sessions.files import disk_error, ensure_private_dirs, make_private_dir
from stt_daemon.sessions.text import local_time

_ID = re.compile(r"(\d{8}-\d{6})(?:-(\d+))?")


@dataclass(frozen=True)
class SessionFolder:
    """Where one session lives."""

    id: str
    path: Path

    @property
    def audio(self) -> Path:
        return self.path / "audio"

    @property
    def transcript(self) -> Path:
        return self.path / "transcript.jsonl"

    @property
    def record(self) -> Path:
        return self.path / "session.json"


def create_session(root: Path, wall: float) -> SessionFolder:
    """Make the folder of a session that starts now (`wall`: epoch seconds).

    Raises SessionError naming the path and the mend when nothing can be written there.
    """
    now = local_time(wall)
    try:
        ensure_private_dirs(root)
        while True:
            name = next_session_id(now, lambda name: os.path.lexists(root / name))
            try:
                make_private_dir(root / name)
            except FileExistsError:
                continue  # another process took the name between the look and the making
            break
    except OSError as error:
        raise _unwritable(root, error) from error
    folder = SessionFolder(name, root / name)
    try:
        make_private_dir(folder.audio)
    except OSError as error:
        folder.path.rmdir()
        raise _unwritable(root, error) from error
    return folder


def open_session(root: Path, session_id: str, *, writable: bool = False) -> SessionFolder:
    """The folder of an existing session; with `writable` also sure that it can be continued.

    Raises SessionError for an id that is no plain name, for one that is absent (the nearest ones are named),
    and, with `writable`, for a folder nothing can be written to.
    """
    if not session_id or session_id.startswith(".") or re.search(r"[/\\\x00]", session_id):
        raise SessionError(
            f"{plain(session_id)!r} is not a session id",
            mend="give the folder's name, like 20260131-093000, not a path",
        )
    folder = SessionFolder(session_id, root / session_id)
    if not folder.path.is_dir():
        absent = plain(f"there is no session {session_id!r} in {root}")
        raise SessionError(absent, mend=_nearest(root, session_id))
    if writable:
        try:
            if not folder.audio.is_dir():
                make_private_dir(folder.audio)
        except OSError as error:
            raise _unwritable(folder.path, error) from error
        for path in (folder.path, folder.audio):
            if not os.access(path, os.W_OK | os.X_OK):
                raise SessionError(plain(f"cannot write to {path}"), mend="make it writable for this user")
    return folder


def list_sessions(root: Path) -> list[SessionFolder]:
    """All sessions in a directory, oldest name first; none when the directory does not exist.

    A folder with a name of its own counts when it holds a session.json, so a session may be renamed.
    """
    try:
        paths = list(root.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise disk_error(root, error, doing="read") from error
    found = [SessionFolder(path.name, path) for path in paths if is_session(path)]
    return sorted(found, key=lambda folder: _order(folder.id))


def is_session(path: Path) -> bool:
    """Whether a path in a sessions directory is a session, and not one of the other folders there."""
    if path.name.startswith(".") or not path.is_dir():
        return False
    return bool(_ID.fullmatch(path.name)) or (path / "session.json").exists()


def _order(session_id: str) -> tuple[str, int]:
    """`-10` comes after `-2`."""
    match = _ID.fullmatch(session_id)
    return (match[1], int(match[2] or 1)) if match else (session_id, 0)


def _nearest(root: Path, session_id: str) -> str:
    ids = [folder.id for folder in list_sessions(root)]
    if not ids:
        return "no session is there yet"
    # Ids differ in few digits, so almost any pair passes a similarity limit; the best three are enough.
    near = difflib.get_close_matches(session_id, ids, n=3, cutoff=0.5)
    return f"nearest: {', '.join(near)}" if near else f"the latest: {', '.join(ids[:-4:-1])}"


def _unwritable(root: Path, error: OSError) -> SessionError:
    translated = disk_error(root, error, doing="make a session in")
    if translated.code == "disk":
        return translated
    return SessionError(
        str(translated), mend="make it writable for this user, or set [sessions].dir to another place"
    )
