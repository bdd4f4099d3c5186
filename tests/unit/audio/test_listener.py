from __future__ import annotations

import errno
import os
import queue
import stat
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stt_daemon.audio.blocks import Block, SourceEnd, SourceGap, SourceItem, SourceState, SourceWarning
from stt_daemon.audio.events import (
    FolderChanged,
    GapHeard,
    ListenerEnded,
    ListenerFailed,
    PartialDue,
    SegmentClosed,
)
from stt_daemon.audio.listener import Listener
from stt_daemon.audio.repair import repair_folder
from stt_daemon.audio.store import SegmentStore
from stt_daemon.audio.vad import FRAME
from stt_daemon.audio.wav import SegmentWriter, stem_of
from stt_daemon.errors import AudioError
from stt_daemon.messages import CaptureChanged, LevelMeasured, SourceAdvanced, SpeechChanged, Warned
from tests.fakes.clock import FakeClock
from tests.unit.audio.speech import SHARED, WALL_START, Events, hear

RATE = 16_000
needs_recordings = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the reference recordings are not on this machine"
)


class LoudIsSpeech:
    """A detector for which every frame louder than -40 dBFS is speech."""

    def probabilities(self, frames: np.ndarray) -> np.ndarray:
        return np.where(np.sqrt((frames**2).mean(axis=1)) > 0.01, 0.95, 0.02).astype(np.float32)

    def reset(self) -> None:
        pass


class ScriptedSource:
    """Hands out what the test puts in; made blocks join on its own time axis."""

    def __init__(self, live: bool = True, t: float = 0.0) -> None:
        self.live, self.name, self.rate = live, "Test microphone", 48_000
        self.t = t
        self.open_error: Exception | None = None
        self.opened = self.closed = False
        self.wishes: list[tuple[str, bool]] = []
        self._items: queue.Queue[SourceItem | Exception] = queue.Queue()
        self._rng = np.random.default_rng(7)

    def open(self) -> None:
        if self.open_error is not None:
            raise self.open_error
        self.opened = True

    def read(self) -> SourceItem | None:
        try:
            item = self._items.get(timeout=0.0 if self.closed else 0.1)
        except queue.Empty:
            return SourceEnd("closed") if self.closed else None
        if isinstance(item, Exception):
            raise item
        return item

    def mute(self, on: bool) -> None:
        self.wishes.append(("mute", on))

    def pause(self, on: bool) -> None:
        self.wishes.append(("pause", on))

    def close(self) -> None:
        self.closed = True

    def put(self, item: SourceItem | Exception) -> None:
        self._items.put(item)

    def say(self, seconds: float, level: int = 3000) -> np.ndarray:
        """Noise of a level in blocks of a tenth of a second; what was said, for comparison."""
        said = self._rng.integers(-level, level + 1, round(seconds * RATE)).astype(np.int16)
        for at in range(0, len(said), 1600):
            part = said[at : at + 1600]
            self.put(Block(part, self.t))
            self.t += len(part) / RATE
        return said

    def quiet(self, seconds: float) -> np.ndarray:
        return self.say(seconds, level=5)


class Room:
    """A listener on a scripted source, in a folder."""

    def __init__(self, folder: Path, source: ScriptedSource | None = None, **settings: Any) -> None:
        self.source = ScriptedSource() if source is None else source
        self.clock, self.events, self.folder = FakeClock(), Events(), folder
        settings.setdefault("detector", LoudIsSpeech)
        settings.setdefault("wall_of", lambda t: WALL_START + t)
        self.listener = Listener(self.source, folder=folder, emit=self.events, clock=self.clock, **settings)
        self.listener.start()

    def end(self) -> Events:
        self.source.put(SourceEnd("over"))
        self.events.end()
        assert self.listener.join(10)
        return self.events

    def stop(self) -> Events:
        self.listener.stop()
        self.events.end()
        assert self.listener.join(10)
        return self.events


def samples(path: Path) -> np.ndarray:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE)
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def until_t(room: Room, t: float) -> None:
    room.events.until(SourceAdvanced, where=lambda event: event.t >= t - 1e-6)


