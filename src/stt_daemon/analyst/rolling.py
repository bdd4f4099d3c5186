"""The rolling summary of what lies longer back, as a state that is only ever told what happened. Pure.

One thread or one task calls it. Who drives it hears utterances and gets a snapshot for each at once; asks for
a fold when one is due, gives its prompt to a model however it likes, and brings the reply, or that none came.
Time is the session's own: the end of the latest utterance, so that a file and a microphone fold alike.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from stt_daemon.analyst.bullets import read_summary
from stt_daemon.domain import Utterance
from stt_daemon.domain.text import plain

log = logging.getLogger(__name__)

BLOCK_CHARS = 6000
"""Characters of utterances in one fold. What waits beyond it, after an outage, goes into the next ones."""

NOTHING_YET = "(nothing yet)"
"""Stands for an empty summary in a prompt, which a small model would take for a missing one."""


@dataclass(frozen=True)
class SummarySnapshot:
    """The summary (points on lines that start with "- ", or ""), and what was said in the recent window.

    `waiting` counts utterances that have left the window and are not in the summary yet.
    """

    summary: str
    recent: tuple[Utterance, ...]
    waiting: int = 0

    @property
    def recent_text(self) -> str:
        """One line for each recent utterance, with its speaker."""
        return _lines(self.recent)


@dataclass(frozen=True, eq=False)
class Fold:
    """One request to the model; known by its identity. `utterances` are those it reads."""

    prompt: str = field(repr=False)
    utterances: tuple[Utterance, ...] = field(repr=False)


class RollingSummary:
    """What is in the summary, what waits for it, and what is still recent.

    A fold is due when `flush_every_n` utterances have left the recent window since the last one, or when any
    waits and `flush_every_s` has passed since then; 0 or None switches a condition off. There is one fold at
    a time. One that fails leaves the summary as it is and its utterances waiting, and the conditions begin
    anew, so that a model that is down is not asked at every utterance.
    """

    def __init__(
        self,
        *,
        recent_window_s: float,
        flush_every_n: int | None,
        flush_every_s: float | None,
        prompt_template: str,
    ) -> None:
        """Raises ValueError for a template without {summary} and {new_block} or with other places."""
        self._window_s = recent_window_s
        self._every_n = flush_every_n or 0
        self._every_s = flush_every_s or 0.0
        self._template = _checked(prompt_template)
        self._summary = ""
        self._now: float | None = None
        self._start()

    def _start(self) -> None:
        self._recent: deque[Utterance] = deque()
        self._waiting: deque[Utterance] = deque()
        self._left = 0
        self._last_fold: float | None = self._now
        self._fold: Fold | None = None

    @property
    def snapshot(self) -> SummarySnapshot:
        return SummarySnapshot(self._summary, tuple(self._recent), len(self._waiting))

    def hear(self, utterance: Utterance) -> SummarySnapshot:
        """An utterance was finished. The snapshot never waits for a model."""
        self._now = utterance.t1 if self._now is None else max(self._now, utterance.t1)
        if self._last_fold is None:
            self._last_fold = self._now
        self._recent.append(utterance)
        while self._recent and self._recent[0].t1 < self._now - self._window_s:
            self._waiting.append(self._recent.popleft())
            self._left += 1
        return self.snapshot

    def due(self) -> Fold | None:
        """The fold that is due now, taken once; to be asked after each utterance."""
        if self._fold is not None or not self._waiting or self._now is None or self._last_fold is None:
            return None
        enough = 0 < self._every_n <= self._left
        late = 0 < self._every_s <= self._now - self._last_fold
        if not (enough or late):
            return None
        block = self._next_block()
        prompt = self._template.format(summary=self._summary or NOTHING_YET, new_block=_lines(block))
        self._fold = Fold(prompt, block)
        self._left = 0
        self._last_fold = self._now
        return self._fold

    def folded(self, fold: Fold, reply: object) -> SummarySnapshot | None:
        """The model's reply. The snapshot with the new summary; None if nothing came of it."""
        if fold is not self._fold:
            return None
        summary = read_summary(reply)
        if summary is None:
            self.failed(fold, "the reply holds no points")
            return None
        self._fold = None
        self._summary = summary
        for _ in fold.utterances:
            self._waiting.popleft()
        self._left = len(self._waiting)
        return self.snapshot

    def failed(self, fold: Fold, reason: str) -> None:
        """No reply came, or none was wanted; the utterances wait on."""
        if fold is not self._fold:
            return
        self._fold = None
        log.warning("the summary stays as it is, %d utterances wait: %s", len(self._waiting), reason)

    def clear(self, summary: str = "") -> SummarySnapshot:
        """Forget everything, a fold on its way included, or go on from a summary written earlier."""
        self._summary = summary
        self._start()
        return self.snapshot

    def _next_block(self) -> tuple[Utterance, ...]:
        block: list[Utterance] = []
        size = 0
        for utterance in self._waiting:
            size += len(_line(utterance)) + 1
            if block and size > BLOCK_CHARS:
                break
            block.append(utterance)
        return tuple(block)


def _checked(template: str) -> str:
    marks = ("\x00summary\x00", "\x00block\x00")
    try:
        filled = template.format(summary=marks[0], new_block=marks[1])
    except (KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"the template has an unknown place: {error}") from error
    if not all(mark in filled for mark in marks):
        raise ValueError("the template needs {summary} and {new_block}")
    return template


def _lines(utterances: Iterable[Utterance]) -> str:
    return "\n".join(map(_line, utterances))


def _line(utterance: Utterance) -> str:
    return plain(f"{utterance.speaker}: {utterance.text}" if utterance.speaker else utterance.text)
