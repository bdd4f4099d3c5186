from __future__ import annotations

import os
import queue
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from stt_daemon.channels import Frame, PipeOutbox, PipeReader, PipeWriter
from stt_daemon.messages import LagChanged, LevelMeasured, Warned
from tests.fakes.child_apps import utterance
from tests.fakes.clock import FakeClock

PATIENCE_S = 10.0


@dataclass
class Pipe:
    read: int
    write: int
    frames: queue.Queue[Frame] = field(default_factory=queue.Queue)
    closed: queue.Queue[str] = field(default_factory=queue.Queue)

    def start_reader(self) -> None:
        PipeReader(self.read, self.frames.put, self.closed.put, "test")


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    read, write = os.pipe()
    pipe = Pipe(read, write)
    yield pipe
    for descriptor in (read, write):
        try:
            os.close(descriptor)
        except OSError:
            continue  # its thread has closed it


def test_what_is_published_arrives_stamped(pipe: Pipe) -> None:
    pipe.start_reader()
    writer = PipeWriter(pipe.write, "test")
    PipeOutbox(writer, FakeClock(wall=123.0)).publish(LagChanged(seconds=4))
    assert pipe.frames.get(timeout=PATIENCE_S).message() == LagChanged(at=123.0, seconds=4)
    assert writer.flush(PATIENCE_S)
    writer.close()
    assert pipe.closed.get(timeout=PATIENCE_S) == "end of file"


def test_the_end_of_the_writer_is_told_once(pipe: Pipe) -> None:
    pipe.start_reader()
    os.close(pipe.write)
    assert pipe.closed.get(timeout=PATIENCE_S) == "end of file"
    assert pipe.closed.empty()


def test_bytes_that_are_no_frame_end_the_channel(pipe: Pipe) -> None:
    pipe.start_reader()
    os.write(pipe.write, b"\xff" * 64)
    assert "claims" in pipe.closed.get(timeout=PATIENCE_S)


def test_a_reader_that_is_gone_stops_the_writer_and_nobody_else(pipe: Pipe) -> None:
    os.close(pipe.read)
    writer = PipeWriter(pipe.write, "test")
    writer.offer(Frame.of(utterance(1)))
    assert writer.flush(PATIENCE_S)
    writer.offer(Frame.of(utterance(2)))


def test_a_stalled_reader_never_holds_up_who_publishes(pipe: Pipe) -> None:
    writer = PipeWriter(pipe.write, "test")
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
    writer = PipeWriter(pipe.write, "test")
    writer.offer(Frame.of(LagChanged(seconds=float("nan"))))
    writer.offer(Frame.of(Warned(where="x", code="y", message="z")))
    assert pipe.frames.get(timeout=PATIENCE_S).topic == "warning"
    writer.close()
    pipe.closed.get(timeout=PATIENCE_S)
