"""brief.md: the brief as it was last accepted, replaced in one step. The core alone writes it; one thread."""

from __future__ import annotations

from pathlib import Path

from stt_daemon.sessions.files import disk_error, ensure_private_dirs, replace_file

BRIEF_FILE = "brief.md"

WITHOUT_SESSION = Path("brief") / BRIEF_FILE
"""Where it goes, below the working directory, when the session's folder is gone."""


def write_brief(folder: Path, text: str) -> None:
    """Put `text` in place of the brief of the session in `folder`; "" empties it. Raises SessionError."""
    place = _place(folder)
    try:
        ensure_private_dirs(place.parent)
    except OSError as error:
        raise disk_error(place.parent, error, doing="make") from error
    replace_file(place, text.encode())


def empty_brief(folder: Path) -> None:
    """Empty the brief if there is one. Raises SessionError."""
    if _place(folder).exists():
        write_brief(folder, "")


def read_brief(folder: Path) -> str:
    """The brief of the session in `folder`, "" when none was kept. Raises SessionError."""
    path = folder / BRIEF_FILE
    try:
        return path.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise disk_error(path, error, doing="read") from error


def _place(folder: Path) -> Path:
    return folder / BRIEF_FILE if folder.is_dir() else WITHOUT_SESSION
