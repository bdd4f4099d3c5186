"""Where a run takes up: on the time axis, and in its source. Pure.

A run is one start of capture. A fresh session has none before it; a continued one, or one whose worker was
killed, must neither lose nor repeat what was heard, and must not move backwards in time.
"""

from __future__ import annotations

from dataclasses import dataclass

from stt_daemon.sessions import SessionRecord

MIN_GAP_S = 0.05
"""Shorter holes are the jitter of two clocks, not something a person missed."""


@dataclass(frozen=True)
class History:
    """What is known when a run starts.

    `last_t1` is the end of anything listed in the journal, `read_t` how far the source is known to have
    been read, both session seconds; `elapsed_s` the time since the session's start. `restarted`: the run
    before was killed within this run of the program. `clean`: the run before ended as asked, so what lies
    between is no loss.
    """

    record: SessionRecord
    last_t1: float = 0.0
    read_t: float = 0.0
    elapsed_s: float = 0.0
    restarted: bool = False
    clean: bool = True


@dataclass(frozen=True)
class RunPlan:
    """`axis_start`: session seconds of the source's second 0. `start_at`: source seconds to begin at.

    `gap`: the stretch nobody heard, to be marked.
    """

    axis_start: float
    start_at: float = 0.0
    gap: tuple[float, float, str] | None = None
    rereads: bool = False
    """The source will deliver again what no line of the journal names yet."""

    @property
    def begins(self) -> float:
        """Session seconds of the first sample that will be read."""
        return self.axis_start + self.start_at


def plan_run(source: str, history: History, *, live: bool) -> RunPlan:
    """Decide where a run of `source` begins.

    A file that had not ended goes on where its last listed segment ended, after a kill on the very same axis.
    Raw input goes on where it was last known to be read, a microphone at the time that has really passed.
    What had been read and left no file was silence, so a gap begins where reading had come to.
    """
    runs = history.record.runs
    if not runs:
        return RunPlan(axis_start=0.0)
    start_at = history.record.resume_position(source, history.last_t1)
    if history.restarted and runs[-1].is_file:
        return RunPlan(axis_start=runs[-1].axis_start, start_at=start_at, rereads=True)
    heard_t = max(history.last_t1, history.read_t)
    begins = heard_t if history.restarted and not live else max(heard_t, history.elapsed_s)
    rereads = runs[-1].is_file and runs[-1].source == source and not runs[-1].ended
    if history.clean or runs[-1].is_file or begins - heard_t < MIN_GAP_S:
        return RunPlan(axis_start=begins - start_at, start_at=start_at, rereads=rereads)
    gap = (heard_t, begins, "the recorder was killed")
    return RunPlan(axis_start=begins - start_at, start_at=start_at, gap=gap)
