from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stt_daemon.audio import capture
from stt_daemon.audio.blocks import Block, SourceEnd, SourceGap, SourceItem, SourceState, SourceWarning
from stt_daemon.audio.microphone import Microphone
from stt_daemon.audio.probe import probe_level
from stt_daemon.errors import AudioError
from tests.fakes.audio_device import FakeDevice, FakePortAudio
from tests.fakes.clock import FakeClock


class Desk:
    """A microphone on a scripted audio system."""

    def __init__(self, devices: list[FakeDevice] | None = None, device: str = "", **settings: Any) -> None:
        self.clock = FakeClock()
        self.system = FakePortAudio(self.clock, devices)
        load: Callable[[], Any] = settings.pop("backend", self.system.load)
        self.microphone = Microphone(device, clock=self.clock, backend=load, poll_s=0.0, **settings)
        self.items: list[SourceItem] = []

    def open(self) -> Desk:
        self.microphone.open()
        return self

    def read(self) -> list[SourceItem]:
        """Everything that can be read now."""
        new: list[SourceItem] = []
        while (item := self.microphone.read()) is not None:
            new.append(item)
            if isinstance(item, SourceEnd):
                break
        self.items += new
        return new

    def play(self, seconds: float, **kwargs: Any) -> list[SourceItem]:
        """Deliver sound, reading about ten times a second as the listener does."""
        new: list[SourceItem] = []
        while seconds > 1e-9:
            step = min(0.128, seconds)
            self.system.stream.play(step, **kwargs)
            new += self.read()
            seconds -= step
        return new

    def wait(self, seconds: float) -> list[SourceItem]:
        """Time passes without sound."""
        new: list[SourceItem] = []
        for _ in range(round(seconds / 0.1)):
            self.clock.advance(0.1)
            new += self.read()
        return new


def states(items: list[SourceItem]) -> list[str]:
    return [item.state for item in items if isinstance(item, SourceState)]


def of(items: list[SourceItem], kind: type) -> list[Any]:
    return [item for item in items if isinstance(item, kind)]


def seconds(items: list[SourceItem]) -> float:
    return sum(len(block.samples) for block in of(items, Block)) / 16_000


def test_sound_arrives_as_blocks_on_the_session_axis() -> None:
    desk = Desk(axis_start=100.0).open()
    items = desk.play(1.024)
    assert states(items) == ["live"]
    blocks = of(items, Block)
    assert seconds(items) == pytest.approx(1.024)
    assert blocks[0].t == pytest.approx(100.0)
    assert blocks[-1].t + len(blocks[-1].samples) / 16_000 == pytest.approx(101.024)
    assert desk.system.stream.wanted["samplerate"] == 16_000
    assert desk.system.stream.wanted["latency"] >= 0.5


def test_a_device_that_refuses_16_khz_is_opened_at_its_own_rate_and_resampled() -> None:
    desk = Desk([FakeDevice("USB", rate=44_100, rates=(44_100,))]).open()
    items = desk.play(2.0)
    assert desk.microphone.rate == 44_100
    assert seconds(items) == pytest.approx(2.0, abs=0.01)


def test_a_device_that_takes_only_two_channels_is_opened_with_two_and_mixed() -> None:
    desk = Desk([FakeDevice("Interface", channels=1, counts=(2,))]).open()
    items = desk.play(1.0)
    assert desk.system.stream.channels == 2
    assert seconds(items) == pytest.approx(1.0, abs=0.01)
    assert max(np.abs(block.samples).max() for block in of(items, Block)) > 2900


def test_a_device_picky_about_rate_and_channels_is_opened() -> None:
    desk = Desk([FakeDevice("Array", channels=4, rate=48_000, rates=(48_000,), counts=(4,))]).open()
    assert seconds(desk.play(1.0)) == pytest.approx(1.0, abs=0.01)


def test_a_silent_first_channel_is_not_silence() -> None:
    desk = Desk([FakeDevice("Interface", channels=2)]).open()
    frames = np.zeros((1600, 2), np.int16)
    frames[:, 1] = 1000
    desk.system.stream.deliver(frames)
    (block,) = of(desk.read(), Block)
    assert (block.samples == 1000).all()


def test_a_stale_device_list_is_made_anew_once() -> None:
    desk = Desk([FakeDevice("Built-in", open_errors=[-9986])]).open()
    assert desk.system.restarts == 1
    assert states(desk.play(0.1)) == ["live"]


