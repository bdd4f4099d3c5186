from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest

from stt_daemon.audio.blocks import Block, SourceEnd, SourceItem, SourceState
from stt_daemon.audio.decode import decode_file, probe_duration
from stt_daemon.audio.file_source import FileSource
from stt_daemon.errors import AudioError
from tests.fakes.clock import FakeClock
from tests.unit.audio.speech import JFK


def everything(source: FileSource) -> list[SourceItem]:
    items: list[SourceItem] = []
    while not (items and isinstance(items[-1], SourceEnd)):
        item = source.read()
        if item is not None:
            items.append(item)
    return items


def samples_of(items: list[SourceItem]) -> np.ndarray:
    return np.concatenate([item.samples for item in items if isinstance(item, Block)])


def opened(path: Path, **settings: object) -> FileSource:
    source = FileSource(path, clock=FakeClock(), **settings)  # type: ignore[arg-type]
    source.open()
    return source


def write_wav(path: Path, samples: np.ndarray, rate: int) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(samples.shape[1] if samples.ndim == 2 else 1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())
    return path


def encode(path: Path, codec: str, rate: int, samples: np.ndarray) -> Path:
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, layout="mono")
        frame = av.AudioFrame.from_ndarray(samples[None, :], format="s16", layout="mono")
        frame.sample_rate = rate
        for ready in av.AudioResampler(format=stream.format, layout="mono", rate=rate).resample(frame):
            container.mux(stream.encode(ready))
        container.mux(stream.encode(None))
    return path


