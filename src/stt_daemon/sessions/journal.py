"""transcript.jsonl as its one writer sees it. Owned by one thread of the transcription worker.

The journal alone mints `seq` (one per utterance or gap, contiguous from 1) and utterance ids (u1, u2, ...).
See `line_file` for what an append promises: the line is in the file when the method returns, or nothing
changed and the same call may be made again.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path

from stt_daemon.domain import Gap, Segment, Utterance, utterance_id
from stt_daemon.domain.text import plain, whole
from stt_daemon.sessions.line_file import LineFile, Write
from stt_daemon.sessions.lines import Dropped, Line, PendingGap, Written, decode_line, encode_line

_UTTERANCE_ID = re.compile(r"u(\d{1,15})")

_HOPELESS_LOGPROB = -99.0
"""Stands in for a log probability that is not a number: JSON has none, and no guard should trust it."""


class Journal:
    """The open transcript of one session, as `open` makes it."""

    def __init__(self) -> None:
        self.next_seq = 1
        self.next_utterance = 1
        self.last_t1 = 0.0
        """Session seconds up to which audio is written down, waiting segments and gaps included."""
        self._pending: list[Segment | PendingGap] = []
        self._settled: set[str] = set()
        self._file: LineFile

    @classmethod
    def open(cls, path: Path, *, write: Write = os.write) -> Journal:
        """Open or make the file, repair its end, and take up its numbers where they stand.

        Raises SessionError when the file cannot be made, read or repaired.
        """
        journal = cls()
        journal._file = LineFile.open(path, journal._take, write=write)
        return journal

    @property
    def repairs(self) -> tuple[str, ...]:
        """What `open` found broken, one readable line each."""
        return self._file.repairs

    @property
    def pending(self) -> tuple[Segment | PendingGap, ...]:
        """What waits, in the order in which it was heard."""
        return tuple(self._pending)

    def is_settled(self, wav: str) -> bool:
        """Whether this segment has its utterance, or was dropped."""
        return wav in self._settled

    def append_utterance(
        self,
        *,
        t0: float,
        t1: float,
        wall: str,
        speaker: str,
        source: str,
        text: str,
        language: str,
        wav: str,
        avg_logprob: float,
        no_speech_prob: float,
        flags: Sequence[str] = (),
        keep_wav: bool = True,
    ) -> Utterance | None:
        """Write down what was said in the segment `wav`, which then no longer waits.

        None when that segment is settled already: nothing is written twice. With `keep_wav` false the line
        names no audio file, because the caller deletes it next. Raises SessionError.
        """
        wav = whole(wav)
        if wav in self._settled:
            return None
        utterance = Utterance(
            id=utterance_id(self.next_utterance),
            seq=self.next_seq,
            t0=_seconds(t0),
            t1=max(_seconds(t0), _seconds(t1)),
            wall=wall,
            speaker=plain(speaker),
            source=plain(source),
            text=plain(text),
            language=plain(language),
            wav=wav if keep_wav else "",
            avg_logprob=_rounded(avg_logprob, 4, otherwise=_HOPELESS_LOGPROB),
            no_speech_prob=_rounded(no_speech_prob, 4, otherwise=1.0),
            flags=tuple(plain(flag) for flag in flags),
        )
        self._append(Written(utterance, wav))
        return utterance

    def append_gap(self, *, t0: float, t1: float, reason: str, wall: str) -> Gap:
        """Write down that nothing was recorded; a waiting gap with the same times waits no longer.

        Raises SessionError.
        """
        gap = Gap(self.next_seq, _seconds(t0), max(_seconds(t0), _seconds(t1)), plain(reason), wall)
        self._append(gap)
        return gap

    def append_pending(self, segment: Segment) -> bool:
        """List a segment as waiting; False when it waits or is settled already. Raises SessionError."""
        line = Segment(
            wav=whole(segment.wav),
            reason=segment.reason,
            t0=_seconds(segment.t0),
            t1=max(_seconds(segment.t0), _seconds(segment.t1)),
            speech_t0=_seconds(segment.speech_t0),
            speech_t1=_seconds(segment.speech_t1),
            voiced_s=_seconds(segment.voiced_s),
            level_db=_rounded(segment.level_db, 2, otherwise=-120.0),
            wall=_seconds(segment.wall),
        )
        if self._is_listed(line.wav):
            return False
        self._append(line)
        return True

    def append_pending_gap(self, *, t0: float, t1: float, reason: str, wall: str) -> PendingGap:
        """List a gap behind the segments that wait: it gets its `seq` after theirs. Raises SessionError."""
        gap = PendingGap(_seconds(t0), max(_seconds(t0), _seconds(t1)), plain(reason), wall)
        self._append(gap)
        return gap

    def append_dropped(self, wav: str, t0: float, t1: float, reason: str) -> bool:
        """Note that a segment held nothing to write down; False when it is settled already.

        Raises SessionError.
        """
        wav = whole(wav)
        if wav in self._settled:
            return False
        self._append(Dropped(wav, _seconds(t0), max(_seconds(t0), _seconds(t1)), plain(reason)))
        return True

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._file.close()

    def _append(self, line: Line) -> None:
        """Write the whole line or leave the file as it was; only then does the state follow."""
        self._file.append(encode_line(line))
        self._follow(line)

    def _take(self, raw: bytes) -> None:
        """Take up a line that was found in the file. Raises ValueError for what is none."""
        line = decode_line(raw)
        if line is not None:
            self._follow(line)

    def _follow(self, line: Line) -> None:
        """Bring the state in line with a line that is in the file."""
        if isinstance(line, Written):
            utterance = line.utterance
            self.next_seq = max(self.next_seq, utterance.seq + 1)
            if number := _UTTERANCE_ID.fullmatch(utterance.id):
                self.next_utterance = max(self.next_utterance, int(number[1]) + 1)
            self.last_t1 = max(self.last_t1, utterance.t1)
            self._settle(line.segment)
        elif isinstance(line, Gap):
            self.next_seq = max(self.next_seq, line.seq + 1)
            self.last_t1 = max(self.last_t1, line.t1)
            self._settle_gap(line)
        elif isinstance(line, Dropped):
            self.last_t1 = max(self.last_t1, line.t1)
            self._settle(line.wav)
        else:
            self.last_t1 = max(self.last_t1, line.t1)
            if not (isinstance(line, Segment) and self._is_listed(line.wav)):
                self._pending.append(line)

    def _settle(self, wav: str) -> None:
        if wav:
            self._settled.add(wav)
        self._pending = [item for item in self._pending if isinstance(item, PendingGap) or item.wav != wav]

    def _settle_gap(self, gap: Gap) -> None:
        for index, item in enumerate(self._pending):
            if isinstance(item, PendingGap) and (item.t0, item.t1) == (gap.t0, gap.t1):
                del self._pending[index]
                return

    def _is_listed(self, wav: str) -> bool:
        waits = any(isinstance(item, Segment) and item.wav == wav for item in self._pending)
        return waits or wav in self._settled


def _rounded(value: float, digits: int, *, otherwise: float) -> float:
    """A plain float, also of a numpy one; `otherwise` for what JSON cannot say."""
    return round(float(value), digits) if math.isfinite(value) else otherwise


def _seconds(value: float) -> float:
    """Seconds to the millisecond. Raises ValueError for what is no time at all."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a time")
    return round(float(value), 3)
