"""Where a run takes up."""

from __future__ import annotations

from stt_daemon.apps.transcription.resume import History, RunPlan, plan_run
from stt_daemon.sessions import SessionRecord, SourceRun

FILE = "/talk.wav"


def record(*runs: SourceRun) -> SessionRecord:
    begun = SessionRecord.begun("20260101-100000", 1_764_500_000.0, "0")
    return SessionRecord(begun.id, begun.start, begun.version, runs=runs)


def test_a_fresh_session_starts_at_zero() -> None:
    assert plan_run("mic", History(record()), live=True) == RunPlan(0.0)


def test_a_killed_file_run_goes_on_where_its_last_listed_segment_ended() -> None:
    history = History(
        record(SourceRun(FILE, 0.0)), last_t1=12.4, read_t=15.0, elapsed_s=40.0, restarted=True, clean=False
    )
    assert plan_run(FILE, history, live=False) == RunPlan(axis_start=0.0, start_at=12.4, rereads=True)


def test_the_second_file_of_a_session_keeps_its_own_axis_when_its_worker_was_killed() -> None:
    runs = record(SourceRun("/first.wav", 0.0, 90.0, True), SourceRun(FILE, 100.0))
    history = History(runs, last_t1=130.0, restarted=True, clean=False)
    assert plan_run(FILE, history, live=False) == RunPlan(axis_start=100.0, start_at=30.0, rereads=True)


def test_a_continued_session_takes_up_its_file_at_the_time_since_its_start() -> None:
    history = History(record(SourceRun(FILE, 0.0)), last_t1=12.0, elapsed_s=100.0, clean=False)
    plan = plan_run(FILE, history, live=False)
    assert (plan.start_at, plan.begins, plan.gap) == (12.0, 100.0, None)


def test_a_file_that_had_ended_is_read_again_from_its_start_after_what_is_there() -> None:
    history = History(record(SourceRun(FILE, 0.0, 52.0, True)), last_t1=52.0, elapsed_s=70.0)
    assert plan_run(FILE, history, live=False) == RunPlan(axis_start=70.0)


def test_a_killed_microphone_run_marks_what_nobody_heard_and_not_the_silence_before() -> None:
    history = History(
        record(SourceRun("mic", 0.0)), last_t1=9.0, read_t=309.5, elapsed_s=310.8, restarted=True, clean=False
    )
    plan = plan_run("mic", history, live=True)
    assert plan.axis_start == 310.8
    assert plan.gap is not None
    assert plan.gap[:2] == (309.5, 310.8)


def test_a_microphone_run_killed_with_the_whole_program_marks_all_that_is_not_known() -> None:
    history = History(record(SourceRun("mic", 0.0)), last_t1=9.0, elapsed_s=60.0, clean=False)
    plan = plan_run("mic", history, live=True)
    assert plan.gap is not None
    assert plan.gap[:2] == (9.0, 60.0)


def test_a_continued_session_marks_no_gap_after_a_clean_stop() -> None:
    history = History(record(SourceRun("mic", 0.0)), last_t1=9.0, elapsed_s=3600.0)
    assert plan_run("mic", history, live=True) == RunPlan(axis_start=3600.0)


def test_time_never_runs_backwards_when_the_wall_clock_did() -> None:
    history = History(record(SourceRun("mic", 0.0)), last_t1=50.0, elapsed_s=0.0, restarted=True, clean=False)
    assert plan_run("mic", history, live=True) == RunPlan(axis_start=50.0)


def test_killed_raw_input_goes_on_at_the_time_that_was_read() -> None:
    history = History(
        record(SourceRun("-", 0.0)), last_t1=9.0, read_t=9.6, elapsed_s=30.0, restarted=True, clean=False
    )
    plan = plan_run("-", history, live=False)
    assert (plan.axis_start, plan.gap) == (9.6, None)
