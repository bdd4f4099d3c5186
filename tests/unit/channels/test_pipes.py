from __future__ import annotations

import os
import queue
from collections.abc import Iterator

import pytest

from stt_daemon.channels import Frame, PipeOutbox, PipeReader, PipeWriter
from stt_daemon.messages import LagChanged, LevelMeasured, Warned
from tests.fakes.child_apps import utterance
from tests.fakes.clock import FakeClock

PATIENCE_S = 10.0


class Pipe:
    """A pipe whose descriptors belong to the test until a reader or writer takes them over."""

    def __init__(self) -> None:
        self.read, self.write = os.pipe()
        self.ours = {self.read, self.write}
        self.frames: queue.Queue[Frame] = queue.Queue()
        self.closed: queue.Queue[str] = queue.Queue()

    def start_reader(self) -> None:
        self.ours.discard(self.read)
        PipeReader(self.read, self.frames.put, self.closed.put, "test")

    def start_writer(self) -> PipeWriter:
        self.ours.discard(self.write)
        return PipeWriter(self.write, "test")

    def close(self, *descriptors: int) -> None:
        for descriptor in descriptors:
            self.ours.remove(descriptor)
            os.close(descriptor)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close(*list(pipe.ours))


def test_what_is_published_arrives_stamped(pipe: Pipe) -> None:
    pipe.start_reader()
    writer = pipe.start_writer()
    PipeOutbox(writer, FakeClock(wall=123.0)).publish(LagChanged(seconds=4))
    assert pipe.frames.get(timeout=PATIENCE_S).message() == LagChanged(at=123.0, seconds=4)
    assert writer.flush(PATIENCE_S)
    writer.close()
    assert pipe.closed.get(timeout=PATIENCE_S) == "end of file"


def test_the_end_of_the_writer_is_told_once(pipe: Pipe) -> None:
    pipe.start_reader()
    pipe.close(pipe.write)
    assert pipe.closed.get(timeout=PATIENCE_S) == "end of file"
    assert pipe.closed.empty()


def test_bytes_that_are_no_frame_end_the_channel(pipe: Pipe) -> None:
    pipe.start_reader()
    os.write(pipe.write, b"\xff" * 64)
    assert "claims" in pipe.closed.get(timeout=PATIENCE_S)


def test_a_reader_that_is_gone_stops_the_writer_and_nobody_else(pipe: Pipe) -> None:
    pipe.close(pipe.read)
    writer = pipe.start_writer()
    writer.offer(Frame.of(utterance(1)))
    assert writer.flush(PATIENCE_S)
    writer.offer(Frame.of(utterance(2)))


def test_a_stalled_reader_never_holds_up_who_publishes(pipe: Pipe) -> None:
    writer = pipe.start_writer()
    outbox = PipeOutbox(writer, FakeClock())
    for number in range(1, 3000):
        outbox.publish(utterance(number, text="x" * 200))
        outbox.publish(LevelMeasured(db=-float(number % 90), clipping=False))
    assert not writer.flush(0)
    pipe.start_reader()
    assert writer.flush(PATIENCE_S)
    seen = [pipe.frames.get(timeout=PATIENCE_S).topic for _ in range(pipe.frames.qsize())]
    assert seen.count("level") < 100
    assert "missed" in seen
    writer.close()
    pipe.closed.get(timeout=PATIENCE_S)


def test_a_number_that_json_does_not_know_costs_that_message_only(pipe: Pipe) -> None:
    pipe.start_reader()
    writer = pipe.start_writer()
    writer.offer(Frame.of(LagChanged(seconds=float("nan"))))
    writer.offer(Frame.of(Warned(where="x", code="y", message="z")))
    assert pipe.frames.get(timeout=PATIENCE_S).topic == "warning"
    writer.close()
    pipe.closed.get(timeout=PATIENCE_S)
