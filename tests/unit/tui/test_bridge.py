"""From the inbox to the loop: in order, in bearable pieces, and never after the end."""

from __future__ import annotations

import queue
import threading
from pathlib import Path

from textual.message import Message as TextualMessage

from stt_daemon.apps.tui.bridge import AT_ONCE, Arrived, Bridge, Ended
from stt_daemon.apps.tui.past import Past
from stt_daemon.channels import ChildContext, PeerClosed
from stt_daemon.messages import ChildConfigured, LevelMeasured, StopRequested
from tests.fakes.child_apps import utterance
from tests.fakes.clock import FakeClock
from tests.fakes.worker import RecordingOutbox

PATIENCE_S = 10.0


class Loop:
    """Stands for the app: what it is told, and whether its loop is closed."""

    def __init__(self) -> None:
        self.told: queue.Queue[TextualMessage] = queue.Queue()
        self.closed = False

    def post_message(self, message: TextualMessage) -> bool:
        if self.closed:
            raise RuntimeError("Event loop is closed")
        self.told.put(message)
        return True


class Bridged:
    def __init__(self, folder: Path) -> None:
        self.inbox: queue.Queue[object] = queue.Queue()
        self.ending = threading.Event()
        self.loop = Loop()
        configured = ChildConfigured(
            config={}, session_id="s", session_dir=str(folder), resumed=False, source="mic",
            speed="realtime", offline=True,
        )  # fmt: skip
        context = ChildContext("tui", self.inbox, RecordingOutbox(), configured, FakeClock())
        self.bridge = Bridge(context, self.ending.set)

    def start(self) -> None:
        self.bridge.start(self.loop)

    def items(self, count: int) -> list[object]:
        """That many, as a loop takes them: when it is told."""
        found: list[object] = []
        while len(found) < count:
            told = self.loop.told.get(timeout=PATIENCE_S)
            assert isinstance(told, Arrived)
            found += self.bridge.take()
        return found


def test_the_past_comes_first_then_what_happened(tmp_path: Path) -> None:
    one = Bridged(tmp_path)
    one.inbox.put(utterance(1))
    one.start()
    past, first = one.items(2)
    assert isinstance(past, Past)
    assert first == utterance(1)


def test_the_loop_takes_a_flood_in_pieces_and_loses_nothing(tmp_path: Path) -> None:
    one = Bridged(tmp_path)
    for seq in range(1, 1001):
        one.inbox.put(utterance(seq))
    one.start()
    found: list[object] = []
    while len(found) < 1001:
        assert isinstance(one.loop.told.get(timeout=PATIENCE_S), Arrived)
        piece = one.bridge.take()
        assert len(piece) <= AT_ONCE
        found += piece
    assert found[1:] == [utterance(seq) for seq in range(1, 1001)]


def test_a_loop_that_is_busy_is_told_once_and_finds_only_the_latest_level(tmp_path: Path) -> None:
    one = Bridged(tmp_path)
    one.start()
    assert len(one.items(1)) == 1
    for db in range(-100, 0):
        one.inbox.put(LevelMeasured(db=float(db), clipping=False))
    one.inbox.put(utterance(1))
    one.inbox.put(StopRequested(grace_s=1))
    told = [one.loop.told.get(timeout=PATIENCE_S) for _ in range(2)]
    assert [type(message) for message in told] == [Arrived, Ended]
    assert one.bridge.take() == [LevelMeasured(db=-1.0, clipping=False), utterance(1)]


def test_a_stop_and_a_dead_supervisor_both_end_it(tmp_path: Path) -> None:
    for item in (StopRequested(grace_s=1), PeerClosed("end of file")):
        one = Bridged(tmp_path)
        one.start()
        one.items(1)
        one.inbox.put(item)
        assert isinstance(one.loop.told.get(timeout=PATIENCE_S), Ended)
        assert one.ending.wait(PATIENCE_S)


def test_a_late_event_after_the_end_is_let_go(tmp_path: Path) -> None:
    one = Bridged(tmp_path)
    one.start()
    one.items(1)
    one.loop.closed = True
    one.inbox.put(utterance(1))
    one.inbox.put(StopRequested(grace_s=1))  # its thread must still be there to see this
    assert one.ending.wait(PATIENCE_S)
