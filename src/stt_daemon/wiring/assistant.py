"""Who gets which real part for the assistant core: the lane, the session's files, the library of sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stt_daemon.config import Config
from stt_daemon.conversation import PastLine
from stt_daemon.domain import Clock, Utterance
from stt_daemon.lanes.inference_queue import InferenceQueue
from stt_daemon.sessions import open_session
from stt_daemon.sessions.brief_file import empty_brief, write_brief
from stt_daemon.sessions.chat_log import ChatLog, read_chat
from stt_daemon.sessions.index import SearchHit, SessionIndex
from stt_daemon.sessions.ledger_log import LEDGER_FILE, LedgerLog
from stt_daemon.sessions.marks import MarkLog
from stt_daemon.wiring.llm import Post, build_llm_lane
from stt_daemon.wiring.triage import TriageParts


class CoreFiles:
    """What the core writes in a session's folder; each made when there is something to write. One thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._chat: ChatLog | None = None
        self._marks: MarkLog | None = None
        self._ledger = LedgerLog(folder / LEDGER_FILE)

    def append_chat(self, records: Sequence[Mapping[str, Any]]) -> None:
        if self._chat is None:
            self._chat = ChatLog.open(self._folder / "chat.jsonl")
        for record in records:
            self._chat.append(record)

    def append_mark(self, t: float, note: str, wall: str) -> None:
        if self._marks is None:
            self._marks = MarkLog.open(self._folder / "marks.jsonl")
        self._marks.append(t, wall, note)

    def append_ledger(self, lines: Sequence[Mapping[str, Any]]) -> None:
        self._ledger.append(lines)

    def write_brief(self, text: str) -> None:
        write_brief(self._folder, text)

    def empty_brief(self) -> None:
        empty_brief(self._folder)

    def close(self) -> None:
        for log in (self._chat, self._marks, self._ledger):
            if log is not None:
                log.close()


class SessionLibrary:
    """The sessions in a directory, searched through their index, which is open only while it is asked."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def find(self, text: str, limit: int) -> Sequence[SearchHit]:
        """Lines and notes with all these words. Raises SessionError."""
        with closing(SessionIndex.open(self._root)) as index:
            index.refresh()
            return index.search(text, limit=limit)

    def past_lines(self, question: str, limit: int, without: str) -> Sequence[PastLine]:
        """Lines of other sessions with some of a question's words, best first. Raises SessionError."""
        with closing(SessionIndex.open(self._root)) as index:
            index.refresh()
            # The present session may well hold the best ones, and they go with the question anyway.
            hits = index.search(question, limit=4 * limit, any_word=True)
        said = [hit for hit in hits if hit.session != without and hit.kind == "utterance"]
        return [PastLine(hit.session, _utterance(hit)) for hit in said[:limit]]

    def export(self, folder: Path, form: str) -> Path:
        """Write a session's transcript where exports go. Raises SessionError."""
        from stt_daemon.sessions.library import EXPORTS, export_session

        session = open_session(folder.parent, folder.name)
        return export_session(session, [form], self._root / EXPORTS, private=True)[0]


def _utterance(hit: SearchHit) -> Utterance:
    """What a search knows of a line, in the form in which the chat shows lines."""
    return Utterance(
        id=hit.utterance,
        seq=hit.seq,
        t0=hit.t0,
        t1=hit.t1,
        wall=hit.wall,
        speaker=hit.speaker,
        source="",
        text=hit.text,
        language="",
        wav="",
        avg_logprob=0.0,
        no_speech_prob=0.0,
    )


def read_session_chat(folder: Path) -> list[dict[str, Any]]:
    """The records of a session's chat.jsonl. Raises SessionError."""
    return read_chat(folder / "chat.jsonl")


@dataclass(frozen=True)
class AssistantParts:
    """The parts the core is made of; a test replaces one."""

    llm_lane: Callable[[Config, Post, Clock], InferenceQueue[Any]] = build_llm_lane
    session_files: Callable[[Path], CoreFiles] = CoreFiles
    library: Callable[[Path], SessionLibrary] = SessionLibrary
    read_chat: Callable[[Path], list[dict[str, Any]]] = read_session_chat
    triage: TriageParts = field(default_factory=TriageParts)
