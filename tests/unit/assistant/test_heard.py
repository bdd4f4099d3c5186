"""What was said, in order and once, whatever notices come and go."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.apps.assistant.heard import Heard
from stt_daemon.messages import TranscriptMissed
from tests.fakes.core import said


class Reading:
    """Starts of readings that were asked for, answered when the test says so."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, from_seq: int) -> None:
        self.asked.append(from_seq)


def seqs(heard: Heard) -> list[int]:
    return [line.seq for line in heard.lines()]


def test_a_hole_is_read_once_and_nothing_overtakes() -> None:
    reading = Reading()
    heard = Heard("s", reading)
    assert [line.seq for line in heard.receive(said(1, "one"))] == [1]
    assert heard.receive(said(4, "four")) == []
    assert heard.receive(said(5, "five")) == []
    assert reading.asked == [2]
    found = heard.caught_up([said(n, "text").utterance() for n in (2, 3, 4)])
    assert [line.seq for line in found] == [2, 3, 4, 5]


def test_a_line_the_journal_does_not_hold_is_taken_from_its_notice() -> None:
    heard = Heard("s", Reading())
    heard.receive(said(2, "two"))
    assert [line.seq for line in heard.caught_up([])] == [2]


def test_who_waits_for_all_that_was_announced_is_called_when_it_is_known() -> None:
    heard = Heard("s", Reading())
    calls: list[str] = []
    heard.when_known(lambda: calls.append("at once"))
    heard.receive(TranscriptMissed(from_seq=1))
    heard.when_known(lambda: calls.append("later"))
    assert calls == ["at once"]
    heard.caught_up([])
    assert calls == ["at once", "later"]


def test_the_text_of_a_turn_joins_its_utterances_and_skips_unknown_ones() -> None:
    heard = Heard("s", Reading())
    heard.receive(said(1, "Hello"))
    heard.receive(said(2, "there."))
    assert heard.text(("u1", "u2", "u9")) == "Hello there."


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.integers(1, 12), st.just("missed"), st.just("read")), max_size=30),
    st.integers(0, 12),
)
def test_every_line_comes_once_and_in_order(steps: list[int | str], journal: int) -> None:
    """Numbers are notices, "missed" is a hole announced, "read" the end of a reading."""
    reading = Reading()
    heard = Heard("s", reading)
    answered = 0
    found: list[int] = []
    for step in [*steps, *["read"] * (len(steps) + 1)]:
        if step == "missed":
            found += [u.seq for u in heard.receive(TranscriptMissed(from_seq=1))]
        elif isinstance(step, int):
            found += [u.seq for u in heard.receive(said(step, "text"))]
        elif answered < len(reading.asked):
            answered += 1
            lines = [said(n, "text").utterance() for n in range(reading.asked[answered - 1], journal + 1)]
            found += [u.seq for u in heard.caught_up(lines)]
    assert answered == len(reading.asked)
    assert not heard.is_behind
    assert found == seqs(heard) == sorted(set(found))
    assert {step for step in steps if isinstance(step, int)} & set(range(1, journal + 1)) <= set(found)
