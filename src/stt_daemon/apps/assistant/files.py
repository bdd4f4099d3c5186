"""The core's files, as the loop sees them: what is written goes to one side thread, what is read to another.

Owned by the loop. The session's chat and marks are appended in order of the calls. A disk that refuses is
told once, until it takes something again; the chat goes on from memory.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from stt_daemon.apps.assistant.effects import Found, Report
from stt_daemon.apps.assistant.side import SideThread
from stt_daemon.conversation import PastLine
from stt_daemon.domain import Clock
from stt_daemon.errors import ErrorRecord
from stt_daemon.messages import Marked, Message, Warned
from stt_daemon.sessions import iso_local

log = logging.getLogger(__name__)

Record = dict[str, Any]

FOUND_SHOWN = 10
"""Lines that `/find` shows."""

FOUND_FOR_CHAT = 40
"""Lines of earlier sessions that go with a question; the request shows as many as it has room for."""


class SessionFiles(Protocol):
    """The files of one session that the core writes; made and used by the writing thread only."""

    def append_chat(self, records: Sequence[Record]) -> None: ...

    def append_mark(self, t: float, note: str, wall: str) -> None: ...

    def append_ledger(self, lines: Sequence[Record]) -> None: ...

    def write_brief(self, text: str) -> None: ...

    def empty_brief(self) -> None: ...

    def close(self) -> None: ...


class Library(Protocol):
    """All sessions on disk; made and used by the reading thread only."""

    def find(self, text: str, limit: int) -> Sequence[Found]:
        """Lines for which all words are there, best first."""

    def past_lines(self, question: str, limit: int, without: str) -> Sequence[PastLine]:
        """Lines of other sessions than `without` that have to do with a question, best first."""

    def export(self, folder: Path, form: str) -> Path:
        """Write a session's transcript; never overwrites. Returns where it went."""


class Archive:
    """Appends to the files of the present session."""

    def __init__(
        self,
        folder: Path,
        open_files: Callable[[Path], SessionFiles],
        writer: SideThread,
        *,
        publish: Callable[[Message], None],
        clock: Clock,
    ) -> None:
        self._folder = folder
        self._open_files = open_files
        self._writer = writer
        self._publish = publish
        self._clock = clock
        self._files: dict[Path, SessionFiles] = {}  # touched by the writing thread only
        self._told = False

    def save(self, records: Sequence[Record]) -> None:
        """Append to chat.jsonl."""
        if not records:
            return
        folder, kept = self._folder, list(records)
        self._writer.submit(
            lambda: self._of(folder).append_chat(kept),
            lambda _: self._worked(),
            lambda error: self._refused("chat.jsonl", error),
        )

    def mark(self, t: float, note: str, report: Report) -> None:
        """Append to marks.jsonl; the mark counts when it is there."""
        folder, wall = self._folder, iso_local(self._clock.wall())

        def written(_: None) -> None:
            self._worked()
            self._publish(Marked(t=t, note=note))
            report("done", "noted" if note else "marked")

        self._writer.submit(
            lambda: self._of(folder).append_mark(t, note, wall),
            written,
            lambda error: report("failed", error.line()),
        )

    def record_facts(self, lines: Sequence[Record]) -> None:
        """Append to ledger.jsonl."""
        folder, kept = self._folder, list(lines)
        self._writer.submit(
            lambda: self._of(folder).append_ledger(kept),
            lambda _: self._worked(),
            lambda error: self._refused("ledger.jsonl", error),
        )

    def keep_brief(self, text: str) -> None:
        """Put this in place of brief.md."""
        folder = self._folder
        self._write_brief(lambda: self._of(folder).write_brief(text))

    def empty_brief(self) -> None:
        """Empty brief.md if there is one."""
        folder = self._folder
        self._write_brief(lambda: self._of(folder).empty_brief())

    def dump(self, record: Record, write: Callable[[Record], None]) -> None:
        """Write a record for troubleshooting, in order with the rest; that it fails disturbs nobody."""
        self._writer.submit(lambda: write(record), lambda _: None, lambda error: None)

    def change_folder(self, folder: Path) -> None:
        """From now on the files of another session are meant."""
        old, self._folder = self._folder, folder
        self._writer.submit(lambda: self._close(old), lambda _: None, lambda error: None)

    def close(self) -> None:
        """Close the files when all is written."""
        folder = self._folder
        self._writer.submit(lambda: self._close(folder), lambda _: None, lambda error: None)

    def _write_brief(self, write: Callable[[], None]) -> None:
        self._writer.submit(write, lambda _: self._worked(), lambda error: self._refused("brief.md", error))

    def _of(self, folder: Path) -> SessionFiles:
        if folder not in self._files:
            self._files[folder] = self._open_files(folder)
        return self._files[folder]

    def _close(self, folder: Path) -> None:
        files = self._files.pop(folder, None)
        if files is not None:
            files.close()

    def _worked(self) -> None:
        self._told = False

    def _refused(self, name: str, error: ErrorRecord) -> None:
        if not self._told:
            self._told = True
            self._publish(Warned(where=name, code=error.code, message=error.line()))


class PastDesk:
    """Searches and exports."""

    def __init__(
        self, open_library: Callable[[], Library], reader: SideThread, publish: Callable[[Message], None]
    ) -> None:
        self._open_library = open_library
        self._reader = reader
        self._publish = publish
        self._library: Library | None = None  # touched by the reading thread only
        self.folder = Path()
        """The folder of the present session."""

    def find(self, text: str, then: Callable[[Sequence[Found]], None], failed: Callable[[str], None]) -> None:
        """For `/find`."""
        self._reader.submit(
            lambda: self._shelf().find(text, FOUND_SHOWN), then, lambda error: failed(error.line())
        )

    def search(self, question: str, then: Callable[[tuple[PastLine, ...]], None]) -> None:
        """For the chat: on trouble the question goes out without earlier sessions, and the user is told."""
        here = self.folder.name

        def failed(error: ErrorRecord) -> None:
            self._publish(Warned(where="search", code=error.code, message=error.line()))
            then(())

        self._reader.submit(
            lambda: tuple(self._shelf().past_lines(question, FOUND_FOR_CHAT, here)), then, failed
        )

    def export(self, form: str, then: Callable[[str], None], failed: Callable[[str], None]) -> None:
        folder = self.folder
        self._reader.submit(
            lambda: str(self._shelf().export(folder, form)), then, lambda error: failed(error.line())
        )

    def _shelf(self) -> Library:
        if self._library is None:
            self._library = self._open_library()
        return self._library