def test_after_a_headset_switch_the_named_device_is_never_replaced_by_another() -> None:
    desk = Desk([FakeDevice("Headset"), FakeDevice("Built-in")], device="headset")
    desk.system.plugged = [desk.system.plugged[1]]
    desk.open()
    items = desk.read()
    assert states(items) == ["lost"]
    assert "Built-in" in items[0].reason  # type: ignore[union-attr]
    desk.wait(5.0)
    assert desk.system.streams == []


def test_an_ambiguous_name_is_refused_at_once() -> None:
    with pytest.raises(AudioError, match="Mic A, Mic B"):
        Desk([FakeDevice("Mic A"), FakeDevice("Mic B")], device="mic").open()


def test_without_any_input_device_it_keeps_trying_until_one_comes() -> None:
    desk = Desk([]).open()
    items = desk.wait(10.0)
    assert [(item.state, item.reason.split(" (")[0]) for item in of(items, SourceState)] == [
        ("lost", "no input device")
    ]
    desk.system.plugged = [FakeDevice("Webcam")]
    desk.wait(2.0)
    items = desk.play(0.5)
    assert states(items) == ["live"]
    (gap,) = of(items, SourceGap)
    assert gap.reason == "no input device"
    assert (gap.t0, gap.t1) == (pytest.approx(0.0), pytest.approx(12.0, abs=0.3))
    assert of(items, Block)[0].t == pytest.approx(gap.t1)


def test_a_missing_portaudio_library_is_a_reason_and_not_an_error() -> None:
    def missing() -> Any:
        raise AudioError("PortAudio cannot be used", mend="install libportaudio2")

    desk = Desk(backend=missing).open()
    (state,) = desk.wait(3.0)
    assert isinstance(state, SourceState)
    assert (state.state, "libportaudio2" in state.reason) == ("lost", True)


def test_an_unplugged_device_is_noticed_within_two_seconds_and_reopened_when_it_returns() -> None:
    desk = Desk().open()
    desk.play(3.0)
    desk.system.plugged = []
    items = desk.wait(1.9)
    assert set(states(items)) == {"lost"}
    assert desk.system.live == []
    desk.wait(20.0)
    desk.system.plugged = [FakeDevice("Built-in Microphone")]
    desk.wait(2.0)
    items = desk.play(1.0)
    assert [type(item) for item in items[:3]] == [SourceGap, SourceState, Block]
    gap = items[0]
    assert isinstance(gap, SourceGap)
    assert gap.t0 == pytest.approx(3.0, abs=0.01)
    assert gap.t1 == pytest.approx(desk.clock.monotonic() - 1000.0 - 1.0, abs=0.1)
    assert of(items, Block)[0].t == pytest.approx(gap.t1)


def test_a_stream_that_ends_by_itself_is_lost_at_once() -> None:
    desk = Desk().open()
    desk.play(1.0)
    desk.system.stream.die()
    assert "lost" in states(desk.read())


def test_a_device_that_never_calls_back_is_given_the_time_a_headset_needs() -> None:
    desk = Desk().open()
    assert states(desk.wait(2.5)) == []
    assert states(desk.wait(1.0))[:1] == ["lost"]


def test_ten_failing_starts_leave_one_live_stream() -> None:
    desk = Desk([FakeDevice("Flaky", start_errors=[-9999] * 10)]).open()
    desk.wait(30.0)
    desk.play(0.5)
    assert len(desk.system.live) == desk.system.most_live == 1
    assert all(stream.closed for stream in desk.system.streams if stream is not desk.system.stream)


def test_a_close_that_never_returns_opens_no_second_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "_CLOSE_S", 0.01)
    desk = Desk().open()
    desk.play(1.0)
    let_go, closed = threading.Event(), threading.Event()
    desk.system.before_close = lambda: (let_go.wait(30), closed.set())[0]
    items = desk.wait(6.9)
    assert "does not let go" in of(items, SourceState)[-1].reason
    assert len(desk.system.streams) == 1
    let_go.set()
    assert closed.wait(30)
    wedged = desk.microphone._wedged
    assert wedged is not None
    wedged.join(30)
    desk.wait(2.0)
    assert states(desk.play(0.5)) == ["live"]