@pytest.fixture(scope="module")
def jfk() -> np.ndarray:
    with wave.open(str(JFK)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def test_a_sixteen_kilohertz_file_is_heard_sample_for_sample(jfk: np.ndarray) -> None:
    source = opened(JFK, speed=None, axis_start=7.0)
    items = everything(source)
    assert isinstance(items[0], SourceState)
    assert items[0].state == "live"
    assert (samples_of(items) == jfk).all()
    blocks = [item for item in items if isinstance(item, Block)]
    assert blocks[0].t == 7.0
    assert blocks[-1].t + len(blocks[-1].samples) / 16_000 == pytest.approx(18.0)
    assert items[-1] == SourceEnd("end of file")


@pytest.mark.parametrize("start", [0.5, 3.21, 10.9999])
def test_a_file_taken_up_in_the_middle_misses_and_repeats_nothing(jfk: np.ndarray, start: float) -> None:
    items = everything(opened(JFK, speed=None, start_at=start))
    first = next(item for item in items if isinstance(item, Block))
    assert first.t == pytest.approx(start)
    assert (samples_of(items) == jfk[round(start * 16_000) :]).all()


def test_a_start_behind_the_end_ends_at_once() -> None:
    assert [type(item) for item in everything(opened(JFK, speed=None, start_at=60.0))] == [
        SourceState,
        SourceEnd,
    ]


class Pacing:
    """A wait that moves the clock, always a little too far, as an operating system does."""

    def __init__(self, clock: FakeClock, late: float) -> None:
        self.clock, self.late, self.waits = clock, late, 0

    def __call__(self, seconds: float) -> None:
        self.waits += 1
        self.clock.advance(seconds + self.late)


@pytest.mark.parametrize(("speed", "took"), [(1.0, 11.0), (4.0, 2.75)])
def test_pacing_does_not_drift_however_late_each_wait_returns(speed: float, took: float) -> None:
    clock = FakeClock()
    pacing = Pacing(clock, late=0.003)
    source = FileSource(JFK, clock=clock, speed=speed, wait=pacing)
    source.open()
    begin = clock.monotonic()
    items = everything(source)
    assert clock.monotonic() - begin == pytest.approx(took, abs=0.01)
    lateness = [item.late_s for item in items if isinstance(item, Block)]
    assert max(lateness) == pytest.approx(0.003, abs=1e-6)


def test_a_reader_that_was_late_catches_up_without_waiting() -> None:
    clock = FakeClock()
    pacing = Pacing(clock, late=0.0)
    source = FileSource(JFK, clock=clock, wait=pacing)
    source.open()
    while not isinstance(source.read(), Block):
        pass
    clock.advance(3.0)
    before = pacing.waits
    blocks = [source.read() for _ in range(90)]
    assert all(isinstance(block, Block) for block in blocks)
    assert pacing.waits == before
    assert blocks[0].late_s == pytest.approx(3.0 - 0.032)  # type: ignore[union-attr]


def test_a_paused_file_stands_still_and_a_muted_one_runs_on() -> None:
    clock = FakeClock()
    source = FileSource(JFK, clock=clock, speed=None)
    source.open()
    source.read()
    first = source.read()
    assert isinstance(first, Block)
    source.pause(True)
    assert source.read() == SourceState("paused")
    source.pause(False)
    assert source.read() == SourceState("live")
    second = source.read()
    assert isinstance(second, Block)
    assert second.t == pytest.approx(first.t + 0.512)
    source.mute(True)
    assert source.read() == SourceState("muted")
    assert source.read() is None
    source.mute(False)
    assert source.read() == SourceState("live")
    third = source.read()
    assert isinstance(third, Block)
    assert third.t == pytest.approx(second.t + 2 * 0.512)


def test_closing_ends_the_source() -> None:
    source = opened(JFK, speed=None)
    source.read()
    source.close()
    assert source.read() == SourceEnd("closed")
    assert source.read() is None


@pytest.mark.parametrize(
    ("name", "codec", "rate"), [("a.flac", "flac", 44_100), ("a.mp3", "libmp3lame", 48_000)]
)
def test_other_formats_and_rates_become_sixteen_kilohertz(
    name: str, codec: str, rate: int, tmp_path: Path
) -> None:
    tone = (8000 * np.sin(2 * np.pi * 440 * np.arange(2 * rate) / rate)).astype(np.int16)
    path = encode(tmp_path / name, codec, rate, tone)
    samples = decode_file(path)
    assert len(samples) == pytest.approx(32_000, abs=1600)
    spectrum = np.abs(np.fft.rfft(samples[4000:20_000]))
    assert np.argmax(spectrum) == 440
    assert probe_duration(path) == pytest.approx(2.0, abs=0.1)


def test_a_stereo_file_with_a_silent_or_inverted_channel_keeps_its_sound(
    jfk: np.ndarray, tmp_path: Path
) -> None:
    silent = write_wav(tmp_path / "a.wav", np.stack([np.zeros_like(jfk), jfk], axis=1), 16_000)
    inverted = write_wav(tmp_path / "b.wav", np.stack([jfk, -jfk], axis=1), 16_000)
    assert (decode_file(silent) == jfk).all()
    assert np.abs(decode_file(inverted)).max() > 0.9 * np.abs(jfk).max()


def test_progress_is_told_in_seconds_and_ends_at_the_length() -> None:
    told: list[float] = []
    decode_file(JFK, told.append)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(11.0)
    assert len(told) >= 10


def test_a_file_with_an_unfinished_header_is_heard_to_its_end(jfk: np.ndarray, tmp_path: Path) -> None:
    torn = bytearray(write_wav(tmp_path / "torn.wav", jfk, 16_000).read_bytes())
    torn[4:8] = torn[40:44] = b"\xff" * 4
    (tmp_path / "torn.wav").write_bytes(torn)
    assert len(decode_file(tmp_path / "torn.wav")) == len(jfk)


@pytest.mark.parametrize(
    "name", ["missing.wav", "folder", "empty.wav", "text.wav", "silent.wav", "picture.png"]
)
def test_what_is_no_audio_file_is_one_readable_line_that_names_it(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.wav").touch()
    (tmp_path / "text.wav").write_text("Dear diary")
    write_wav(tmp_path / "silent.wav", np.zeros(0, np.int16), 16_000)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 64)
    path = tmp_path / name
    for attempt in (lambda: decode_file(path), lambda: opened(path)):
        with pytest.raises(AudioError) as caught:
            attempt()
        assert name in str(caught.value)
        assert "\n" not in str(caught.value)
