"""Utterances and gaps for a reader that may have missed some: in order, each once. One thread each."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from stt_daemon.channels import Frame
from stt_daemon.domain import Gap, Utterance
from stt_daemon.errors import SttDaemonError
from stt_daemon.messages import GapMarked, Message, SessionChanged, TranscriptMissed, UtteranceFinished

log = logging.getLogger(__name__)

ReadTranscript = Callable[[Path, int], Iterable[Utterance | Gap]]
"""The journal of a session folder from a `seq` on; the channel is only a notice of what is in it."""


class TranscriptOrder:
    """Fills holes in `seq` from the journal: what a slow reader's store forgot, or what a worker wrote
    down and could not announce any more.
    """

    def __init__(self, read_from: ReadTranscript) -> None:
        self._read_from = read_from
        self._session = ""
        self._folder: Path | None = None
        self._last: int | None = None

    def follow(self, frame: Frame) -> Iterator[Message]:
        """The messages a reader should see for this frame, in order; other topics pass."""
        message = frame.message()
        match message:
            case SessionChanged():
                yield from self._change_session(message)
                yield message
            case TranscriptMissed(from_seq=from_seq):
                yield from self.catch_up(from_seq)
            case UtteranceFinished(seq=seq) | GapMarked(seq=seq):
                if self._last is not None and seq > self._last + 1:
                    yield from self.catch_up()
                if self._last is None or seq > self._last:
                    self._last = seq
                    yield message
            case _:
                yield message

    def catch_up(self, from_seq: int | None = None) -> Iterator[Message]:
        """What the journal holds beyond the last one seen (or from `from_seq`, if none was seen yet)."""
        start = from_seq if self._last is None else self._last + 1
        if self._folder is None or start is None:
            return
        try:
            for line in self._read_from(self._folder, start):
                self._last = line.seq
                yield GapMarked.of(line) if isinstance(line, Gap) else UtteranceFinished.of(line, None)
        except (OSError, SttDaemonError) as error:
            log.warning("the journal of %s cannot be read: %s", self._folder, error)

    def _change_session(self, message: SessionChanged) -> Iterator[Message]:
        if message.id == self._session:
            # Its worker started again or closes it: nothing may be left unsaid.
            yield from self.catch_up()
            return
        yield from self.catch_up()
        self._session, self._folder = message.id, Path(message.dir)
        # Of a continued session only what is new is news.
        self._last = 0 if message.state == "opened" else None
