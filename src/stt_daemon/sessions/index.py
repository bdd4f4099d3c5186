"""Full-text search over all sessions: an SQLite file that is derived from them and can be made again.

Any thread and any process may use an index at the same time as others; calls read and write the disk, so the
core makes them outside its loop. What is damaged, of another version or in the way is thrown away and built
anew from the sessions, which are the truth.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from stt_daemon.domain.text import plain, whole
from stt_daemon.errors import SessionError
from stt_daemon.sessions.files import PRIVATE_FILE, disk_error
from stt_daemon.sessions.folder import list_sessions
from stt_daemon.sessions.index_content import SCHEMA, SCHEMA_VERSION, forget_session, known_sessions, take_in
from stt_daemon.sessions.search_words import match_expression, readable

log = logging.getLogger(__name__)

T = TypeVar("T")

INDEX_FILE = "index.sqlite"

Connect = Callable[[str], sqlite3.Connection]

_PATIENCE_S = 5.0
"""How long to wait for another process; each of its transactions takes in one file."""

_SNIPPET_WORDS = 24

_SEARCH = f"""
SELECT line.session, line.kind, line.utterance, line.seq,
       line.t0, line.t1, line.wall, line.speaker, line.text,
       snippet(words, 0, '', '', '…', {_SNIPPET_WORDS}), -bm25(words)