def test_overflows_are_counted_told_and_marked_as_gaps() -> None:
    desk = Desk().open()
    desk.play(1.0)
    hum = np.full(512, 100, np.int16)
    desk.system.stream.deliver(hum, overflow=True, late_s=0.4)
    items = desk.read()
    (warning,) = of(items, SourceWarning)
    assert warning.code == "overflow"
    (gap,) = of(items, SourceGap)
    assert gap.reason == "input overflow"
    assert (gap.t0, gap.t1) == (pytest.approx(1.0), pytest.approx(1.4, abs=0.01))
    assert of(items, Block)[0].t == pytest.approx(gap.t1)
    desk.system.stream.deliver(hum, overflow=True, late_s=0.2)
    assert len(of(desk.read(), SourceGap)) == 1
    assert desk.microphone.overflows == 2


def test_a_driver_that_flags_every_callback_does_not_shred_the_speech() -> None:
    desk = Desk().open()
    desk.play(1.0)
    items: list[SourceItem] = []
    for _ in range(150):
        desk.system.stream.deliver(np.full(512, 100, np.int16), overflow=True)
        items += desk.read()
    assert len(of(items, SourceGap)) == 1
    assert seconds(items) == pytest.approx(150 * 0.032)
    assert desk.microphone.overflows == 150


def test_a_reader_that_was_away_for_long_gets_the_oldest_and_a_mark() -> None:
    desk = Desk().open()
    desk.play(1.0)
    desk.system.stream.play(12.0)
    items = desk.read()
    assert seconds(items) == pytest.approx(10.0, abs=0.1)
    items += desk.play(0.5)
    (gap,) = of(items, SourceGap)
    assert gap.t1 - gap.t0 == pytest.approx(2.0, abs=0.1)


def test_a_device_that_delivers_too_few_samples_is_told_and_reopened() -> None:
    desk = Desk([FakeDevice("Broken", rate=24_000, rates=(24_000,))]).open()
    items: list[SourceItem] = []
    per_block = 16.07 / (48_960 / 768)
    while "lost" not in states(items):
        desk.system.stream.deliver(np.full(768, 100, np.int16), late_s=per_block - 0.032)
        items += desk.read()
    (warning,) = of(items, SourceWarning)
    assert warning.code == "rate"
    assert "24000" in warning.message
    assert desk.clock.monotonic() - 1000.0 < 16.07
    items = desk.play(0.5)
    (gap,) = of(items, SourceGap)
    assert gap.reason == "wrong sample rate"
    assert gap.t1 == pytest.approx(desk.clock.monotonic() - 1000.0 - 0.5, abs=0.1)


def test_a_device_that_stays_at_another_common_rate_is_believed() -> None:
    desk = Desk([FakeDevice("Misnamed", rate=48_000, rates=(48_000,))]).open()
    seen: list[SourceItem] = []
    for _ in range(40):
        if desk.system.live:
            # 44,100 frames a second under the name of 48,000.
            for _ in range(32):
                desk.system.stream.deliver(np.full(1536, 100, np.int16), late_s=1536 / 44_100 - 1536 / 48_000)
                seen += desk.read()
        else:
            seen += desk.wait(0.3)
    assert states(seen).count("lost") == 1
    before = desk.clock.monotonic()
    late: list[SourceItem] = []
    for _ in range(300):
        desk.system.stream.deliver(np.full(1536, 100, np.int16), late_s=1536 / 44_100 - 1536 / 48_000)
        late += desk.read()
    assert seconds(late) == pytest.approx(desk.clock.monotonic() - before, rel=0.01)


def test_segment_time_equals_wall_time_for_a_stereo_device() -> None:
    desk = Desk([FakeDevice("Interface", channels=2, rate=48_000, rates=(48_000,))]).open()
    before = desk.clock.monotonic()
    items = desk.play(4.0)
    assert seconds(items) == pytest.approx(desk.clock.monotonic() - before, abs=0.02)


def test_after_suspend_the_device_is_reopened() -> None:
    desk = Desk().open()
    desk.play(2.0)
    desk.clock.step_wall(3600)
    items = desk.read()
    assert states(items) == ["lost"]
    assert "suspended for about 3600 s" in items[-1].reason  # type: ignore[union-attr]
    desk.read()
    items = desk.play(0.5)
    assert states(items) == ["live"]
    assert of(items, SourceGap)[0].t1 >= of(items, SourceGap)[0].t0


