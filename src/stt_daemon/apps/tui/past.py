"""What was before this interface, from the session's files, and nothing of it twice. The bridge's thread.

The journal is the truth and a message only a notice: lines whose message went missing are read from it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from stt_daemon.domain import Clock, Gap, Utterance
from stt_daemon.errors import SttDaemonError
from stt_daemon.messages import (
    ChatSaid,
    GapMarked,
    Marked,
    Message,
    SessionChanged,
    TranscriptMissed,
    UtteranceFinished,
    Warned,
)
from stt_daemon.sessions import Mark, read_chat, read_marks, read_transcript
from stt_daemon.sessions.follower import TranscriptFollower

log = logging.getLogger(__name__)

Read = TypeVar("Read")

_SAME_MOMENT_S = 5.0
"""A message and its line in a file are this close together at most, even on a slow disk."""


@dataclass(frozen=True)
class Past:
    """All that the files of a session held."""

    lines: list[Utterance | Gap] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    chat: list[dict[str, Any]] = field(default_factory=list)


class PastReader:
    """Reads a session once, then lets messages pass that say something new."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._follower = self._new_follower(1)
        self._known: set[tuple[object, ...]] = set()
        self._read_at = 0.0
        self._troubles: list[Message] = []

    def read(self) -> Past:
        """The session's files as they are now."""
        past = Past(
            self._follower.catch_up(),
            self._tried("marks.jsonl", read_marks),
            self._tried("chat.jsonl", read_chat),
        )
        self._read_at = self._clock.wall()
        self._known = {(mark.t, mark.note) for mark in past.marks}
        self._known |= {(record.get("type"), record.get("n")) for record in past.chat}
        return past

    def follow(self, message: Message) -> Iterable[Message]:
        """What is new: the message itself, lines that went missing before it, or nothing."""
        match message:
            case SessionChanged() if message.state != "closed" and Path(message.dir) != self._folder:
                self._folder = Path(message.dir)
                self._follower = self._new_follower(1)
                yield message
            case UtteranceFinished() | GapMarked() | TranscriptMissed():
                seq = getattr(message, "seq", None)
                for line in self._follower.receive(message):
                    yield message if line.seq == seq else _message_of(line)
            case Marked(t=t, note=note) if self._is_known(message, (round(t, 3), note)):
                return
            case ChatSaid(role=role, exchange=number) if self._is_known(message, (role, number)):
                return
            case _:
                yield message
        yield from self._take_troubles()

    def _is_known(self, message: Message, key: tuple[object, ...]) -> bool:
        return key in self._known and message.at <= self._read_at + _SAME_MOMENT_S

    def _new_follower(self, next_seq: int) -> TranscriptFollower:
        folder = self._folder
        return TranscriptFollower(lambda seq: self._read_lines(folder, seq), next_seq=next_seq)

    def _read_lines(self, folder: Path, seq: int) -> list[Utterance | Gap]:
        return self._tried("transcript.jsonl", lambda path: list(read_transcript(path, seq)), folder)

    def _tried(self, name: str, read: Callable[[Path], list[Read]], folder: Path | None = None) -> list[Read]:
        try:
            return read((folder or self._folder) / name)
        except (SttDaemonError, OSError) as error:
            log.warning("%s cannot be read: %s", name, error)
            self._troubles.append(Warned(where=name, code="unreadable", message=str(error)))
            return []

    def _take_troubles(self) -> list[Message]:
        taken, self._troubles = self._troubles, []
        return taken


def _message_of(line: Utterance | Gap) -> Message:
    return GapMarked.of(line) if isinstance(line, Gap) else UtteranceFinished.of(line, None)
