"""Utterances and gaps for an output that may have missed some: in order, each once. One thread each."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from stt_daemon.channels import Frame
from stt_daemon.domain import Gap, Utterance
from stt_daemon.errors import SttDaemonError
from stt_daemon.messages import GapMarked, Message, SessionChanged, TranscriptMissed, UtteranceFinished
from stt_daemon.sessions.follower import TranscriptFollower

log = logging.getLogger(__name__)

ReadTranscript = Callable[[Path, int], Iterable[Utterance | Gap]]
"""The journal of a session folder from a `seq` on; the channel is only a notice of what is in it."""


class TranscriptOrder:
    """Follows the transcript from session to session.

    Holes in `seq` are filled from the journal: what a slow reader's store forgot, or what a worker wrote
    down and could not announce any more.
    """

    def __init__(self, read_from: ReadTranscript) -> None:
        self._read_from = read_from
        self._session = ""
        self._folder = Path()
        self._follower: TranscriptFollower | None = None

    def follow(self, frame: Frame) -> Iterator[Message]:
        """The messages an output should show for this frame, in order; other topics pass."""
        message = frame.message()
        match message:
            case SessionChanged():
                # Its worker starts again, or it ends: nothing may be left unsaid.
                yield from self.rest()
                if message.id != self._session:
                    self._session, self._folder = message.id, Path(message.dir)
                    # Of a continued session only what is new is news; where that begins is seen later.
                    self._follower = self._new_follower(1) if message.state == "opened" else None
                yield message
            case UtteranceFinished(seq=first) | GapMarked(seq=first) | TranscriptMissed(from_seq=first):
                self._follower = self._follower or self._new_follower(first)
                for line in self._follower.receive(message):
                    # The message itself knows more than the journal: when, and how late it was.
                    known = getattr(message, "seq", None) == line.seq
                    yield message if known else _message_of(line)
            case _:
                yield message

    def rest(self) -> Iterator[Message]:
        """What the journal holds beyond the last one seen."""
        if self._follower is not None:
            for line in self._follower.catch_up():
                yield _message_of(line)

    def _new_follower(self, next_seq: int) -> TranscriptFollower:
        folder = self._folder
        return TranscriptFollower(lambda seq: self._read(folder, seq), next_seq=next_seq)

    def _read(self, folder: Path, seq: int) -> list[Utterance | Gap]:
        if not self._session:
            return []
        try:
            return list(self._read_from(folder, seq))
        except (OSError, SttDaemonError) as error:
            log.warning("the journal of %s cannot be read: %s", folder, error)
            return []


def _message_of(line: Utterance | Gap) -> Message:
    return GapMarked.of(line) if isinstance(line, Gap) else UtteranceFinished.of(line, None)
