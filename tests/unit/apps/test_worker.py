"""The transcription worker: what is on disk at every moment, and what the next start makes of it."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.audio.blocks import SourceItem
from stt_daemon.audio.raw_source import RawSource
from stt_daemon.audio.wav import SegmentWriter, read_segment
from stt_daemon.channels import PeerClosed
from stt_daemon.domain import Clock
from stt_daemon.errors import ModelError
from stt_daemon.messages import (
    CaptureChanged,
    ChildLoadFailed,
    ChildStopped,
    Failed,
    GapMarked,
    Heartbeat,
    LagChanged,
    LaneChanged,
    Message,
    SessionAssigned,
    SessionChanged,
    SourceDrained,
    UtteranceFinished,
    Warned,
)
from stt_daemon.sessions import SessionFolder, SessionRecord, create_session, write_record
from stt_daemon.wiring.listening import SourceChoice, Start
from tests.fakes.clock import FakeClock
from tests.fakes.engine import FakeEngine, heard
from tests.fakes.worker import CLIP, RunningWorker

THREE = ("And so my fellow Americans.", "Ask not.", "What your country can do for you.")


def speaking(*texts: str) -> FakeEngine:
    return FakeEngine(*(heard(text) for text in texts or THREE))


def nothing_to_hear(_choice: SourceChoice, start: Start, _clock: Clock) -> RawSource:
    """A source at its end."""
    descriptor = os.open(os.devnull, os.O_RDONLY)
    return RawSource(descriptor, axis_start=start.axis_start + start.start_at)


def test_an_utterance_is_on_disk_before_anybody_is_told(tmp_path: Path) -> None:
    engine = speaking()
    worker = RunningWorker(tmp_path, lambda: engine)
    on_disk: list[list[str]] = []

    def look(message: Message) -> None:
        if isinstance(message, UtteranceFinished):
            on_disk.append([line["text"] for line in worker.lines("utterance")])

    worker.outbox.watch = look
    with worker:
        worker.outbox.wait_for(SourceDrained)
    assert on_disk == [list(THREE[: n + 1]) for n in range(3)]
    assert [u.seq for u in worker.outbox.of(UtteranceFinished)] == [1, 2, 3]


def test_what_waits_is_listed_before_the_model_is_even_loaded(tmp_path: Path) -> None:
    gate = threading.Event()
    engine = speaking()

    def load() -> FakeEngine:
        gate.wait(30)
        return engine

    with RunningWorker(tmp_path, load) as worker:
        worker.outbox.wait_for(CaptureChanged, lambda change: change.state == "ended")
        worker.outbox.wait_for(LagChanged, lambda lag: lag.seconds > 8)
        pending = worker.lines("pending")
        assert len(pending) == 3
        for line in pending:
            samples = read_segment(worker.folder / "audio" / line["wav"])
            assert len(samples) / 16000 == pytest.approx(line["t1"] - line["t0"], abs=0.002)
        gate.set()
        worker.outbox.wait_for(SourceDrained)
    assert len(worker.lines("utterance")) == 3


def test_a_stop_without_time_leaves_the_rest_listed_and_the_next_start_finishes_exactly_that(
    tmp_path: Path,
) -> None:
    first = speaking()
    first.hold()
    with RunningWorker(tmp_path, lambda: first) as worker:
        worker.outbox.wait_for(CaptureChanged, lambda change: change.state == "ended")
        assert first.entered.wait(30)
        assert worker.stop(0.0) == 0
        first.release()
    stopped = worker.outbox.of(ChildStopped)[-1]
    waiting = sum(line["t1"] - line["t0"] for line in worker.lines("pending"))
    assert stopped.waiting_s == pytest.approx(waiting, abs=0.1)
    assert worker.lines("utterance") == []

    second = speaking()
    with RunningWorker(tmp_path, lambda: second, folder=worker.folder, source="-", resumed=True) as again:
        again.outbox.wait_for(UtteranceFinished, lambda u: u.seq == 3)
        again.outbox.wait_for(Warned, lambda warned: warned.code == "taken_up")
    assert [(line["id"], line["text"]) for line in again.lines("utterance")] == [
        ("u1", THREE[0]),
        ("u2", THREE[1]),
        ("u3", THREE[2]),
    ]
    assert again.outbox.of(SessionChanged)[0].state == "resumed"


def test_a_killed_worker_on_a_file_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    """The folder is brought into the state a kill leaves: a part file, an unlisted segment, a torn line."""
    whole_engine = speaking()
    with RunningWorker(tmp_path, lambda: whole_engine) as whole:
        whole.outbox.wait_for(SourceDrained)
    expected = [(line["t0"], line["t1"]) for line in whole.lines("utterance")]

    killed = create_session(tmp_path, 1_764_500_000.0)
    lines = (whole.folder / "transcript.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    first_pending = next(line for line in lines if '"pending"' in line)
    first_said = next(line for line in lines if '"utterance"' in line)
    (killed.path / "transcript.jsonl").write_text(first_pending + first_said + lines[-1][:30], "utf-8")
    record = whole.record | {"end_utc": None, "end_offset": None}
    record["runs"][0] |= {"position": 0.0, "ended": False}
    (killed.path / "session.json").write_text(json.dumps(record), "utf-8")
    for wav in sorted((whole.folder / "audio").glob("*.wav"))[:2]:
        shutil.copy(wav, killed.audio / wav.name)
    part = SegmentWriter(killed.audio, 1_764_500_009.0)
    part.append(read_segment(CLIP)[:20000])

    engine = speaking(*THREE[1:])
    with RunningWorker(tmp_path, lambda: engine, folder=killed.path, attempt=2) as again:
        again.outbox.wait_for(SourceDrained)
    said = again.lines("utterance")
    assert [line["text"] for line in said] == list(THREE)
    assert [line["t0"] for line in said] == pytest.approx([t0 for t0, _ in expected], abs=0.07)
    assert [line["t1"] for line in said] == pytest.approx([t1 for _, t1 in expected], abs=0.2)
    wavs = {wav.name for wav in (killed.path / "audio").glob("*.wav")}
    assert wavs == {line["wav"] for line in said}


def test_a_killed_live_run_finishes_its_open_segment_and_marks_the_gap(tmp_path: Path) -> None:
    clock = FakeClock()
    folder = create_session(tmp_path, clock.wall())
    with RunningWorker(
        tmp_path, speaking, folder=folder.path, source="mic", build=nothing_to_hear, clock=clock
    ) as first:
        first.outbox.wait_for(CaptureChanged)
        # No clean stop: the supervisor's end of the pipe closes, as after its death.
        first.inbox.put(PeerClosed("end of file"))
        assert first.join() == 0
    assert first.record["end_utc"] is None
    clock.advance(38.0)
    part = SegmentWriter(folder.audio, clock.wall())
    part.append(read_segment(CLIP)[:32000])
    clock.advance(3.5)

    again = RunningWorker(
        tmp_path,
        lambda: speaking("And so my fellow Americans."),
        folder=folder.path,
        source="mic",
        build=nothing_to_hear,
        clock=clock,
        attempt=2,
        source_t=39.5,
    )
    with again:
        gap = again.outbox.wait_for(GapMarked)
        said = again.outbox.of(UtteranceFinished)[0]
    assert said.wav.endswith("-lost.wav")
    assert (said.t0, said.t1) == (pytest.approx(38.0), pytest.approx(40.0))
    assert (gap.seq, gap.t0, gap.t1) == (2, pytest.approx(40.0), pytest.approx(41.5))
    repairs = [w.message for w in again.outbox.of(Warned) if w.code == "repaired"]
    assert any("recovered" in message for message in repairs)


def test_time_goes_on_behind_what_a_killed_worker_had_just_written(tmp_path: Path) -> None:
    clock = FakeClock()
    folder = create_session(tmp_path, clock.wall())
    record = SessionRecord.begun(folder.id, clock.wall(), "0")
    record = record.with_run("-", axis_start=0.0, position=0.0, last_t1=0.0)
    write_record(folder.path / "session.json", record)
    part = SegmentWriter(folder.audio, clock.wall() + 1.0)
    part.append(read_segment(CLIP)[:32000])
    # Read up to 3 s, but the last heartbeat was half a second old.
    worker = RunningWorker(
        tmp_path,
        speaking,
        folder=folder.path,
        source="-",
        build=nothing_to_hear,
        clock=clock,
        attempt=2,
        source_t=2.5,
    )
    with worker:
        said = worker.outbox.wait_for(UtteranceFinished)
    assert said.t1 == pytest.approx(3.0)
    assert worker.record["runs"][-1]["axis_start"] == pytest.approx(3.0)


def test_without_a_model_recording_goes_on_and_the_exit_code_tells(tmp_path: Path) -> None:
    def load() -> FakeEngine:
        raise ModelError("no such model 'huge'", mend="choose another")

    with RunningWorker(tmp_path, load) as worker:
        failed = worker.outbox.wait_for(Failed)
        worker.outbox.wait_for(SourceDrained)
        code = worker.stop(5.0)
    assert "no such model" in failed.message
    assert "choose another" in failed.message
    assert len(worker.lines("pending")) == 3
    assert code == 1


def test_one_segment_that_fails_is_kept_and_the_others_go_on(tmp_path: Path) -> None:
    engine = FakeEngine(heard(THREE[0]), RuntimeError("boom"), heard(THREE[2]))
    with RunningWorker(tmp_path, lambda: engine) as worker:
        worker.outbox.wait_for(SourceDrained)
        assert worker.stop(5.0) == 0
    assert [line["text"] for line in worker.lines("utterance")] == [THREE[0], THREE[2]]
    assert worker.outbox.of(ChildStopped)[0].waiting_s > 1
    assert "boom" in worker.outbox.of(Failed)[0].message


def test_a_segment_without_words_leaves_no_utterance_and_no_hole(tmp_path: Path) -> None:
    engine = FakeEngine(heard(THREE[0]), heard("[BLANK_AUDIO]"), heard(THREE[2]))
    with RunningWorker(tmp_path, lambda: engine) as worker:
        worker.outbox.wait_for(SourceDrained)
    assert [(line["id"], line["seq"]) for line in worker.lines("utterance")] == [("u1", 1), ("u2", 2)]
    assert [line["wav"] for line in worker.lines("dropped")] == [worker.lines("pending")[1]["wav"]]


def test_audio_that_is_not_kept_is_deleted_once_it_is_text(tmp_path: Path) -> None:
    engine = speaking()
    with RunningWorker(tmp_path, lambda: engine, config={"audio": {"keep": False}}) as worker:
        worker.outbox.wait_for(SourceDrained)
    assert list((worker.folder / "audio").glob("*.wav")) == []
    assert [line["wav"] for line in worker.lines("utterance")] == ["", "", ""]


def test_a_new_session_begins_after_everything_said_in_the_old_one(tmp_path: Path) -> None:
    engine = speaking()
    engine.hold()
    fresh = create_session(tmp_path, 1_764_600_000.0)
    with RunningWorker(tmp_path, lambda: engine) as worker:
        worker.inbox.put(SessionAssigned(id=fresh.id, dir=str(fresh.path)))
        worker.outbox.wait_for(CaptureChanged, lambda change: change.state == "ended")
        engine.release()
        worker.outbox.wait_for(SourceDrained)
        worker.stop(5.0)
    order = [
        f"{m.state} {Path(m.dir).name}" if isinstance(m, SessionChanged) else m.text
        for m in worker.outbox.messages
        if isinstance(m, SessionChanged | UtteranceFinished)
    ]
    old = worker.folder.name
    changed = order.index(f"opened {fresh.id}")
    assert order[changed - 1] == f"closed {old}"
    assert order[0] == f"opened {old}"
    assert order[-1] == f"closed {fresh.id}"
    assert [text for text in order if not text.startswith(("opened", "closed"))] == list(THREE)
    before = sum(text in THREE for text in order[:changed])
    ids = [utterance.id for utterance in worker.outbox.of(UtteranceFinished)]
    assert ids == [f"u{n + 1}" for n in (*range(before), *range(3 - before))]


def test_how_far_it_has_read_is_told_on_the_axis_of_the_new_session(tmp_path: Path) -> None:
    fresh = create_session(tmp_path, 1_764_600_000.0)
    sound, writer = os.pipe()

    def source(_choice: SourceChoice, start: Start, _clock: Clock) -> RawSource:
        return RawSource(sound, axis_start=start.axis_start + start.start_at)

    worker = RunningWorker(tmp_path, speaking, source="-", build=source)
    with worker:
        os.write(writer, bytes(64_000))
        worker.outbox.wait_for(Heartbeat, lambda beat: beat.source_t == 2.0)
        worker.inbox.put(SessionAssigned(id=fresh.id, dir=str(fresh.path)))
        worker.outbox.wait_for(SessionChanged, lambda change: change.id == fresh.id)
        known = list(worker.outbox.messages)
        beat = worker.outbox.wait_for(Heartbeat, lambda beat: all(beat is not old for old in known))
    assert beat.source_t == 0.0
    for descriptor in (sound, writer):
        os.close(descriptor)


def test_a_new_session_begins_also_when_the_source_has_ended(tmp_path: Path) -> None:
    fresh = create_session(tmp_path, 1_764_600_000.0)
    with RunningWorker(tmp_path, speaking) as worker:
        worker.outbox.wait_for(SourceDrained)
        worker.inbox.put(SessionAssigned(id=fresh.id, dir=str(fresh.path)))
        worker.outbox.wait_for(SessionChanged, lambda change: change.id == fresh.id)
        assert worker.stop(5.0) == 0
    states = [(change.state, change.id) for change in worker.outbox.of(SessionChanged)]
    old = worker.folder.name
    assert states == [("opened", old), ("closed", old), ("opened", fresh.id), ("closed", fresh.id)]
    assert (fresh.path / "session.json").exists()


def test_of_two_new_sessions_at_once_only_the_one_that_gets_the_sound_begins(tmp_path: Path) -> None:
    passed_over = create_session(tmp_path, 1_764_600_000.0)
    fresh = create_session(tmp_path, 1_764_600_100.0)
    both_assigned = threading.Event()
    sound, writer = os.pipe()

    class Held(RawSource):
        def read(self) -> SourceItem | None:
            both_assigned.wait(30)
            return super().read()

    def source(_choice: SourceChoice, start: Start, _clock: Clock) -> RawSource:
        return Held(sound, axis_start=start.axis_start + start.start_at)

    with RunningWorker(tmp_path, speaking, source="-", build=source) as worker:
        worker.outbox.wait_for(CaptureChanged, lambda change: change.state == "starting")
        for folder in (passed_over, fresh):
            worker.inbox.put(SessionAssigned(id=folder.id, dir=str(folder.path)))
        worker.inbox.put(Warned(where="test", code="mark", message="both are known"))
        worker.outbox.wait_for(Warned, lambda warning: warning.code == "mark")
        both_assigned.set()
        worker.outbox.wait_for(
            SessionChanged, lambda change: change.state == "opened" and change.id == fresh.id
        )
        os.close(writer)
        worker.outbox.wait_for(SourceDrained)
        worker.stop(5.0)
    os.close(sound)
    opened = [change.id for change in worker.outbox.of(SessionChanged) if change.state == "opened"]
    assert opened == [worker.folder.name, fresh.id]
    assert not (passed_over.path / "session.json").exists()


def begun_by_a_killed_worker(tmp_path: Path, source: str) -> tuple[SessionFolder, SessionFolder]:
    """An old session, and a new one that was recorded into but never announced: the old one's text waited."""
    old, new = create_session(tmp_path, 1_764_500_000.0), create_session(tmp_path, 1_764_500_100.0)
    for folder, wall in ((old, 1_764_500_000.0), (new, 1_764_500_100.0)):
        record = SessionRecord.begun(folder.id, wall, "0")
        write_record(
            folder.path / "session.json", record.with_run(source, axis_start=0.0, position=0.0, last_t1=0.0)
        )
    part = SegmentWriter(new.audio, 1_764_500_101.0)
    part.append(read_segment(CLIP)[:32000])
    return old, new