FROM words JOIN line ON line.id = words.rowid
WHERE words MATCH :match AND (:session IS NULL OR line.session = :session)
ORDER BY bm25(words), line.session DESC, line.id LIMIT :limit
"""


@dataclass(frozen=True)
class SearchHit:
    """A line that was found. `kind` is "utterance", or "note" (without utterance, seq and speaker).

    `snippet` is the part of `text` around the words; `score` is relevance, the higher the better, and means
    something only beside other hits of the same search.
    """

    session: str
    kind: str
    utterance: str
    seq: int
    t0: float
    t1: float
    wall: str
    speaker: str
    text: str
    snippet: str
    score: float


_TYPES = (str, str, str, int, float, float, str, str, str, str, float)


_SURROUNDINGS = (
    "no such module",
    "locked",
    "full",
    "readonly",
    "unable to open",
    "disk i/o",
    "out of memory",
)
"""What SQLite complains about that building the file again would not mend."""


class _DamagedError(sqlite3.DatabaseError):
    """Readable to SQLite, but not what was stored."""


class SessionIndex:
    """The index of one sessions directory."""

    def __init__(self, root: Path, connect: Connect) -> None:
        self._root = root
        self._path = root / INDEX_FILE
        self._connect = connect
        self._lock = threading.Lock()
        self._open: sqlite3.Connection | None = None
        self._inode = 0

    @classmethod
    def open(cls, root: Path, *, connect: Connect | None = None) -> SessionIndex:
        """Open or make the index of an existing directory; `refresh` fills it.

        Raises SessionError when the file cannot be made, or when this Python's SQLite cannot search.
        """
        index = cls(root, connect or _connect)
        index._run(lambda _connection: None)
        return index

    def refresh(self) -> None:
        """Take in what sessions have gained, and let go of those that are gone. Raises SessionError."""
        self._run(self._refresh)

    def search(
        self, query: str, *, limit: int = 20, session: str | None = None, any_word: bool = False
    ) -> list[SearchHit]:
        """The lines that hold all words of the query (or any), best first, newest session first among equals.

        Any text is a safe query; one without a word finds nothing. Knows what the last `refresh` saw. Raises
        SessionError.
        """
        match = match_expression(query, any_word=any_word)
        if not match:
            return []
        only = None if session is None else whole(session)
        asked = {"match": match, "session": only, "limit": max(0, limit)}
        return self._run(lambda db: [_hit(row) for row in db.execute(_SEARCH, asked)])

    def forget(self, session: str) -> None:
        """Remove a session's words from the file, also from its unused pages. Raises SessionError."""
        self._run(lambda db: _forget(db, whole(session), thoroughly=True))

    def rebuild(self) -> None:
        """Throw everything away and build it again from the sessions. Raises SessionError."""
        try:
            with self._lock:
                self._discard()
        except OSError as error:
            raise disk_error(self._path, error) from error
        self.refresh()

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        with self._lock:
            self._close()

    def _refresh(self, db: sqlite3.Connection) -> None:
        # A name that is not UTF-8 has no place in the file; such a session cannot be searched.
        folders = [folder for folder in list_sessions(self._root) if folder.id == whole(folder.id)]
        for gone in known_sessions(db) - {folder.id for folder in folders}:
            _forget(db, gone)
        for folder in folders:
            try:
                take_in(db, folder, _transaction)
            except OSError as error:
                # The other sessions can still be searched.
                log.warning("session %s is not searched: %s", folder.id, error)

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do the work; when the file turns out to be damaged, make it again first and repeat."""
        with self._lock:
            try:
                try:
                    return work(self._connection())
                except (sqlite3.Error, UnicodeDecodeError) as error:
                    if not _means_damage(error):
                        raise
                    log.warning("%s is damaged and is built again: %s", self._path, error)
                    self._discard()
                    self._refresh(self._connection())
                    return work(self._connection())
            except (sqlite3.Error, UnicodeDecodeError) as error:
                self._close()
                raise _readable_error(self._path, error) from error
            except OSError as error:
                raise disk_error(self._path, error) from error

    def _connection(self) -> sqlite3.Connection:
        """The open file, if it still is the one that has the name."""
        if self._open is not None and self._inode != _inode(self._path):
            self._close()
        if self._open is None:
            # Never opened and closed by hand when it exists: that would drop the locks SQLite holds on it.
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
            if stat.S_IMODE(self._path.stat().st_mode) != PRIVATE_FILE:
                self._path.chmod(PRIVATE_FILE)
            self._inode = _inode(self._path)
            self._open = self._connect(str(self._path))
            _prepare(self._open)
        return self._open

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _discard(self) -> None:
        """Remove the file, unless another process has already put a new one in its place."""
        self._close()
        if self._inode == _inode(self._path):
            # Only a damaged header has SQLite make the last two.
            for beside in ("-journal", "", "-wal", "-shm"):
                (self._root / f"{INDEX_FILE}{beside}").unlink(missing_ok=True)


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False)


def _prepare(db: sqlite3.Connection) -> None:
    """Make the tables of a new file. Raises sqlite3.Error."""
    db.execute("PRAGMA secure_delete = ON")  # what a user deletes must not linger in free pages
    if _version(db) == SCHEMA_VERSION:
        return
    with _transaction(db):
        found = _version(db)
        if found == SCHEMA_VERSION:
            return
        if found != 0:
            raise _DamagedError(f"version {found}")
        for statement in SCHEMA:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _forget(db: sqlite3.Connection, session: str, *, thoroughly: bool = False) -> None:
    with _transaction(db):
        forget_session(db, session)
        if thoroughly:
            # Deleting leaves the words in older segments of the index until these are merged.
            db.execute("INSERT INTO words(words) VALUES ('optimize')")


def _hit(row: tuple[Any, ...]) -> SearchHit:
    if not all(isinstance(value, kind) for value, kind in zip(row, _TYPES, strict=True)):
        raise _DamagedError("a line is not what was stored")
    hit = SearchHit(*row)
    return SearchHit(**{**vars(hit), "snippet": readable(hit.snippet)})


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0


def _means_damage(error: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Whether the file is not, or no longer, what this version wrote; SQLite has many words for that."""
    return not any(part in str(error).lower() for part in _SURROUNDINGS)


def _readable_error(path: Path, error: Exception) -> SessionError:
    text = str(error)
    if "no such module" in text:
        return SessionError(
            "the SQLite of this Python cannot search text (it lacks FTS5)",
            mend="use a Python with a complete SQLite, such as one that uv installs",
            code="no_search",
        )
    if "locked" in text:
        return SessionError(plain(f"{path} is in use by another process"), mend="try again")
    if "full" in text:
        return SessionError(plain(f"cannot write {path}: {text}"), mend="make room on that disk", code="disk")
    return SessionError(plain(f"cannot use {path}: {text}"))
