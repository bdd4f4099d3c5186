from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from stt_daemon.audio.blocks import Block, SourceEnd, SourceState
from stt_daemon.audio.raw_source import RawSource

SAMPLES = (np.arange(3000) - 1500).astype("<i2")


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read_end, write_end = os.pipe()
    yield read_end, write_end
    os.close(read_end)


def opened(descriptor: int, **settings: float) -> RawSource:
    source = RawSource(descriptor, **settings)  # type: ignore[arg-type]
    source.open()
    assert source.read() == SourceState("live")
    return source


def test_samples_cut_at_any_byte_arrive_whole_and_in_order(pipe: tuple[int, int]) -> None:
    source = opened(pipe[0], axis_start=4.0)
    data = SAMPLES.tobytes()
    blocks = []
    for first, last in [(0, 1), (1, 1001), (1001, 1002), (1002, 5999), (5999, 6000)]:
        os.write(pipe[1], data[first:last])
        item = source.read()
        if isinstance(item, Block):
            blocks.append(item)
    os.close(pipe[1])
    assert source.read() == SourceEnd("end of input")
    assert (np.concatenate([block.samples for block in blocks]) == SAMPLES).all()
    assert blocks[0].t == 4.0
    assert blocks[-1].t + len(blocks[-1].samples) / 16_000 == pytest.approx(4.0 + 3000 / 16_000)


def test_whoever_reads_on_in_the_same_pipe_finds_whole_samples(pipe: tuple[int, int]) -> None:
    data = SAMPLES.tobytes()
    os.write(pipe[1], data[:1001])
    first = opened(pipe[0]).read()
    assert isinstance(first, Block)
    os.write(pipe[1], data[1001:])
    second = opened(pipe[0]).read()
    assert isinstance(second, Block)
    assert (np.concatenate([first.samples, second.samples]) == SAMPLES).all()


def test_the_other_half_of_a_sample_is_waited_for(pipe: tuple[int, int]) -> None:
    source = opened(pipe[0])
    os.write(pipe[1], b"\x01")
    assert source.read() is None
    os.write(pipe[1], b"\x02")
    item = source.read()
    assert isinstance(item, Block)
    assert item.samples.tolist() == [0x0201]


def test_half_a_sample_at_the_end_is_left_out(pipe: tuple[int, int]) -> None:
    source = opened(pipe[0])
    os.write(pipe[1], b"\x01\x02\x03")
    os.close(pipe[1])
    item = source.read()
    assert isinstance(item, Block)
    assert item.samples.tolist() == [0x0201]
    assert isinstance(source.read(), SourceEnd)


def test_nothing_yet_is_not_the_end(pipe: tuple[int, int]) -> None:
    source = opened(pipe[0])
    assert source.read() is None
    os.close(pipe[1])


def test_muted_samples_are_discarded_and_time_goes_on(pipe: tuple[int, int]) -> None:
    source = opened(pipe[0])
    source.mute(True)
    assert source.read() == SourceState("muted")
    os.write(pipe[1], SAMPLES.tobytes())
    assert source.read() is None
    source.mute(False)
    assert source.read() == SourceState("live")
    os.write(pipe[1], SAMPLES.tobytes())
    item = source.read()
    assert isinstance(item, Block)
    assert item.t == pytest.approx(3000 / 16_000)
    os.close(pipe[1])


def test_paused_the_descriptor_is_not_read(pipe: tuple[int, int]) -> None:
    source = opened(pipe[0])
    source.pause(True)
    assert source.read() == SourceState("paused")
    os.write(pipe[1], SAMPLES.tobytes())
    assert source.read() is None
    source.pause(False)
    assert source.read() == SourceState("live")
    item = source.read()
    assert isinstance(item, Block)
    assert len(item.samples) == 3000
    os.close(pipe[1])


def test_closing_leaves_the_descriptor_to_its_owner(pipe: tuple[int, int]) -> None:
    source = opened(pipe[0])
    source.close()
    assert source.read() == SourceEnd("closed")
    os.write(pipe[1], b"ab")
    assert os.read(pipe[0], 2) == b"ab"
    os.close(pipe[1])
