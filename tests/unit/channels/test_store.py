from __future__ import annotations

import threading

import pytest

from stt_daemon.channels import Frame, FrameStore
from stt_daemon.errors import ChannelError
from stt_daemon.messages import (
    GapMarked,
    LagChanged,
    LevelMeasured,
    Message,
    TranscriptMissed,
    TurnEnded,
    Warned,
)
from tests.fakes.child_apps import utterance


def drain(store: FrameStore) -> list[Message]:
    found = []
    while (frame := store.take(0)) is not None:
        found.append(frame.message())
    return found


def fill(store: FrameStore, *messages: Message) -> None:
    for message in messages:
        store.offer(Frame.of(message))


def gap(seq: int) -> GapMarked:
    return GapMarked(seq=seq, t0=0, t1=1, reason="device lost", wall="")


def level(db: float) -> LevelMeasured:
    return LevelMeasured(db=db, clipping=False)


def test_frames_leave_in_the_order_they_came_over_all_topics() -> None:
    store = FrameStore()
    messages = [utterance(1), LagChanged(seconds=1), TurnEnded(utterances=("u1",)), utterance(2)]
    fill(store, *messages)
    assert drain(store) == messages


def test_of_a_high_rate_topic_only_the_newest_waits_and_never_overtakes() -> None:
    store = FrameStore()
    fill(store, level(-30), utterance(1), level(-20))
    assert drain(store) == [utterance(1), level(-20)]


def test_forgotten_transcript_leaves_a_mark_in_its_place() -> None:
    store = FrameStore(per_topic=2)
    fill(store, utterance(1), LagChanged(seconds=1), utterance(2), utterance(3), utterance(4))
    assert drain(store) == [
        TranscriptMissed(from_seq=1),
        LagChanged(seconds=1),
        utterance(3),
        utterance(4),
    ]


def test_a_second_loss_needs_no_second_mark_until_the_first_is_read() -> None:
    store = FrameStore(per_topic=1)
    fill(store, gap(1), utterance(2), gap(3), utterance(4))
    assert drain(store) == [TranscriptMissed(from_seq=1), gap(3), utterance(4)]
    fill(store, utterance(5), utterance(6))
    assert drain(store) == [TranscriptMissed(from_seq=5), utterance(6)]


def test_any_other_overflow_forgets_the_oldest_and_counts() -> None:
    store = FrameStore(per_topic=2)
    warnings = [Warned(where="x", code=str(number), message="") for number in range(4)]
    fill(store, *warnings)
    assert drain(store) == warnings[2:]
    assert store.dropped == 2


def test_a_closed_store_gives_what_it_holds_and_takes_no_more() -> None:
    store = FrameStore()
    fill(store, utterance(1))
    store.close()
    fill(store, utterance(2))
    assert not store.closed
    assert drain(store) == [utterance(1)]
    assert store.closed
    assert store.take() is None


def test_a_discarded_store_gives_nothing() -> None:
    store = FrameStore()
    fill(store, utterance(1))
    store.discard()
    assert store.take() is None


def test_empty_means_that_the_last_frame_was_dealt_with_too() -> None:
    store = FrameStore()
    fill(store, utterance(1))
    assert not store.wait_empty(0)
    store.take()
    assert not store.wait_empty(0)
    store.take(0)
    assert store.wait_empty(0)


def test_a_waiting_taker_is_woken_by_an_offer() -> None:
    store = FrameStore()
    taken: list[Frame | None] = []
    taker = threading.Thread(target=lambda: taken.append(store.take(10)))
    taker.start()
    fill(store, utterance(1))
    taker.join(10)
    assert taken
    assert taken[0] is not None
    assert taken[0].topic == "utterance"


def test_an_unknown_topic_is_refused() -> None:
    with pytest.raises(ChannelError, match="unknown message topic"):
        FrameStore().offer(Frame("rumour", b"{}"))