def test_what_a_killed_worker_began_of_a_new_session_is_not_in_it_twice(
    tmp_path: Path,
) -> None:
    engine = speaking()
    old, new = begun_by_a_killed_worker(tmp_path, str(CLIP))
    with RunningWorker(tmp_path, lambda: engine, folder=old.path, attempt=2) as worker:
        worker.inbox.put(SessionAssigned(id=new.id, dir=str(new.path)))
        worker.outbox.wait_for(SourceDrained)
        worker.stop(5.0)
    said = worker.outbox.of(UtteranceFinished)
    assert [utterance.text for utterance in said] == list(THREE)
    wavs = [wav.name for folder in (old, new) for wav in folder.audio.glob("*.wav")]
    assert sorted(wavs) == sorted(utterance.wav for utterance in said)


def test_what_a_killed_worker_heard_of_a_new_session_is_transcribed_first_in_it(tmp_path: Path) -> None:
    engine = speaking()
    old, new = begun_by_a_killed_worker(tmp_path, "-")
    silence, writer = os.pipe()

    def source(_choice: SourceChoice, start: Start, _clock: Clock) -> RawSource:
        return RawSource(silence, axis_start=start.axis_start + start.start_at)

    worker = RunningWorker(tmp_path, lambda: engine, folder=old.path, source="-", attempt=2, build=source)
    with worker:
        worker.inbox.put(SessionAssigned(id=new.id, dir=str(new.path)))
        said = worker.outbox.wait_for(UtteranceFinished)
        worker.stop(5.0)
    for descriptor in (silence, writer):
        os.close(descriptor)
    assert (said.id, said.t0) == ("u1", pytest.approx(1.0, abs=0.01))
    assert said.wav.endswith("-lost.wav")
    lines = (new.path / "transcript.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["pending", "utterance"]


def test_a_file_that_is_no_audio_ends_the_child_with_a_reason_that_a_restart_cannot_mend(
    tmp_path: Path,
) -> None:
    bad = tmp_path / "notes.wav"
    bad.write_text("not audio at all", encoding="utf-8")
    with RunningWorker(tmp_path, speaking, source=bad) as worker:
        assert worker.join() == 1
    assert worker.outbox.of(ChildLoadFailed)[0].error.code == "audio"
    assert "notes.wav" in worker.outbox.of(Failed)[0].message


def test_the_record_names_device_model_and_the_end_of_the_run(tmp_path: Path) -> None:
    engine = speaking()
    with RunningWorker(tmp_path, lambda: engine) as worker:
        worker.outbox.wait_for(SourceDrained)
        worker.stop(5.0)
    record: dict[str, Any] = worker.record
    assert (record["device"], record["model"]) == ("jfk.wav", "fake, int8 on cpu")
    assert record["end_utc"] is not None
    assert [(run["source"], run["ended"]) for run in record["runs"]] == [(str(CLIP), True)]


def test_a_finished_file_has_no_latency_at_full_speed_and_one_at_real_time(tmp_path: Path) -> None:
    engine = speaking()
    with RunningWorker(tmp_path, lambda: engine) as fast:
        fast.outbox.wait_for(SourceDrained)
    assert {u.latency_s for u in fast.outbox.of(UtteranceFinished)} == {None}
    with RunningWorker(tmp_path, lambda: engine, speed="realtime") as paced:
        said = paced.outbox.wait_for(UtteranceFinished)
    assert said.latency_s is not None
    assert said.latency_s >= 0.6


def test_the_lane_is_ready_only_after_the_source_is_open(tmp_path: Path) -> None:
    engine = speaking()
    with RunningWorker(tmp_path, lambda: engine) as worker:
        worker.outbox.wait_for(LaneChanged, lambda lane: lane.state == "ready")
    kinds = [m for m in worker.outbox.messages if isinstance(m, CaptureChanged | LaneChanged)]
    live = next(i for i, m in enumerate(kinds) if isinstance(m, CaptureChanged) and m.state == "live")
    loading = next(i for i, m in enumerate(kinds) if isinstance(m, LaneChanged))
    assert live < loading
