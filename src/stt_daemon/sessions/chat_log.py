"""chat.jsonl: what was said to the model and what it said, one record a line. The core alone writes it.

Owned by one thread. Records are plain data that the conversation makes and reads back; here they only have
to be objects, and are written as they are. See `line_file` for what an append promises.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stt_daemon.sessions.json_lines import decode_object, encode_object, read_lines
from stt_daemon.sessions.line_file import LineFile, Write


class ChatLog:
    """The open log of one session."""

    def __init__(self, file: LineFile) -> None:
        self._file = file

    @classmethod
    def open(cls, path: Path, *, write: Write = os.write) -> ChatLog:
        """Open or make the file and repair its end. Raises SessionError."""
        return cls(LineFile.open(path, decode_object, write=write))

    @property
    def repairs(self) -> tuple[str, ...]:
        """What `open` found broken, one readable line each."""
        return self._file.repairs

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record. Raises SessionError, and ValueError for what JSON cannot hold."""
        self._file.append(encode_object(record))

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._file.close()


def read_chat(path: Path) -> list[dict[str, Any]]:
    """All records in the order in which they were written; none when there is no file.

    Any process, also while the core appends. Unreadable lines are left out. Raises SessionError.
    """
    return list(read_lines(path, decode_object))
