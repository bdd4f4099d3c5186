from __future__ import annotations

from stt_daemon.apps.tui.coalesce import Coalescer
from stt_daemon.messages import ChatSaid, LagChanged, LevelMeasured, PartialHeard, Warned


def level(db: float) -> LevelMeasured:
    return LevelMeasured(db=db, clipping=False)


def piece(text: str, exchange: int = 1) -> ChatSaid:
    return ChatSaid(role="assistant", exchange=exchange, delta=text, final=False)


def warned(number: int) -> Warned:
    return Warned(where="x", code="y", message=str(number))


def taken(*items: object, most: int = 100) -> list[object]:
    waiting = Coalescer()
    for item in items:
        waiting.add(item)
    return waiting.take(most)


def test_of_values_only_the_latest_waits_in_its_own_place() -> None:
    partial = PartialHeard(utterance="u1", committed="a", tentative="b", t0=0, t1=1)
    lag = LagChanged(seconds=1)
    assert taken(level(-1), lag, warned(1), level(-2), partial) == [lag, warned(1), level(-2), partial]


def test_pieces_of_one_reply_become_one() -> None:
    assert taken(piece("a"), level(-1), piece("b"), level(-2), piece("c")) == [piece("abc"), level(-2)]


def test_pieces_are_not_joined_over_anything_that_is_kept() -> None:
    assert taken(piece("a"), warned(1), piece("b")) == [piece("a"), warned(1), piece("b")]
    assert taken(piece("a", 1), piece("b", 2)) == [piece("a", 1), piece("b", 2)]


def test_a_text_that_replaces_what_streamed_is_not_joined_and_nothing_is_joined_to_it() -> None:
    instead = ChatSaid(role="assistant", exchange=1, text="anew", final=False)
    last = ChatSaid(role="assistant", exchange=1, text="all", final=True)
    messages = [piece("a"), instead, piece("b"), last]
    assert taken(*messages) == messages


def test_what_was_taken_is_joined_to_no_more() -> None:
    waiting = Coalescer()
    waiting.add(piece("a"))
    assert waiting.take(1) == [piece("a")]
    waiting.add(piece("b"))
    assert waiting.take(9) == [piece("b")]
    assert len(waiting) == 0


def test_the_oldest_are_taken_first_and_the_rest_waits() -> None:
    waiting = Coalescer()
    for number in range(5):
        waiting.add(warned(number))
    assert waiting.take(2) == [warned(0), warned(1)]
    assert waiting.take(9) == [warned(2), warned(3), warned(4)]
