"""What the search index holds, and how a session's files get into it. Called with the index's lock held.

Files only grow, so a file is read on from where the last reading ended. That it is still the same file is
told by its inode and by the bytes before that place.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stt_daemon.domain.text import plain
from stt_daemon.sessions.folder import SessionFolder
from stt_daemon.sessions.lines import Written, decode_line
from stt_daemon.sessions.marks import decode_mark
from stt_daemon.sessions.search_words import indexed

SCHEMA_VERSION = 1

SCHEMA = (
    """CREATE TABLE file (
        session TEXT NOT NULL, name TEXT NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL, read_to INTEGER NOT NULL, tail BLOB NOT NULL,
        PRIMARY KEY (session, name))""",
    """CREATE TABLE line (
        id INTEGER PRIMARY KEY, session TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
        utterance TEXT NOT NULL, seq INTEGER NOT NULL, t0 REAL NOT NULL, t1 REAL NOT NULL, wall TEXT NOT NULL,
        speaker TEXT NOT NULL, text TEXT NOT NULL)""",
    "CREATE INDEX line_of_session ON line (session, name)",
    "CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')",
)

_TAIL = 64
"""Bytes before the end of a reading that are remembered: the end of a line, which no other line shares."""

_MAX_INTEGER = 2**63
"""SQLite's, not Python's."""

_ADD_LINE = """INSERT INTO line (session, name, kind, utterance, seq, t0, t1, wall, speaker, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_ADD_FILE = """INSERT OR REPLACE INTO file (session, name, inode, size, mtime_ns, read_to, tail)
VALUES (?, ?, ?, ?, ?, ?, ?)"""

Transaction = Callable[[sqlite3.Connection], AbstractContextManager[None]]
Entry = tuple[str, str, int, float, float, str, str, str]
"""kind, utterance id, seq, t0, t1, wall, speaker, text"""
Decode = Callable[[bytes], Entry | None]


def known_sessions(db: sqlite3.Connection) -> set[str]:
    """The sessions of which something has been taken in."""
    return {session for (session,) in db.execute("SELECT DISTINCT session FROM file")}


def forget_session(db: sqlite3.Connection, session: str) -> None:
    """Remove everything of a session. Within a transaction."""
    for (name,) in db.execute("SELECT name FROM file WHERE session = ?", (session,)).fetchall():
        _forget_file(db, session, name)


def take_in(db: sqlite3.Connection, folder: SessionFolder, transaction: Transaction) -> None:
    """Bring the index in line with a session's files, one transaction each. Raises OSError."""
    for name, decode in _DECODERS.items():
        path = folder.path / name
        known = _known(db, folder.id, name)
        try:
            found = path.stat()
        except FileNotFoundError:
            if known is not None:
                with transaction(db):
                    _forget_file(db, folder.id, name)
            continue
        if known is None or not known.is_up_to_date(found):
            with transaction(db):
                _read_on(db, folder.id, path, decode)


@dataclass(frozen=True)
class _File:
    inode: int
    size: int
    mtime_ns: int
    read_to: int
    tail: bytes

    def is_up_to_date(self, found: os.stat_result) -> bool:
        return (self.inode, self.size, self.mtime_ns) == (found.st_ino, found.st_size, found.st_mtime_ns)


def _known(db: sqlite3.Connection, session: str, name: str) -> _File | None:
    row: tuple[Any, ...] | None = db.execute(
        "SELECT inode, size, mtime_ns, read_to, tail FROM file WHERE session = ? AND name = ?",
        (session, name),
    ).fetchone()
    if row is None:
        return None
    if not all(isinstance(number, int) for number in row[:4]) or not isinstance(row[4], bytes):
        raise sqlite3.DatabaseError("a file's row is not what was stored")
    return _File(*row)


def _read_on(db: sqlite3.Connection, session: str, path: Path, decode: Decode) -> None:
    # Looked up again: another process may have been faster.
    known = _known(db, session, path.name)
    with path.open("rb") as stream:
        found = os.fstat(stream.fileno())
        read_to, tail = (known.read_to, known.tail) if known else (0, b"")
        if known and known.inode == found.st_ino:
            stream.seek(max(0, read_to - len(tail)))
            same = stream.read(len(tail)) == tail
        else:
            same = known is None
        if not same:
            _forget_file(db, session, path.name)
            read_to, tail = 0, b""
            stream.seek(0)
        for raw in stream:
            if not raw.endswith(b"\n"):
                break  # still being written, or torn and about to be cut off
            read_to += len(raw)
            tail = raw[-_TAIL:]
            try:
                entry = decode(raw)
            except ValueError:
                continue
            if entry is not None:
                _add(db, session, path.name, entry)
    db.execute(
        _ADD_FILE,
        (session, path.name, found.st_ino, found.st_size, found.st_mtime_ns, read_to, tail),
    )


def _add(db: sqlite3.Connection, session: str, name: str, entry: Entry) -> None:
    row = db.execute(_ADD_LINE, (session, name, *entry)).lastrowid
    db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row, indexed(entry[-1])))


def _forget_file(db: sqlite3.Connection, session: str, name: str) -> None:
    lines = "SELECT id FROM line WHERE session = ? AND name = ?"
    db.execute(f"DELETE FROM words WHERE rowid IN ({lines})", (session, name))
    db.execute("DELETE FROM line WHERE session = ? AND name = ?", (session, name))
    db.execute("DELETE FROM file WHERE session = ? AND name = ?", (session, name))


def _utterance_entry(raw: bytes) -> Entry | None:
    line = decode_line(raw)
    if not isinstance(line, Written):
        return None
    said = line.utterance
    if not 0 <= said.seq < _MAX_INTEGER:
        raise ValueError("no session has so many lines")
    name, wall, speaker, text = (plain(field) for field in (said.id, said.wall, said.speaker, said.text))
    return ("utterance", name, said.seq, said.t0, said.t1, wall, speaker, text)


def _note_entry(raw: bytes) -> Entry | None:
    mark = decode_mark(raw)
    if mark is None or not mark.note:
        return None
    return ("note", "", 0, mark.t, mark.t, mark.wall, "", mark.note)


_DECODERS: dict[str, Decode] = {
    "transcript.jsonl": _utterance_entry,
    "marks.jsonl": _note_entry,
}