def test_a_segment_on_disk_holds_pre_roll_speech_and_tail(tmp_path: Path) -> None:
    room = Room(tmp_path / "audio")
    heard = [room.source.quiet(1.0), room.source.say(2.0), room.source.quiet(2.0)]
    events = room.end()
    (segment,) = events.segments
    assert segment.reason == "speech"
    assert segment.t0 == pytest.approx(1.0 - 0.3, abs=0.033)
    assert segment.speech_t0 == pytest.approx(1.0, abs=0.033)
    assert segment.speech_t1 == pytest.approx(3.0, abs=0.033)
    assert segment.t1 == pytest.approx(3.0 + 0.25, abs=0.033)
    assert segment.voiced_s == pytest.approx(2.0, abs=0.04)
    assert segment.level_db == pytest.approx(-25.5, abs=1.0)
    assert segment.wav == f"{stem_of(WALL_START + segment.t0)}-speech.wav"
    on_disk = samples(tmp_path / "audio" / segment.wav)
    first = round(segment.t0 * RATE)
    assert (on_disk == np.concatenate(heard)[first : first + len(on_disk)]).all()
    assert len(on_disk) == round(segment.duration_s * RATE)


def test_speech_begins_and_ends_as_events_before_the_segment(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.source.quiet(1.0)
    room.source.say(1.0)
    room.source.quiet(1.5)
    events = room.end()
    told = [e for e in events.all if isinstance(e, (SpeechChanged, SegmentClosed))]
    assert [getattr(e, "state", "closed") for e in told] == ["start", "end", "closed"]
    assert told[0].t == pytest.approx(1.0, abs=0.033)


def test_sound_without_speech_leaves_no_file_and_no_event(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.source.quiet(1.0)
    room.source.say(0.05)
    room.source.quiet(3.0)
    events = room.end()
    assert events.segments == []
    assert events.of(SpeechChanged) == []
    assert list(tmp_path.iterdir()) == []


def test_ninety_seconds_without_a_pause_are_whole_in_their_segments(tmp_path: Path) -> None:
    room = Room(tmp_path)
    said = room.source.say(90.0)
    events = room.end()
    reasons = [segment.reason for segment in events.segments]
    assert reasons == ["max"] * (len(reasons) - 1) + ["stop"]
    assert all(segment.duration_s <= 28.0 for segment in events.segments)
    on_disk = np.concatenate([samples(tmp_path / segment.wav) for segment in events.segments])
    assert (on_disk == said).all()
    assert len(events.of(SpeechChanged)) == 2


def test_what_is_being_spoken_is_on_disk_and_survives_a_crash(tmp_path: Path) -> None:
    room = Room(tmp_path)
    said = room.source.say(3.0)
    until_t(room, 3.0)
    (part,) = tmp_path.glob("*.part.wav")
    assert stat.S_IMODE(part.stat().st_mode) == 0o600
    copy = tmp_path / "crash"
    copy.mkdir()
    (copy / part.name).write_bytes(part.read_bytes())
    (repair,) = repair_folder(copy)
    assert repair.path is not None
    found = samples(repair.path)
    assert len(found) > 2.9 * RATE
    assert (found == said[: len(found)]).all()
    room.stop()


def test_a_stop_in_the_middle_of_a_word_keeps_what_was_captured(tmp_path: Path) -> None:
    room = Room(tmp_path)
    said = room.source.say(2.0)
    until_t(room, 1.0)
    events = room.stop()
    (segment,) = events.segments
    assert segment.reason == "stop"
    assert (samples(tmp_path / segment.wav) == said).all()
    ended = events.all[-1]
    assert ended == ListenerEnded("stopped", source_ended=False)
    assert events.of(CaptureChanged)[-1].state == "ended"
    assert room.source.closed


def test_the_end_of_a_source_settles_the_last_words(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.source.say(1.0)
    room.source.quiet(0.3)
    events = room.end()
    assert [segment.reason for segment in events.segments] == ["speech"]
    assert events.all[-1] == ListenerEnded("over", source_ended=True)


def test_a_source_that_ends_in_a_word_is_a_stop(tmp_path: Path) -> None:
    room = Room(tmp_path)
    said = room.source.say(1.03)
    events = room.end()
    (segment,) = events.segments
    assert segment.reason == "stop"
    assert (samples(tmp_path / segment.wav) == said).all()


def test_a_lost_device_closes_the_segment_and_the_gap_follows_it(tmp_path: Path) -> None:
    room = Room(tmp_path)
    said = room.source.say(1.0)
    room.source.put(SourceState("lost", "the device stopped"))
    room.source.put(SourceGap(1.0, 9.0, "the device stopped"))
    room.source.put(SourceState("live"))
    room.source.t = 9.0
    again = room.source.say(1.0)
    events = room.end()
    first, second = events.segments
    assert (first.reason, second.reason) == ("lost", "stop")
    assert (samples(tmp_path / first.wav) == said).all()
    assert (samples(tmp_path / second.wav) == again).all()
    assert second.t0 == pytest.approx(9.0)
    order = [type(e) for e in events.all if isinstance(e, (SegmentClosed, GapHeard))]
    assert order == [SegmentClosed, GapHeard, SegmentClosed]
    states = [(e.state, e.reason) for e in events.of(CaptureChanged)]
    assert ("lost", "the device stopped") in states


def test_mute_ends_speech_and_time_goes_on(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.source.say(1.0)
    room.source.put(SourceState("muted"))
    room.source.put(SourceState("live"))
    room.source.t = 61.0
    room.source.say(1.0)
    events = room.end()
    assert [(s.reason, round(s.t0)) for s in events.segments] == [("speech", 0), ("stop", 61)]
    assert events.of(GapHeard) == []


def test_wishes_reach_the_source(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.listener.mute(True)
    room.listener.pause(True)
    assert room.source.wishes == [("mute", True), ("pause", True)]
    room.stop()


def test_warnings_of_the_source_name_the_device(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.source.put(SourceWarning("overflow", "sound was lost"))
    events = room.end()
    assert [(w.where, w.code) for w in events.of(Warned)] == [("Test microphone", "overflow")]


def test_exact_zeros_raise_the_alarm_once_an_episode_and_quiet_does_not(tmp_path: Path) -> None:
    room = Room(tmp_path, silence_alarm_s=5.0)
    room.source.put(SourceState("live"))
    room.source.quiet(8.0)
    until_t(room, 8.0)
    assert room.events.of(Warned) == []
    room.source.say(9.0, level=0)
    room.source.quiet(1.0)
    room.source.say(4.5, level=0)
    room.source.quiet(1.0)
    events = room.end()
    (warning,) = events.of(Warned)
    assert (warning.code, warning.message) == (
        "digital_silence",
        "digital silence: muted or no permission",
    )
    live = [e.reason for e in events.of(CaptureChanged) if e.state == "live"]
    assert live == ["", "digital silence: muted or no permission", ""]
    assert events.segments == []


def test_clipping_is_told_once_and_shown_in_the_level(tmp_path: Path) -> None:
    room = Room(tmp_path)
    for _ in range(5):
        room.source.put(Block(np.full(1600, 32767, np.int16), room.source.t))
        room.source.t += 0.1
    events = room.end()
    assert [w.code for w in events.of(Warned)] == ["clipping"]
    assert events.of(LevelMeasured)[0].clipping


def test_levels_come_at_most_ten_times_a_second(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.source.say(5.0)
    events = room.end()
    assert len(events.of(LevelMeasured)) == 1


def test_partials_are_due_while_somebody_speaks_and_not_in_the_pause(tmp_path: Path) -> None:
    room = Room(tmp_path, partial_interval_s=1.0, end_silence_ms=2500)
    room.source.quiet(1.0)
    room.source.say(3.5)
    room.source.quiet(3.0)
    events = room.end()
    due = events.of(PartialDue)
    assert [round(d.t1) for d in due] == [2, 3, 4, 5]
    assert len({d.t0 for d in due}) == 1
    assert due[0].t1 - 1.0 <= 1.2


def test_the_open_segment_can_be_looked_at_while_it_grows(tmp_path: Path) -> None:
    room = Room(tmp_path, partial_interval_s=1.0)
    room.source.quiet(1.0)
    said = room.source.say(1.5)
    room.events.until(PartialDue)
    until_t(room, 2.5)
    audio = room.listener.open_audio()
    assert audio is not None
    assert audio.t0 == pytest.approx(0.7, abs=0.033)
    assert len(audio.samples) == round((audio.t1 - audio.t0) * RATE)
    voiced = audio.samples[round((1.0 - audio.t0) * RATE) :]
    assert (voiced == said[: len(voiced)]).all()
    room.source.quiet(1.0)
    room.events.until(SegmentClosed)
    assert room.listener.open_audio() is None
    room.stop()


def test_the_folder_changes_at_a_segment_boundary(tmp_path: Path) -> None:
    room = Room(tmp_path / "one")
    room.source.say(1.0)
    until_t(room, 1.0)
    room.listener.change_folder(tmp_path / "two")
    room.source.say(1.0)
    room.source.quiet(1.0)
    room.source.say(1.0)
    events = room.end()
    order = [type(e) for e in events.all if isinstance(e, (SegmentClosed, FolderChanged))]
    assert order == [SegmentClosed, FolderChanged, SegmentClosed]
    first, second = events.segments
    assert [p.name for p in (tmp_path / "one").iterdir()] == [first.wav]
    assert [p.name for p in (tmp_path / "two").iterdir()] == [second.wav]


def test_in_speech_without_end_the_folder_changes_at_the_forced_cut(tmp_path: Path) -> None:
    room = Room(tmp_path / "one", max_segment_s=4.0)
    said = [room.source.say(1.0)]
    until_t(room, 1.0)
    room.listener.change_folder(tmp_path / "two")
    said.append(room.source.say(4.0))
    events = room.end()
    first, second = events.segments
    parts = [samples(tmp_path / "one" / first.wav), samples(tmp_path / "two" / second.wav)]
    assert (np.concatenate(parts) == np.concatenate(said)).all()


def test_raw_sound_of_everything_is_kept_on_request(tmp_path: Path) -> None:
    room = Room(tmp_path, keep_raw=True)
    heard = [room.source.quiet(1.0), room.source.say(1.0)]
    room.end()
    resumed = Room(tmp_path, ScriptedSource(t=10.0), keep_raw=True)
    heard.append(resumed.source.quiet(1.0))
    resumed.end()
    assert (samples(tmp_path / "raw.wav") == np.concatenate(heard)).all()


def test_a_detector_that_finds_next_to_nothing_in_much_sound_is_suspected_once(tmp_path: Path) -> None:
    class Deaf(LoudIsSpeech):
        def probabilities(self, frames: np.ndarray) -> np.ndarray:
            return np.full(len(frames), 0.02, np.float32)

    room = Room(tmp_path, detector=Deaf)
    room.source.say(400.0)
    events = room.end()
    assert [w.code for w in events.of(Warned)] == ["kept_ratio"]


def test_minutes_of_quiet_are_no_reason_to_suspect_the_detector(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.source.quiet(400.0)
    assert room.end().of(Warned) == []


def test_names_follow_the_start_and_no_clock_makes_a_length_negative(tmp_path: Path) -> None:
    steps = [0.0]
    room = Room(tmp_path, wall_of=lambda t: WALL_START + t + steps[0])
    room.source.say(1.0)
    until_t(room, 1.0)
    steps[0] = -3600.0
    room.source.say(1.0)
    room.source.quiet(1.0)
    room.source.say(1.0)
    events = room.end()
    first, second = events.segments
    assert first.wav.startswith(stem_of(WALL_START))
    assert first.wall == WALL_START
    assert second.wall == pytest.approx(WALL_START - 3600 + second.t0)
    assert first.duration_s > 2.0
    assert first.t1 <= second.t0


def test_a_source_that_cannot_be_opened_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    source = ScriptedSource()
    source.open_error = AudioError("talk.wav: there is no such file", code="no_file")
    room = Room(tmp_path, source)
    failed = room.events.until(ListenerFailed)
    assert (failed.error.code, failed.error.message) == ("no_file", "talk.wav: there is no such file")
    assert room.listener.wait_open(10)


def test_an_unexpected_error_keeps_the_open_segment_and_ends_the_listener(tmp_path: Path) -> None:
    room = Room(tmp_path)
    said = room.source.say(1.0)
    room.source.put(RuntimeError("boom"))
    failed = room.events.until(ListenerFailed)
    assert failed.error.code == "unexpected"
    (segment,) = room.events.segments
    assert segment.reason == "lost"
    assert (samples(tmp_path / segment.wav) == said).all()
    assert room.source.closed


def test_a_folder_that_cannot_be_written_is_refused_before_the_source_opens(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    room = Room(tmp_path / "file" / "audio")
    failed = room.events.until(ListenerFailed)
    assert failed.error.code == "folder"
    assert str(tmp_path / "file" / "audio") in failed.error.message
    assert not room.source.opened
    assert [c.state for c in room.events.of(CaptureChanged)] == ["starting", "ended"]


class Disk:
    """Room on a disk, in bytes; None: plenty."""

    def __init__(self) -> None:
        self.room: int | None = None

    def take(self, count: int) -> None:
        if self.room is not None:
            if count > self.room:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.room -= count

    def store(self) -> Callable[[Path], SegmentStore]:
        disk = self

        class Writer(SegmentWriter):
            def append(self, samples: np.ndarray) -> None:
                disk.take(2 * len(samples))
                super().append(samples)

        class Store(SegmentStore):
            def check(self) -> None:
                disk.take(1)
                super().check()

            def open_segment(self, wall: float) -> SegmentWriter:
                disk.take(44)
                return Writer(self.folder, wall)

        return Store


def test_a_full_disk_is_told_at_once_and_listening_goes_on_when_there_is_room(tmp_path: Path) -> None:
    disk = Disk()
    room = Room(tmp_path, store=disk.store())
    said = room.source.say(1.0)
    until_t(room, 1.0)
    disk.room = 0
    room.source.say(1.0)
    room.source.quiet(1.0)
    room.source.say(1.0)
    until_t(room, 4.0)
    assert [w.code for w in room.events.of(Warned)] == ["disk"]
    assert os.strerror(errno.ENOSPC) in room.events.of(Warned)[0].message
    disk.room = None
    room.clock.advance(2.0)
    room.source.quiet(1.0)
    again = room.source.say(1.0)
    events = room.end()
    first, second = events.segments
    assert first.reason == "lost"
    kept = samples(tmp_path / first.wav)
    assert len(kept) > 0.9 * RATE
    assert (kept == said[: len(kept)]).all()
    (gap,) = events.of(GapHeard)
    assert gap.reason == os.strerror(errno.ENOSPC)
    assert (gap.t0, gap.t1) == (pytest.approx(first.t1), pytest.approx(4.0))
    assert (samples(tmp_path / second.wav)[-len(again) :] == again).all()
    assert [w.code for w in events.of(Warned)] == ["disk", "disk_recovered"]


def test_a_disk_that_is_full_from_the_start_is_a_gap_until_there_is_room(tmp_path: Path) -> None:
    disk = Disk()
    disk.room = 0
    room = Room(tmp_path, store=disk.store())
    room.source.say(1.0)
    until_t(room, 1.0)
    disk.room = None
    room.clock.advance(2.0)
    room.source.quiet(0.5)
    room.source.say(1.0)
    events = room.end()
    (gap,) = events.of(GapHeard)
    assert (gap.t0, gap.t1) == (0.0, pytest.approx(1.0))
    assert len(events.segments) == 1


def test_a_disk_that_fills_at_a_forced_cut_keeps_the_segment_before(tmp_path: Path) -> None:
    disk = Disk()
    room = Room(tmp_path, store=disk.store(), max_segment_s=4.0)
    said = room.source.say(3.0)
    until_t(room, 3.0)
    disk.room = 2 * RATE + 1000
    room.source.say(3.0)
    events = room.end()
    first = events.segments[0]
    kept = samples(tmp_path / first.wav)
    assert (kept == said[: len(kept)]).all()
    (gap,) = events.of(GapHeard)
    assert gap.t0 == pytest.approx(first.t1)
    assert gap.t1 == pytest.approx(6.0)
    assert not list(tmp_path.glob("*.part.wav"))


def test_a_file_waits_for_room_and_loses_nothing(tmp_path: Path) -> None:
    disk = Disk()
    room = Room(tmp_path, ScriptedSource(live=False), store=disk.store())
    said = [room.source.say(1.0)]
    until_t(room, 1.0)
    disk.room = 0
    said.append(room.source.say(1.0))
    room.events.until(Warned, where=lambda w: w.code == "disk")
    disk.room = None
    room.events.until(Warned, where=lambda w: w.code == "disk_recovered")
    events = room.end()
    (segment,) = events.segments
    assert (samples(tmp_path / segment.wav) == np.concatenate(said)).all()
    assert events.of(GapHeard) == []


def test_a_stop_while_a_file_waits_for_room_ends_with_a_gap(tmp_path: Path) -> None:
    disk = Disk()
    room = Room(tmp_path, ScriptedSource(live=False), store=disk.store())
    room.source.say(1.0)
    until_t(room, 1.0)
    disk.room = 0
    room.source.say(1.0)
    room.events.until(Warned, where=lambda w: w.code == "disk")
    events = room.stop()
    assert [s.reason for s in events.segments] == ["lost"]
    assert len(events.of(GapHeard)) == 1


@needs_recordings
@pytest.mark.parametrize("name", ["silence-10s.wav", "room-noise-20s.wav", "tone-5s.wav"])
def test_silence_noise_and_tones_hold_no_segment(name: str, tmp_path: Path) -> None:
    events = hear(SHARED / name, tmp_path)
    assert events.segments == []
    assert list(tmp_path.iterdir()) == []


@needs_recordings
def test_the_short_turns_of_a_telephone_call_are_segments_of_their_own(tmp_path: Path) -> None:
    segments = hear(SHARED / "phone-call.wav", tmp_path, end_silence_ms=300).segments
    hello = segments[0]
    assert hello.speech_t0 == pytest.approx(6.78, abs=0.1)
    assert hello.duration_s < 1.0
    assert segments[1].t0 >= hello.t1


@needs_recordings
def test_both_speakers_of_a_two_channel_recording_are_heard(tmp_path: Path) -> None:
    segments = hear(SHARED / "stereo-two-channels.wav", tmp_path).segments
    with wave.open(str(SHARED / "stereo-two-channels.wav")) as file:
        channels = np.frombuffer(file.readframes(file.getnframes()), np.int16).reshape(-1, 2)
    (segment,) = segments
    first = round(segment.t0 * RATE)
    mixed = samples(tmp_path / segment.wav).astype(float)
    for channel in (0, 1):
        own = channels[first : first + len(mixed), channel].astype(float)
        assert np.corrcoef(own, mixed)[0, 1] > 0.3


@needs_recordings
def test_forced_cuts_of_real_speech_lie_in_pauses_and_lose_nothing(tmp_path: Path) -> None:
    with wave.open(str(SHARED / "interview.wav")) as file:
        talk = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    talk = np.concatenate([talk[20 * RATE : 47 * RATE]] * 4)[: 90 * RATE]
    path = tmp_path / "talk.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(talk.tobytes())
    segments = hear(path, tmp_path / "audio", end_silence_ms=3000).segments
    assert [s.reason for s in segments[:-1]] == ["max"] * (len(segments) - 1)
    assert len(segments) >= 4
    on_disk = np.concatenate([samples(tmp_path / "audio" / s.wav) for s in segments])
    first = round(segments[0].t0 * RATE)
    assert (on_disk == talk[first : first + len(on_disk)]).all()
    usual = np.sqrt((talk.astype(float) ** 2).mean())
    for segment in segments[:-1]:
        cut = round(segment.t1 * RATE)
        around = talk[cut - FRAME : cut + FRAME].astype(float)
        assert np.sqrt((around**2).mean()) < usual / 4
