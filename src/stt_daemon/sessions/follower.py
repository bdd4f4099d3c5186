"""Follows a transcript by messages, and by the journal where a message is missing.

The journal is the truth, a message only a notice. Whoever needs every utterance once and in order feeds
its messages to a follower. One thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from stt_daemon.domain import Gap, Utterance
from stt_daemon.messages import GapMarked, TranscriptMissed, UtteranceFinished

Read = Callable[[int], Iterable[Utterance | Gap]]
"""Reads the journal from a `seq` on, in order."""


class TranscriptFollower:
    """Turns notices into transcript lines, each exactly once, ascending by `seq`."""

    def __init__(self, read: Read, *, next_seq: int = 1) -> None:
        self._read = read
        self.next_seq = next_seq

    def receive(self, message: UtteranceFinished | GapMarked | TranscriptMissed) -> list[Utterance | Gap]:
        """The lines that became known; none for a repeated notice."""
        if isinstance(message, TranscriptMissed):
            return self.catch_up()
        if message.seq < self.next_seq:
            return []
        if message.seq > self.next_seq:
            lines = self.catch_up()
            if message.seq < self.next_seq:
                return lines
            # The line is not readable yet or was damaged: the notice is all there is.
            return [*lines, *self._take(message)]
        return self._take(message)

    def catch_up(self) -> list[Utterance | Gap]:
        """Everything the journal holds that has not been seen yet."""
        lines = [line for line in self._read(self.next_seq) if line.seq >= self.next_seq]
        if lines:
            self.next_seq = lines[-1].seq + 1
        return lines

    def _take(self, message: UtteranceFinished | GapMarked) -> list[Utterance | Gap]:
        self.next_seq = message.seq + 1
        if isinstance(message, UtteranceFinished):
            return [message.utterance()]
        return [Gap(message.seq, message.t0, message.t1, message.reason, message.wall)]
