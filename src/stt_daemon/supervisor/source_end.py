"""Who has finished what the source gave, for `--until-end`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from stt_daemon.messages import ChildName


class SourceEnd:
    """The worker is done when all is written down, the core when nothing follows from it any more."""

    def __init__(self) -> None:
        self._done: set[ChildName] = set()

    @property
    def reached(self) -> bool:
        """Whether the source has ended and all of it is written down."""
        return "transcription" in self._done

    def said_by(self, name: ChildName) -> None:
        self._done.add(name)

    def begins_anew(self, name: ChildName) -> None:
        """A new start of a child knows nothing yet."""
        self._done.discard(name)

    def is_over(self, counting: Iterable[ChildName]) -> bool:
        """Whether everybody who still counts is done; the interface has no part in it."""
        return self.reached and set(counting) - {"tui"} <= self._done
