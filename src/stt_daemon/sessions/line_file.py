"""A file that only grows, a line at a time: whole lines or none, and a torn end repaired.

Owned by one thread of the one process that writes the file. Each line reaches the operating system by one
write before `append` returns, so a killed process loses at most the line it was writing; the next `open`
cuts that one off. What cannot be written is refused with the file as it was, and may be tried again.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

from stt_daemon.errors import SessionError
from stt_daemon.sessions.files import PRIVATE_FILE, disk_error

log = logging.getLogger(__name__)

Write = Callable[[int, bytes], int]
"""Like `os.write`: may write less than it is given, and raises OSError."""


class LineFile:
    """One such file, open for appending."""

    def __init__(self, path: Path, descriptor: int, write: Write) -> None:
        self.path = path
        self.repairs: tuple[str, ...] = ()
        """What `open` found broken, one readable line each."""
        self._torn_at: int | None = None
        self._descriptor = descriptor
        self._write = write

    @classmethod
    def open(cls, path: Path, take: Callable[[bytes], object], *, write: Write = os.write) -> LineFile:
        """Open or make the file, readable by its owner only, and repair its end.

        `take` gets every line in order and raises ValueError for what is none. Raises SessionError when the
        file cannot be made, read or repaired.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, PRIVATE_FILE)
        except OSError as error:
            raise disk_error(path, error) from error
        file = cls(path, descriptor, write)
        try:
            if stat.S_IMODE(os.fstat(descriptor).st_mode) != PRIVATE_FILE:
                os.fchmod(descriptor, PRIVATE_FILE)
            file.repairs = tuple(file._take_up(take))
        except OSError as error:
            file.close()
            raise disk_error(path, error) from error
        except SessionError:
            file.close()
            raise
        for repair in file.repairs:
            log.warning("%s", repair)
        return file

    def append(self, data: bytes) -> None:
        """Write a whole line, its end included, or leave the file as it was. Raises SessionError."""
        if self._descriptor < 0:
            raise SessionError(f"{self.path} is closed")
        try:
            if self._torn_at is None:
                self._torn_at = os.fstat(self._descriptor).st_size
            else:
                os.ftruncate(self._descriptor, self._torn_at)
            written = 0
            while written < len(data):
                # One write as a rule. When the system stops short it says why only when asked for the rest.
                written += self._write(self._descriptor, data[written:])
            self._torn_at = None
        except OSError as error:
            self._cut_torn()
            trouble = disk_error(self.path, error)
            raise SessionError(str(trouble), mend=trouble.mend, code="disk") from error

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _cut_torn(self) -> None:
        """Remove the part of a line that got through; where even that fails the next append tries again."""
        if self._torn_at is None:
            return
        try:
            os.ftruncate(self._descriptor, self._torn_at)  # shrinking needs no room
        except OSError as error:
            log.error("%s: a torn line cannot be removed yet: %s", self.path.name, error)
        else:
            self._torn_at = None

    def _take_up(self, take: Callable[[bytes], object]) -> list[str]:
        """Hand on every line, repair the last one, and return what was wrong."""
        repairs: list[str] = []
        offset = number = 0
        raw = b""
        with os.fdopen(os.dup(self._descriptor), "rb") as stream:
            stream.seek(0)
            for raw in stream:
                number += 1
                try:
                    take(raw)
                except ValueError:
                    if not raw.endswith(b"\n"):
                        os.ftruncate(self._descriptor, offset)
                        repairs.append(f"{self.path.name}: the torn last line ({len(raw)} bytes) was cut off")
                        return repairs
                    if raw.strip():
                        repairs.append(f"{self.path.name}: line {number} cannot be read and is skipped")
                offset += len(raw)
        if raw and not raw.endswith(b"\n"):
            if self._write(self._descriptor, b"\n") != 1:
                raise SessionError(f"cannot write {self.path}", code="disk")
            repairs.append(f"{self.path.name}: the last line was whole and got its line end")
        return repairs
