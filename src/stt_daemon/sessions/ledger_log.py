"""ledger.jsonl: facts as they came and went, and how far the brief has read. The core alone writes it.

Owned by one thread. Each line is an object with an `op`; what the lines mean is the triage room's business.
A line that the disk refuses is kept and written before the next ones, since a ledger with a hole would be
rebuilt into another ledger. See `line_file` for what an append promises.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stt_daemon.sessions.json_lines import decode_object, encode_object, read_lines
from stt_daemon.sessions.line_file import LineFile, Write

LEDGER_FILE = "ledger.jsonl"


class LedgerLog:
    """The ledger of one session; its file is made with the first line."""

    def __init__(self, path: Path, *, write: Write = os.write) -> None:
        self._path = path
        self._write = write
        self._file: LineFile | None = None
        self._owed: deque[bytes] = deque()

    def append(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Write lines, in order and behind those that could not be written before. Raises SessionError."""
        self._owed.extend(encode_object(line) for line in lines)
        if self._file is None and self._owed:
            self._file = LineFile.open(self._path, decode_object, write=self._write)
        while self._file is not None and self._owed:
            self._file.append(self._owed[0])
            self._owed.popleft()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._file is not None:
            self._file.close()


def read_ledger(path: Path) -> list[dict[str, Any]]:
    """All lines in the order in which they were written; none when there is no file.

    Unreadable lines are left out. Raises SessionError.
    """
    return list(read_lines(path, decode_object))
