"""Decides where segments begin and end, from speech probabilities alone. Pure: no samples, no clock, no disk.

Positions are sample numbers at 16 kHz on the caller's count. Invariants: segments are disjoint and in order;
none is longer than `max_segment_s`; what follows a forced cut opens the next segment at that very sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from stt_daemon.audio.vad import FRAME
from stt_daemon.domain import SAMPLE_RATE, SegmentReason

HYSTERESIS = 0.15
"""Speech that has begun goes on until the probability falls this far below the threshold: Silero's rule."""

TAIL_PAD_MS = 250
"""Kept after the last voiced frame. In the reference recordings audible speech went on for up to 192 ms after
it (a telephone's "Hello?"); between 60 and 500 ms the word error rate is the same, so more buys nothing."""

CUT_SMOOTHING = 5
"""Frames (160 ms) whose level is averaged to find the quietest point: a pause, not the closure of a "t"."""

CUT_PROBABILITY_DB = 10.0
"""How many dB of quiet a probability of 0 is worth against 1 in that search."""


@dataclass(frozen=True)
class Opened:
    """A segment may have begun at sample `start`: record from there."""

    start: int


@dataclass(frozen=True)
class SpeechBegan:
    """There is enough voice to call it speech; its first voiced sample."""

    at: int


@dataclass(frozen=True)
class SpeechCeased:
    """The pause is long enough, or hearing ended; the sample after the last voiced one."""

    at: int


@dataclass(frozen=True)
class Closed:
    """The segment holds samples `start` to `end`; voice runs from `speech_start` to `speech_end` in it."""

    start: int
    end: int
    speech_start: int
    speech_end: int
    voiced: int
    reason: SegmentReason


@dataclass(frozen=True)
class Discarded:
    """What opened was no speech: forget the recording. `voiced` samples were called speech."""

    start: int
    voiced: int


Decision: TypeAlias = Opened | SpeechBegan | SpeechCeased | Closed | Discarded


@dataclass(frozen=True)
class _Frame:
    at: int
    voiced: bool
    probability: float
    level_db: float


