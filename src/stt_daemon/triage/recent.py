"""The newest entries of a conversation, from which a classification takes its window. Pure; one thread.

Entries are numbered in the order of their arrival, from 1 and never again, so that a window is known by the
number it ends with: two windows that end alike hold the same.
"""

from __future__ import annotations

from collections import deque
from itertools import islice

from stt_daemon.triage.window import Entry


class RecentEntries:
    """At most `size` of them; the oldest leave."""

    def __init__(self, size: int) -> None:
        self._entries: deque[Entry] = deque(maxlen=size)
        self._newest = 0

    @property
    def newest(self) -> int:
        """The number of the newest entry there ever was; 0 before the first."""
        return self._newest

    def add(self, entry: Entry) -> int:
        """Append an entry; its number."""
        self._entries.append(entry)
        self._newest += 1
        return self._newest

    def number_of(self, utterance: str) -> int | None:
        """The number of an utterance; None when it is not, or no longer, among the entries."""
        for back, entry in enumerate(reversed(self._entries)):
            if entry.id == utterance:
                return self._newest - back
        return None

    def until(self, number: int) -> list[Entry]:
        """The entries up to and including a number, oldest first."""
        later = self._newest - number
        return list(islice(self._entries, max(0, len(self._entries) - later)))

    def clear(self) -> None:
        """Forget all entries; numbering goes on, so that no window of before is taken for one of after."""
        self._entries.clear()
