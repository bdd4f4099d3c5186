"""In which order children stop, and how the grace is shared out. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from stt_daemon.messages import ChildName

STOP_ORDER: tuple[ChildName, ...] = ("transcription", "assistant", "tui")
"""Capture and the whisper lane first; the core hears their last words; the interface shows it all."""

_SHARE_OF_MANY = 0.75
_SHARE_OF_LAST = 0.85
_TOLD = 0.9
_KILL_AFTER = 1.1


SCREEN_S = 1.5
"""At the end of a grace that was used up: putting a terminal back takes a moment, and costs nobody audio."""


@dataclass(frozen=True)
class StopShare:
    """Seconds from now: what the child is told it has, when it gets SIGTERM, when SIGKILL."""

    told_s: float
    term_s: float
    kill_s: float


def stop_share(remaining_s: float, children_left: int) -> StopShare:
    """The share of the first of `children_left` in what remains of the grace.

    A child that is told less than it gets ends by itself. Kills included, all shares fit the grace.
    """
    share = max(remaining_s, 0.0) * (_SHARE_OF_MANY if children_left > 1 else _SHARE_OF_LAST)
    return StopShare(told_s=share * _TOLD, term_s=share, kill_s=share * _KILL_AFTER)


HURRY = StopShare(told_s=0.0, term_s=0.5, kill_s=1.0)
"""After the third Ctrl-C: long enough to close a file, too short to wait for."""
