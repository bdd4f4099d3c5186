"""How this room touches the disk: private folders and files, whole replacements, readable refusals.

Any thread; two threads must not replace the same file at once.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stt_daemon.domain.text import plain
from stt_daemon.errors import SessionError

PRIVATE_DIR = 0o700
PRIVATE_FILE = 0o600

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}


def disk_error(path: Path, error: OSError, *, doing: str = "write") -> SessionError:
    """The readable form of what the system said about `path`; code "disk" when there is no room."""
    reason = error.strerror or str(error)
    message = plain(f"cannot {doing} {path}: {reason}")
    if error.errno in _FULL:
        return SessionError(message, mend="make room on that disk", code="disk")
    if error.errno in _DENIED:
        return SessionError(message, mend="make it writable for this user, or choose another place")
    return SessionError(message)


def make_private_dir(path: Path) -> None:
    """Make one folder that only its owner enters, whatever the umask. Raises OSError, FileExistsError too."""
    path.mkdir(mode=PRIVATE_DIR)
    # mkdir's mode passes the umask, and one like 0777 would leave a folder nobody can enter.
    path.chmod(PRIVATE_DIR)


def ensure_private_dirs(path: Path) -> None:
    """Make a folder and those above it that are missing, each private. Existing ones stay as they are."""
    if path.is_dir():
        return
    if path.parent != path:
        ensure_private_dirs(path.parent)
    try:
        make_private_dir(path)
    except FileExistsError:
        if not path.is_dir():
            raise


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` in place of `path` in one step, readable by the owner only.

    A reader sees the old content or the new, also after a power loss. Raises SessionError; the old file is
    intact then.
    """
    scratch = ""
    try:
        descriptor, scratch = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "wb") as stream:
            os.fchmod(stream.fileno(), PRIVATE_FILE)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(scratch).replace(path)
    except OSError as error:
        if scratch:
            with contextlib.suppress(OSError):
                Path(scratch).unlink()
        raise disk_error(path, error) from error


def free_names(path: Path) -> Iterator[Path]:
    """`name.ext`, `name-1.ext`, `name-2.ext`, ... for a caller that must not overwrite."""
    yield path
    number = 0
    while True:
        number += 1
        yield path.with_name(f"{path.stem}-{number}{path.suffix}")


def write_new(path: Path, text: str, *, private: bool = False) -> Path:
    """Write a file under the first free name made from `path`; never overwrites. Returns where it went.

    The mode follows the umask, for files the user asked for, unless it is to be `private`. Raises
    SessionError.
    """
    for candidate in free_names(path):
        try:
            with candidate.open("x", encoding="utf-8", newline="\n") as stream:
                try:
                    if private:
                        os.fchmod(stream.fileno(), PRIVATE_FILE)
                    stream.write(text)
                    stream.flush()
                except OSError:
                    # Half a transcript under the right name would pass for a whole one.
                    candidate.unlink(missing_ok=True)
                    raise
        except FileExistsError:
            continue
        except OSError as error:
            raise disk_error(candidate, error) from error
        return candidate
    raise AssertionError("unreachable: the names never end")


def set_aside(path: Path) -> Path:
    """Rename a damaged file to `<name>.damaged`, or `<name>-1.damaged`, ..., and return its new name.

    Raises SessionError.
    """
    for candidate in free_names(path.with_name(f"{path.name}.damaged")):
        if os.path.lexists(candidate):
            continue
        try:
            path.rename(candidate)
        except OSError as error:
            raise disk_error(path, error, doing="set aside") from error
        return candidate
    raise AssertionError("unreachable: the names never end")
