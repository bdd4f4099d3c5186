"""How many rows each entry takes: exact where somebody looked, elsewhere an estimate. Pure; one thread.

An estimate is the entry's extent (its columns if it were one long row) divided by the width. So a change of
the width costs one division per entry, and never 20,000 times breaking lines.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

from stt_daemon.apps.tui.row_index import RowIndex

_UNKNOWN_WIDTH = 1 << 30


class Heights(RowIndex):
    """Begins without entries and without a width; everything takes one row then."""

    def __init__(self) -> None:
        super().__init__()
        self._extents = array("L")
        self._exact = bytearray()
        self._width = _UNKNOWN_WIDTH

    @property
    def exact(self) -> int:
        """How many heights are known for certain."""
        return sum(self._exact)

    def begin(self, extents: Iterable[int]) -> None:
        """These entries and no others."""
        self._extents = array("L", extents)
        self.change_width(self._width)

    def change_width(self, width: int) -> None:
        """From now on rows have so many columns: everything is an estimate again."""
        self._width = width or _UNKNOWN_WIDTH
        self.reset(self._estimate(extent) for extent in self._extents)
        self._exact = bytearray(len(self._extents))

    def add(self, position: int, extent: int) -> None:
        """One more entry; anywhere but at the end costs as much as there is behind it."""
        self._extents.insert(position, extent)
        self._exact.insert(position, 0)
        if position == len(self):
            self.append(self._estimate(extent))
        else:
            self.insert(position, self._estimate(extent))

    def change(self, position: int, extent: int) -> None:
        """Another entry at a position. What is known of its height stays the estimate."""
        self._extents[position] = extent
        self._exact[position] = 0

    def measure(self, entries: range, rows: int, rows_of: Callable[[int], int]) -> None:
        """Make heights exact, entry after entry, until they take so many rows."""
        for entry in entries:
            if not self._exact[entry]:
                self.set(entry, rows_of(entry))
                self._exact[entry] = 1
            rows -= self[entry]
            if rows <= 0:
                return

    def _estimate(self, extent: int) -> int:
        return max(1, -(-extent // self._width))
