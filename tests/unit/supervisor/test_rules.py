"""The supervisor's pure rules: states, restarts, health, shares of the grace, routes."""

from __future__ import annotations

import itertools

import pytest

from stt_daemon.errors import ChannelError
from stt_daemon.messages import ChildState
from stt_daemon.supervisor.health import HealthLimits
from stt_daemon.supervisor.restart import LONGEST_DELAY_S, RestartPolicy
from stt_daemon.supervisor.routing import destinations
from stt_daemon.supervisor.states import ALIVE, LEGAL, change_state
from stt_daemon.supervisor.stop_order import HURRY, stop_share


@pytest.mark.parametrize(("present", "new"), list(itertools.product(LEGAL, LEGAL)))
def test_only_the_moves_of_the_table_are_made(present: ChildState, new: ChildState) -> None:
    if new in LEGAL[present]:
        assert change_state(present, new) == new
    else:
        with pytest.raises(AssertionError, match=f"from {present} to {new}"):
            change_state(present, new)


def test_a_child_can_only_come_alive_by_starting() -> None:
    for state in set(LEGAL) - ALIVE:
        assert LEGAL[state] & ALIVE <= {"starting"}


def test_the_first_death_is_answered_at_once_and_the_next_ones_ever_later() -> None:
    policy = RestartPolicy(restarts=5, window_s=60)
    deaths: list[float] = []
    delays = []
    for number in range(6):
        deaths.append(float(number))
        delays.append(policy.delay(deaths, float(number)))
    assert delays == [0.0, 0.25, 0.5, 1.0, 2.0, None]


def test_deaths_outside_the_window_are_forgiven() -> None:
    policy = RestartPolicy(restarts=1, window_s=60)
    assert policy.delay([0.0, 60.0], 60.0) == 0.0
    assert policy.delay([0.0, 59.0], 59.0) is None


def test_no_delay_is_longer_than_the_longest() -> None:
    assert RestartPolicy(restarts=500).delay([0.0] * 400, 0.0) == LONGEST_DELAY_S


def test_without_restarts_the_first_death_is_the_last() -> None:
    assert RestartPolicy(restarts=0).delay([0.0], 0.0) is None


def test_a_beating_heart_and_short_jobs_are_well() -> None:
    assert HealthLimits().ailment(heard=True, silence_s=9.9, busy_s={"whisper": 100.0}) == ""


def test_silence_is_judged_more_kindly_before_the_first_word() -> None:
    limits = HealthLimits()
    assert limits.ailment(heard=False, silence_s=30.0, busy_s={}) == ""
    assert limits.ailment(heard=True, silence_s=30.0, busy_s={}) == "silent for 30 s"
    assert limits.ailment(heard=False, silence_s=61.0, busy_s={}) == "silent for 61 s"


def test_a_job_without_end_is_an_ailment_that_names_its_lane() -> None:
    reason = HealthLimits().ailment(heard=True, silence_s=1.0, busy_s={"llm": 1.0, "whisper": 119.5})
    assert reason.startswith("the whisper lane has been stuck")


def test_waking_a_little_late_is_not_oversleeping() -> None:
    limits = HealthLimits()
    assert limits.overslept(100.0, 101.5) == 0.0
    assert limits.overslept(100.0, 107.0) == 7.0


@pytest.mark.parametrize("grace", [0.0, 1.0, 10.0, 600.0])
def test_all_shares_and_kills_fit_the_grace(grace: float) -> None:
    used = 0.0
    for left in (3, 2, 1):
        share = stop_share(grace - used, left)
        assert share.told_s <= share.term_s <= share.kill_s
        used += share.kill_s
    assert used <= grace


def test_a_grace_that_is_used_up_leaves_nothing_not_less() -> None:
    assert stop_share(-3.0, 1).kill_s == 0.0


def test_in_a_hurry_no_time_is_promised() -> None:
    assert HURRY.told_s == 0.0


def test_what_the_worker_hears_goes_to_the_core_and_to_every_output() -> None:
    assert set(destinations("transcription", "utterance")) == {"assistant", "tui", "output"}
    assert destinations("transcription", "progress") == ("assistant",)
    assert "assistant" in destinations("transcription", "missed")
    assert "assistant" in destinations("supervisor", "child")  # how the core learns that the stop has begun


def test_the_core_speaks_to_the_worker_only_through_requests() -> None:
    assert destinations("assistant", "mute") == ("transcription",)
    assert destinations("assistant", "pause") == ("transcription",)
    assert "transcription" not in destinations("assistant", "turn")


def test_health_and_requests_end_at_the_supervisor() -> None:
    for topic in ("heartbeat", "ready", "load_failed", "stopped", "drained"):
        assert destinations("transcription", topic) == ("supervisor",)
    assert destinations("assistant", "session_wanted") == ("supervisor",)
    assert destinations("assistant", "shutdown") == ("supervisor",)
    assert "supervisor" in destinations("transcription", "session")


def test_a_child_cannot_send_what_only_the_supervisor_may() -> None:
    for topic in ("configured", "stop", "session_assigned", "control"):
        assert destinations("transcription", topic) == ()
        assert destinations("assistant", topic) == ()


def test_a_topic_nobody_defined_has_no_route() -> None:
    with pytest.raises(ChannelError):
        destinations("transcription", "rumour")


def test_a_call_to_a_language_model_may_take_longer_than_a_decode() -> None:
    limits = HealthLimits(lane_busy_s=120, llm_busy_s=180)
    assert limits.ailment(heard=True, silence_s=0.0, busy_s={"llm": 150.0}) == ""
    assert "llm lane" in limits.ailment(heard=True, silence_s=0.0, busy_s={"llm": 190.0})