def test_a_wall_clock_that_steps_back_changes_nothing() -> None:
    desk = Desk().open()
    items = desk.play(1.0)
    desk.clock.step_wall(-3600)
    items += desk.play(1.0)
    assert states(items) == ["live"]
    times = [block.t for block in of(items, Block)]
    assert times == sorted(times)
    assert seconds(items) == pytest.approx(2.0, abs=0.01)


def test_a_process_that_was_stopped_for_a_while_marks_a_gap_and_goes_on() -> None:
    desk = Desk().open()
    desk.play(2.0)
    desk.clock.advance(30.0)
    desk.system.stream.play(0.032)
    items = desk.read() + desk.play(1.0)
    (gap,) = of(items, SourceGap)
    assert (gap.t0, gap.t1) == (pytest.approx(2.0, abs=0.05), pytest.approx(32.0, abs=0.2))


def test_muted_every_sample_is_discarded_with_the_device_open_and_time_goes_on() -> None:
    desk = Desk().open()
    desk.play(1.0)
    desk.microphone.mute(True)
    items = desk.play(2.0)
    assert states(items) == ["muted"]
    assert of(items, Block) == []
    assert len(desk.system.live) == 1
    desk.microphone.mute(False)
    items = desk.play(1.0)
    assert states(items) == ["live"]
    assert of(items, SourceGap) == []
    assert of(items, Block)[0].t == pytest.approx(3.0, abs=0.2)


def test_paused_the_device_is_closed_and_opened_again() -> None:
    desk = Desk().open()
    desk.play(1.0)
    desk.microphone.pause(True)
    assert states(desk.read()) == ["paused"]
    assert desk.system.live == []
    desk.clock.advance(60.0)
    desk.microphone.pause(False)
    desk.read()
    items = desk.play(1.0)
    assert states(items) == ["live"]
    assert of(items, SourceGap) == []
    assert of(items, Block)[0].t == pytest.approx(61.0, abs=0.2)


def test_closing_hands_out_what_was_captured_and_frees_the_device() -> None:
    desk = Desk().open()
    desk.play(1.0)
    desk.system.stream.play(0.5)
    desk.microphone.close()
    items = desk.read()
    assert seconds(items) == pytest.approx(0.5, abs=0.01)
    assert isinstance(items[-1], SourceEnd)
    assert desk.system.live == []
    assert desk.microphone.read() is None


def test_closing_while_the_device_is_lost_accounts_for_the_time() -> None:
    desk = Desk().open()
    desk.play(1.0)
    desk.system.plugged = []
    desk.wait(10.0)
    desk.microphone.close()
    gap, end = desk.read()
    assert isinstance(gap, SourceGap)
    assert (gap.t0, gap.t1) == (pytest.approx(1.0), pytest.approx(11.0))
    assert isinstance(end, SourceEnd)


def test_clipping_is_seen_before_mixing_hides_it() -> None:
    desk = Desk([FakeDevice("Interface", channels=2)]).open()
    frames = np.zeros((1600, 2), np.int16)
    frames[100:140, 0] = 32767
    frames[:, 1] = -200
    desk.system.stream.deliver(frames)
    (block,) = of(desk.read(), Block)
    assert block.clipped


def test_a_probe_tells_the_level_of_a_device() -> None:
    clock = FakeClock()
    system = FakePortAudio(clock)

    class Playing(FakeClock):
        """Each look at the clock lets the device deliver a block."""

        def monotonic(self) -> float:
            if system.live and threading.current_thread().name == "MainThread" and not self._busy:
                self._busy = True
                system.stream.play(0.032)
                self._busy = False
            return clock.monotonic()

        _busy = False

    probe = probe_level(backend=system.load, clock=Playing(), poll_s=0.0)
    assert probe.device == "Built-in Microphone"
    assert probe.db is not None
    assert probe.db == pytest.approx(-23.8, abs=0.5)
    assert probe.reason == ""
    assert system.live == []


def test_a_probe_without_a_device_tells_the_reason() -> None:
    clock = FakeClock()
    probe = probe_level("Yeti", backend=FakePortAudio(clock).load, clock=clock, poll_s=0.0)
    assert probe.db is None
    assert "Yeti" in probe.reason
