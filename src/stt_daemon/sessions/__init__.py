"""A session on disk: its folder, session.json, the transcript's journal, chat and marks, and exports."""

from stt_daemon.sessions.chat_log import ChatLog, read_chat
from stt_daemon.sessions.export import FORMATS, clock_text, render
from stt_daemon.sessions.files import ensure_private_dirs, replace_file, write_new
from stt_daemon.sessions.folder import SessionFolder, create_session, list_sessions, open_session
from stt_daemon.sessions.journal import Journal
from stt_daemon.sessions.lines import PendingGap, read_transcript
from stt_daemon.sessions.marks import Mark, MarkLog, read_marks
from stt_daemon.sessions.record import (
    OpenedRecord,
    SessionRecord,
    SourceRun,
    open_record,
    read_record,
    write_record,
)
from stt_daemon.sessions.text import iso_local

__all__ = [
    "FORMATS",
    "ChatLog",
    "Journal",
    "Mark",
    "MarkLog",
    "OpenedRecord",
    "PendingGap",
    "SessionFolder",
    "SessionRecord",
    "SourceRun",
    "clock_text",
    "create_session",
    "ensure_private_dirs",
    "iso_local",
    "list_sessions",
    "open_record",
    "open_session",
    "read_chat",
    "read_marks",
    "read_record",
    "read_transcript",
    "render",
    "replace_file",
    "write_new",
    "write_record",
]