class Segmenter:
    """One stretch of connected sound at a time: `push` each frame, `finish` where the sound ends."""

    def __init__(
        self,
        *,
        threshold: float = 0.5,
        min_speech_ms: int = 120,
        end_silence_ms: int = 700,
        pre_roll_ms: int = 300,
        tail_pad_ms: int = TAIL_PAD_MS,
        max_segment_s: float = 28.0,
    ) -> None:
        self._begin = threshold
        self._go_on = max(threshold - HYSTERESIS, 0.01)
        self._min_speech = _samples(min_speech_ms)
        self._end_silence = _samples(end_silence_ms)
        self._pre_roll = _samples(pre_roll_ms)
        self._tail = _samples(min(tail_pad_ms, end_silence_ms))
        self._max = max(4 * FRAME, int(max_segment_s * SAMPLE_RATE))
        self.restart(0)

    def restart(self, position: int) -> None:
        """Begin anew at `position`; nothing before it may be recorded any more. Call `finish` first."""
        self._position = position
        self._free_from = position
        self._start: int | None = None
        self._frames: list[_Frame] = []
        self._silent_since: int | None = None
        self._continued = False
        self._speaking = False

    @property
    def start(self) -> int | None:
        """First sample of the open segment; None while there is none."""
        return self._start

    @property
    def speaking(self) -> bool:
        """Speech has begun and not yet ceased."""
        return self._speaking

    @property
    def in_silence(self) -> bool:
        """The last frame was not voiced."""
        return self._start is None or self._silent_since is not None

    @property
    def last_voiced(self) -> int:
        """The sample after the last voiced frame of the open segment."""
        return self._silent_since if self._silent_since is not None else self._position

    @property
    def earliest_needed(self) -> int:
        """No decision to come reaches back before this sample."""
        if self._start is not None:
            return self._start
        return max(self._free_from, self._position - self._pre_roll)

    def push(self, probability: float, level_db: float) -> list[Decision]:
        """Take the next frame of 512 samples with its level in dBFS."""
        at = self._position
        self._position = at + FRAME
        loud = probability >= self._begin
        decisions: list[Decision] = []
        if self._start is None:
            if not loud:
                return decisions
            self._start = max(self._free_from, at - self._pre_roll, 0)
            decisions.append(Opened(self._start))
        # Once it fell silent only clear speech counts again: a probability that hovers keeps no segment open.
        voiced = loud or (self._silent_since is None and probability >= self._go_on)
        self._frames.append(_Frame(at, voiced, probability, level_db))
        if voiced:
            self._silent_since = None
        elif self._silent_since is None:
            self._silent_since = at
        if not self._speaking and voiced and self._voiced() >= self._min_speech:
            self._speaking = True
            decisions.append(SpeechBegan(self._first_voiced()))
        if self._silent_since is not None and self._position - self._silent_since >= self._end_silence:
            decisions += self._close("speech", self._silent_since + self._tail)
        elif self._position - self._start + FRAME > self._max:
            decisions += self._cut()
        return decisions

    def finish(self, reason: SegmentReason, end: int) -> list[Decision]:
        """Nothing follows sample `end`. Speech that still runs is kept up to there."""
        if self._start is None:
            return []
        self._frames = [frame for frame in self._frames if frame.at < end]
        wanted = end if self._silent_since is None else self._silent_since + self._tail
        return self._close(reason, min(wanted, end))

    def _close(self, reason: SegmentReason, end: int) -> list[Decision]:
        decisions: list[Decision] = []
        closing = self._closing(reason, end)
        if self._speaking:
            decisions.append(SpeechCeased(min(self.last_voiced, end)))
        decisions.append(closing)
        self._free_from = closing.end if isinstance(closing, Closed) else self._free_from
        self._start, self._frames, self._silent_since = None, [], None
        self._continued = self._speaking = False
        return decisions

    def _closing(self, reason: SegmentReason, end: int) -> Closed | Discarded:
        assert self._start is not None
        voiced = self._voiced()
        # Behind a forced cut even one voiced frame is the end of a word that began before it.
        needed = 1 if self._continued else max(1, self._min_speech)
        if voiced < needed:
            return Discarded(self._start, voiced)
        end = min(max(end, self._first_voiced() + 1), self._start + self._max)
        return Closed(
            self._start, end, self._first_voiced(), min(self._last_voiced_end(), end), voiced, reason
        )

    def _cut(self) -> list[Decision]:
        """Close at the quietest point of the second half; the rest opens the next segment."""
        assert self._start is not None
        index = self._quietest()
        cut = self._frames[index].at
        before, after = self._frames[:index], self._frames[index:]
        self._frames = before
        closing = self._closing("max", cut)
        self._start, self._frames, self._free_from = cut, after, cut
        self._continued = isinstance(closing, Closed)
        return [closing, Opened(cut)]

    def _quietest(self) -> int:
        assert self._start is not None
        first = next(i for i, frame in enumerate(self._frames) if frame.at - self._start >= self._max // 2)
        reach = CUT_SMOOTHING // 2
        best, best_score = first, float("inf")
        for i in range(first, len(self._frames)):
            around = self._frames[max(0, i - reach) : i + reach + 1]
            score = sum(f.level_db + CUT_PROBABILITY_DB * f.probability for f in around) / len(around)
            # The later of two equal points: longer segments give the model more to go on.
            if score <= best_score:
                best, best_score = i, score
        return best

    def _voiced(self) -> int:
        return sum(FRAME for frame in self._frames if frame.voiced)

    def _first_voiced(self) -> int:
        return next((frame.at for frame in self._frames if frame.voiced), self._position)

    def _last_voiced_end(self) -> int:
        return next((frame.at + FRAME for frame in reversed(self._frames) if frame.voiced), self._position)


def _samples(milliseconds: float) -> int:
    return int(milliseconds * SAMPLE_RATE / 1000)
