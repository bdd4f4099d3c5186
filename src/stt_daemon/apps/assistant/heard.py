"""What was said in this session, in order and each line once, as the core knows it.

Owned by the loop. The journal is the truth and a message only a notice of it; where a notice is missing the
journal is read, but never here: `read` starts that elsewhere, and `caught_up` takes what it found. Notices
that come in between wait, so that nothing overtakes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from stt_daemon.domain import Gap, Utterance
from stt_daemon.messages import GapMarked, TranscriptMissed, UtteranceFinished

Notice = UtteranceFinished | GapMarked | TranscriptMissed


class Heard:
    """The utterances of one session. `read(from_seq)` must lead to one call of `caught_up`."""

    def __init__(self, session: str, read: Callable[[int], None]) -> None:
        self.session = session
        self._read = read
        self._lines: list[Utterance] = []
        self._by_id: dict[str, Utterance] = {}
        self._next_seq = 1
        self._reading = False
        self._waiting: list[Notice] = []
        self._calls: list[Callable[[], None]] = []
        self._now_t = 0.0

    @property
    def now_t(self) -> float:
        """Session seconds up to which the source is known to have been read."""
        return self._now_t

    def lines(self) -> tuple[Utterance, ...]:
        """All of it, oldest first."""
        return tuple(self._lines)

    def text(self, ids: Iterable[str]) -> str:
        """What these utterances say, joined."""
        return " ".join(self._by_id[name].text for name in ids if name in self._by_id)

    def time_passed(self, t: float) -> None:
        self._now_t = max(self._now_t, t)

    @property
    def is_behind(self) -> bool:
        """Whether something was announced that is still being read."""
        return self._reading

    def when_known(self, call: Callable[[], None]) -> None:
        """Call this when all that was announced is known: now, or after the journal has been read."""
        if self._reading:
            self._calls.append(call)
        else:
            call()

    def take_up(self, lines: Iterable[Utterance | Gap]) -> None:
        """What the journal held before this run began."""
        self._take(lines)

    def receive(self, notice: Notice) -> list[Utterance]:
        """The utterances that became known; none for a repeated notice, or while the journal is read."""
        if self._reading:
            self._waiting.append(notice)
            return []
        if isinstance(notice, TranscriptMissed) or notice.seq > self._next_seq:
            self._waiting.append(notice)
            self._reading = True
            self._read(self._next_seq)
            return []
        return self._take([_line_of(notice)])

    def caught_up(self, lines: Iterable[Utterance | Gap]) -> list[Utterance]:
        """The journal has been read; what waited follows it. Empty `lines`: nothing could be read."""
        found = self._take(lines)
        self._reading = False
        waiting, self._waiting = self._waiting, []
        # The first of them is why the journal was read. What it announces and the journal does not hold was
        # damaged or is not readable yet: the notice is all there is.
        for place, notice in enumerate(waiting):
            if place:
                found += self.receive(notice)
            elif not isinstance(notice, TranscriptMissed):
                found += self._take([_line_of(notice)])
        if not self._reading:
            calls, self._calls = self._calls, []
            for call in calls:
                call()
        return found

    def _take(self, lines: Iterable[Utterance | Gap]) -> list[Utterance]:
        found = []
        for line in lines:
            if line.seq < self._next_seq:
                continue
            self._next_seq = line.seq + 1
            self._now_t = max(self._now_t, line.t1)
            if isinstance(line, Utterance):
                self._lines.append(line)
                self._by_id[line.id] = line
                found.append(line)
        return found


def _line_of(notice: UtteranceFinished | GapMarked) -> Utterance | Gap:
    if isinstance(notice, UtteranceFinished):
        return notice.utterance()
    return Gap(notice.seq, notice.t0, notice.t1, notice.reason, notice.wall)
