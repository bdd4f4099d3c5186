"""How many rows each of many entries takes, and which entry stands at a row. Pure; one thread.

A binary indexed tree: finding, changing and appending cost the logarithm of the number of entries, and only
a change of the width costs all of it (a few milliseconds for 20,000).
"""

from __future__ import annotations

from collections.abc import Iterable


class RowIndex:
    """Heights of entries, in rows, with their running sum."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights: list[int] = []
        self._tree: list[int] = []
        self.total = 0
        self.reset(heights)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, entry: int) -> int:
        return self._heights[entry]

    def reset(self, heights: Iterable[int]) -> None:
        """Forget everything and begin with these."""
        self._heights = list(heights)
        self.total = sum(self._heights)
        tree = [0, *self._heights]
        for at in range(1, len(tree)):
            above = at + (at & -at)
            if above < len(tree):
                tree[above] += tree[at]
        self._tree = tree

    def append(self, height: int) -> None:
        at = len(self._tree)
        # The new node also holds the sums of the nodes below it.
        covered, below = height, at - 1
        while below > at - (at & -at):
            covered += self._tree[below]
            below -= below & -below
        self._tree.append(covered)
        self._heights.append(height)
        self.total += height

    def insert(self, entry: int, height: int) -> None:
        """Put one between others; quick near the end, where it happens."""
        later = self._heights[entry:]
        self.truncate(entry)
        for value in (height, *later):
            self.append(value)

    def truncate(self, count: int) -> None:
        """Keep the first `count` entries."""
        self.total -= sum(self._heights[count:])
        del self._heights[count:]
        del self._tree[count + 1 :]

    def set(self, entry: int, height: int) -> None:
        change = height - self._heights[entry]
        self._heights[entry] = height
        self.total += change
        at = entry + 1
        while at < len(self._tree):
            self._tree[at] += change
            at += at & -at

    def top(self, entry: int) -> int:
        """The first row of an entry; the total for the entry behind the last one."""
        rows, at = 0, entry
        while at > 0:
            rows += self._tree[at]
            at -= at & -at
        return rows

    def at(self, row: int) -> tuple[int, int]:
        """The entry that covers a row, and which of its rows that is; needs 0 <= row < total."""
        if not 0 <= row < self.total:
            raise IndexError(row)
        position, rest = 0, row
        step = 1 << (len(self._heights).bit_length())
        while step:
            following = position + step
            if following < len(self._tree) and self._tree[following] <= rest:
                position = following
                rest -= self._tree[following]
            step >>= 1
        return position, rest
