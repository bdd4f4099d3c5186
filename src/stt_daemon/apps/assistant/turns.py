"""When a turn has ended: speech stopped and it stayed quiet for `turn_gap_s`. Pure; one thread.

Time here is the source's (session seconds), so a file read at full speed has the same turns as in real
time. A turn is only complete when everything said in it has been written down, hence the lag.
"""

from __future__ import annotations

from collections import deque

from stt_daemon.domain import Turn, Utterance


class TurnDetector:
    """Fed with what happens, asked for the turns that are settled.

    Invariant: `_open` holds the utterances of unsettled turns in order; `_ends` the ends of quiet
    stretches (speech time) that separate them, ascending.
    """

    def __init__(self, gap_s: float) -> None:
        self._gap_s = gap_s
        self.clear()

    def clear(self) -> None:
        """Forget everything, as at the start of a new session."""
        self._open: deque[Utterance] = deque()
        self._ends: deque[float] = deque()
        self._speaking = False
        self._last_voice: float | None = None
        self._waiting = False
        self._now = 0.0

    def speech_started(self, t: float) -> None:
        self._close_if_quiet(t)
        self._speaking = True

    def speech_ended(self, t: float) -> None:
        self._speaking = False
        self._last_voice = t

    def utterance(self, utterance: Utterance) -> None:
        self._open.append(utterance)
        if not self._speaking and (self._last_voice is None or utterance.t1 > self._last_voice):
            self._last_voice = utterance.t1

    def transcription_waits(self, waits: bool) -> None:
        """Whether recorded speech is still on its way to becoming text."""
        self._waiting = waits

    def time_passed(self, t: float) -> None:
        self._now = max(self._now, t)
        if not self._speaking:
            self._close_if_quiet(self._now)

    def source_stopped(self) -> None:
        """The source ended, was lost or paused: nothing more belongs to what was said so far."""
        if self._speaking:
            self._speaking = False
            self._last_voice = max(self._now, self._open[-1].t1 if self._open else 0.0)
        self._close_if_quiet(float("inf"))

    def settled(self) -> list[Turn]:
        """The turns that ended and are fully written down, oldest first; each is returned once."""
        turns = []
        while self._ends:
            end = self._ends[0]
            if self._waiting and not (self._open and self._open[-1].t0 > end):
                break
            said = []
            while self._open and self._open[0].t0 <= end:
                said.append(self._open.popleft())
            self._ends.popleft()
            if said:
                turns.append(Turn(tuple(u.id for u in said), said[0].t0, said[-1].t1))
        return turns

    def _close_if_quiet(self, until: float) -> None:
        if self._last_voice is not None and until - self._last_voice >= self._gap_s:
            self._ends.append(self._last_voice)
            self._last_voice = None
