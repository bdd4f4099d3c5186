"""What the supervisor makes of the end of a child."""

from __future__ import annotations

from stt_daemon.errors import ErrorRecord
from stt_daemon.messages import ChildStopped
from stt_daemon.supervisor.managed import ManagedChild
from stt_daemon.supervisor.placement import ChildSpec
from stt_daemon.supervisor.stop_order import HURRY, StopShare


def child() -> ManagedChild:
    managed = ManagedChild(ChildSpec("assistant"))
    managed.begin(100.0)
    return managed


def test_a_deadline_can_only_come_nearer() -> None:
    one = child()
    one.end_by(100.0, StopShare(told_s=5, term_s=6, kill_s=7))
    one.end_by(101.0, HURRY)
    assert (one.term_at, one.kill_at) == (101.5, 102.0)
    one.end_by(101.0, StopShare(told_s=50, term_s=60, kill_s=70))
    assert (one.term_at, one.kill_at) == (101.5, 102.0)


def test_time_the_judge_slept_through_is_given_back() -> None:
    one = child()
    one.end_by(100.0, HURRY)
    one.shift(3600.0, 3700.0)
    assert (one.heard_at, one.term_at, one.kill_at) == (3700.0, 3700.5, 3701.0)


def test_who_was_heard_on_waking_is_not_trusted_into_the_future() -> None:
    one = child()
    one.heard_at = 3700.0
    one.shift(3600.0, 3700.0)
    assert one.heard_at == 3700.0


def test_a_new_start_owes_nothing_for_the_last_one() -> None:
    one = child()
    one.end_by(100.0, HURRY)
    one.load_error = ErrorRecord("config", "bad")
    one.state = "backoff"
    one.begin(200.0)
    assert one.deadlines() == []
    assert not one.hopeless
    assert one.attempt == 2


def test_the_end_is_explained_by_the_best_known_reason() -> None:
    one = child()
    assert one.why_ended(-9) == "killed by SIGKILL"
    assert one.why_ended(-250) == "killed by signal 250"
    assert one.why_ended(3) == "ended with exit code 3"
    assert one.why_ended(0) == "ended without being asked"
    one.ailment = "silent for 11 s"
    assert one.why_ended(-15) == "silent for 11 s"
    one.load_error = ErrorRecord("model", "no such model", "name another")
    assert one.why_ended(1) == "no such model (name another)"


def test_a_child_that_said_farewell_may_crash_but_is_believed_when_it_says_that_it_failed() -> None:
    one = child()
    assert one.ended_well(0)
    assert not one.ended_well(-6)
    one.farewell = ChildStopped(name="transcription", waiting_s=9.7)
    assert one.ended_well(-6)
    assert not one.ended_well(1)
    one.told_off = True
    assert one.ended_well(1)
