from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from stt_daemon.apps.tui.row_index import RowIndex

heights = st.integers(1, 9)


class AgainstAList(RuleBasedStateMachine):
    """Whatever is done to the index, it knows what a plain list of heights would say."""

    def __init__(self) -> None:
        super().__init__()
        self.index = RowIndex()
        self.heights: list[int] = []

    @rule(values=st.lists(heights, max_size=20))
    def reset(self, values: list[int]) -> None:
        self.index.reset(values)
        self.heights = list(values)

    @rule(height=heights)
    def append(self, height: int) -> None:
        self.index.append(height)
        self.heights.append(height)

    @rule(height=heights, place=st.integers(0, 100))
    def insert(self, height: int, place: int) -> None:
        position = place % (len(self.heights) + 1)
        self.index.insert(position, height)
        self.heights.insert(position, height)

    @rule(height=heights, place=st.integers(0, 100))
    def change(self, height: int, place: int) -> None:
        if self.heights:
            self.index.set(place % len(self.heights), height)
            self.heights[place % len(self.heights)] = height

    @invariant()
    def agree(self) -> None:
        rows = [(entry, row) for entry, height in enumerate(self.heights) for row in range(height)]
        assert self.index.total == len(rows)
        assert [self.index.at(row) for row in range(len(rows))] == rows
        assert [self.index.top(n) for n in range(len(self.heights) + 1)] == [
            sum(self.heights[:n]) for n in range(len(self.heights) + 1)
        ]


TestAgainstAList = AgainstAList.TestCase


@given(st.lists(heights))
def test_there_is_no_row_behind_the_last(values: list[int]) -> None:
    index = RowIndex(values)
    with pytest.raises(IndexError):
        index.at(index.total)
