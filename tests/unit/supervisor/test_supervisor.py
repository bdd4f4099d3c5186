"""The loop, with children that the test plays itself."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.channels import Frame
from stt_daemon.errors import ErrorRecord, SessionError
from stt_daemon.messages import (
    ChildChanged,
    ChildConfigured,
    ChildLoadFailed,
    ChildStopped,
    Failed,
    Heartbeat,
    LagChanged,
    Message,
    SessionAssigned,
    SessionChanged,
    SessionRequested,
    ShutdownRequested,
    SourceDrained,
    StopRequested,
    Warned,
)
from stt_daemon.supervisor.health import HealthLimits
from stt_daemon.supervisor.hub import Hub
from stt_daemon.supervisor.placement import ChildSpec
from stt_daemon.supervisor.restart import RestartPolicy
from stt_daemon.supervisor.supervisor import Supervisor
from tests.fakes.clock import FakeClock
from tests.fakes.placement import PATIENCE_S, PlayedChild, PlayedPlacement

CONFIGURED = ChildConfigured(
    config={"a": 1},
    session_id="first",
    session_dir="/first",
    resumed=True,
    source="mic",
    speed="realtime",
    offline=True,
)


class House:
    """A supervisor in a thread, its children, and what it publishes."""

    def __init__(self, *, clock: FakeClock | None = None, killable: bool = True, **options: Any) -> None:
        self.placement = PlayedPlacement(killable=killable)
        self.shown: queue.Queue[Message] = queue.Queue()
        self.code: int | None = None
        hub = Hub(FakeClock())
        hub.attach("output", lambda frame: self.shown.put(frame.message()))
        names = options.pop("names", ("transcription", "assistant"))
        self.supervisor = Supervisor(
            [ChildSpec(name, owns_terminal=name == "tui") for name in names],
            self.placement,
            CONFIGURED,
            hub,
            options.pop("make_session", lambda: ("second", Path("/second"))),
            clock=clock,
            **options,
        )
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.code = self.supervisor.run()

    def sees(self, true: Callable[[Message], bool]) -> Message:
        while True:
            message = self.shown.get(timeout=PATIENCE_S)
            if true(message):
                return message

    def sees_state(self, name: str, state: str) -> ChildChanged:
        found = self.sees(lambda m: isinstance(m, ChildChanged) and (m.name, m.state) == (name, state))
        assert isinstance(found, ChildChanged)
        return found

    def exit_code(self) -> int | None:
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return self.code


@pytest.fixture
def house() -> Iterator[Callable[..., House]]:
    made: list[House] = []

    def make(**options: Any) -> House:
        made.append(House(**options))
        return made[-1]

    yield make
    for one in made:
        one.supervisor.request_stop("the test is over")
        for child in one.placement.all:
            child.die(0)
        one.exit_code()


def stop_well(child: PlayedChild) -> None:
    child.hears(StopRequested)
    child.say(ChildStopped(name=child.name))
    child.die(0)


def end_with(one: House, child: PlayedChild) -> None:
    one.supervisor.request_stop("enough")
    stop_well(child)


def test_the_core_starts_first_and_each_is_told_its_configuration_first(
    house: Callable[..., House],
) -> None:
    one = house()
    for name in ("assistant", "transcription"):
        child = one.placement.next()
        assert child.name == name
        first = child.told.get(timeout=PATIENCE_S)
        assert isinstance(first, ChildConfigured)
        assert (first.attempt, first.config, first.resumed, first.source_t) == (1, {"a": 1}, True, 0.0)


def test_a_restarted_child_knows_its_attempt_and_where_the_last_one_was(house: Callable[..., House]) -> None:
    one = house(names=("transcription",))
    worker = one.placement.next()
    worker.be_ready()
    worker.say(Heartbeat(name="transcription", source_t=33.0))
    one.sees_state("transcription", "ready")
    worker.die(-9)
    assert one.sees_state("transcription", "backoff").reason == "killed by SIGKILL"
    again = one.placement.next()
    configured = again.hears(ChildConfigured)
    assert isinstance(configured, ChildConfigured)
    assert (configured.attempt, configured.source_t) == (2, 33.0)
    end_with(one, again)
    assert one.exit_code() == 0


def test_a_configuration_that_cannot_work_is_not_tried_again(house: Callable[..., House]) -> None:
    one = house(names=("transcription",))
    worker = one.placement.next()
    worker.say(ChildLoadFailed(name="transcription", error=ErrorRecord("config", "bad", "mend it")))
    worker.die(1)
    assert one.sees_state("transcription", "failed").reason == "bad (mend it)"
    assert one.exit_code() == 1


def test_any_other_failed_start_is_tried_again(house: Callable[..., House]) -> None:
    one = house(names=("assistant",), policy=RestartPolicy(restarts=1))
    for _ in range(2):
        child = one.placement.next()
        child.say(ChildLoadFailed(name="assistant", error=ErrorRecord("unexpected", "a bug")))
        child.die(1)
    one.sees_state("assistant", "failed")
    assert isinstance(one.sees(lambda m: isinstance(m, Failed)), Failed)
    one.supervisor.request_stop("enough")
    assert one.exit_code() == 1


def test_a_launch_the_system_refuses_is_tried_again(house: Callable[..., House]) -> None:
    clock = FakeClock()
    one = house(names=("assistant",), clock=clock)
    child = one.placement.next()
    one.placement.refusals = 1
    child.die(1)
    reason = one.sees(lambda m: isinstance(m, ChildChanged) and "launched" in m.reason)
    assert isinstance(reason, ChildChanged)
    assert reason.state == "backoff"
    clock.advance(0.3)
    end_with(one, one.placement.next())
    assert one.exit_code() == 0


def test_the_worker_is_drained_before_the_core_is_asked(house: Callable[..., House]) -> None:
    one = house()
    core, worker = one.placement.next(), one.placement.next()
    one.supervisor.request_stop("enough")
    worker.hears(StopRequested)
    one.sees_state("transcription", "draining")
    assert not any(isinstance(m, StopRequested) for m in list(core.told.queue))
    worker.die(0)
    one.sees_state("transcription", "stopped")
    stop_well(core)
    assert one.exit_code() == 0


def test_a_crash_after_the_farewell_is_a_clean_end(house: Callable[..., House]) -> None:
    one = house(names=("transcription",))
    worker = one.placement.next()
    one.supervisor.request_stop("enough")
    worker.hears(StopRequested)
    worker.say(ChildStopped(name="transcription"))
    worker.die(-11)
    assert one.exit_code() == 0


def test_a_child_whom_somebody_else_told_to_stop_as_well_has_ended_well(house: Callable[..., House]) -> None:
    one = house(names=("transcription",))
    worker = one.placement.next()
    one.supervisor.request_stop("enough")
    worker.hears(StopRequested)
    worker.die(-15)
    one.sees_state("transcription", "stopped")
    assert one.exit_code() == 0


def test_a_crash_in_the_middle_of_draining_is_a_failure(house: Callable[..., House]) -> None:
    one = house(names=("transcription",))
    worker = one.placement.next()
    one.supervisor.request_stop("enough")
    worker.hears(StopRequested)
    worker.die(-11)
    assert one.sees_state("transcription", "failed").reason == "killed by SIGSEGV"
    assert one.exit_code() == 1


def test_what_waits_for_the_next_start_is_said(house: Callable[..., House]) -> None:
    one = house(names=("transcription",))
    worker = one.placement.next()
    one.supervisor.request_stop("enough")
    worker.hears(StopRequested)
    worker.say(ChildStopped(name="transcription", waiting_s=12.34))
    worker.die(0)
    said = one.sees(lambda m: isinstance(m, Warned) and m.code == "audio_waiting")
    assert isinstance(said, Warned)
    assert said.message.startswith("12.3 s of audio")
    assert "--session first" in said.message
    assert one.exit_code() == 0


def test_a_worker_killed_while_draining_leaves_its_last_known_lag(house: Callable[..., House]) -> None:
    one = house(names=("transcription",), stop_grace_s=0.2)
    worker = one.placement.next()
    worker.say(LagChanged(seconds=8.0))
    one.supervisor.request_stop("enough")
    said = one.sees(lambda m: isinstance(m, Warned) and m.code == "audio_waiting")
    assert isinstance(said, Warned)
    assert said.message.startswith("8.0 s")
    assert one.exit_code() == 0
    assert worker.ended_by.get_nowait() == "terminate"
    assert worker.ended_by.get_nowait() == "kill"


def test_a_stop_during_the_pause_before_a_restart_starts_nothing(house: Callable[..., House]) -> None:
    clock = FakeClock()
    one = house(names=("assistant",), clock=clock)
    for _ in range(2):
        one.placement.next().die(1)
    one.sees_state("assistant", "backoff")
    one.sees_state("assistant", "backoff")
    one.supervisor.request_stop("enough")
    assert one.exit_code() == 0
    assert one.placement.starts.empty()


def test_the_drained_source_ends_it_only_when_asked_to(house: Callable[..., House]) -> None:
    one = house(names=("transcription",), until_end=True)
    worker = one.placement.next()
    worker.say(SourceDrained())
    stop_well(worker)
    assert one.exit_code() == 0


def test_a_new_session_is_made_and_told_to_worker_and_core(house: Callable[..., House]) -> None:
    one = house()
    core, worker = one.placement.next(), one.placement.next()
    core.say(SessionRequested())
    for child in (worker, core):
        assigned = child.hears(SessionAssigned)
        assert isinstance(assigned, SessionAssigned)
        assert (assigned.id, assigned.dir) == ("second", "/second")


def test_a_worker_that_dies_before_it_changed_folder_is_told_again(house: Callable[..., House]) -> None:
    one = house()
    core, worker = one.placement.next(), one.placement.next()
    core.say(SessionRequested())
    worker.hears(SessionAssigned)
    worker.die(-9)
    again = one.placement.next()
    configured = again.hears(ChildConfigured)
    assert isinstance(configured, ChildConfigured)
    assert configured.session_id == "first"
    again.hears(SessionAssigned)


def test_who_starts_after_the_change_is_configured_for_the_new_session(house: Callable[..., House]) -> None:
    one = house()
    core, worker = one.placement.next(), one.placement.next()
    worker.say(SessionChanged(state="opened", id="second", dir="/second"))
    one.sees(lambda m: isinstance(m, SessionChanged))
    core.die(1)
    configured = one.placement.next().hears(ChildConfigured)
    assert isinstance(configured, ChildConfigured)
    assert (configured.session_id, configured.resumed) == ("second", False)


def test_a_session_that_cannot_be_made_is_an_error_and_nothing_more(house: Callable[..., House]) -> None:
    def full() -> tuple[str, Path]:
        raise SessionError("the disk is full")

    one = house(make_session=full)
    core, _ = one.placement.next(), one.placement.next()
    core.say(SessionRequested())
    failed = one.sees(lambda m: isinstance(m, Failed))
    assert isinstance(failed, Failed)
    assert "the disk is full" in failed.message
    core.say(SessionRequested())
    one.sees(lambda m: isinstance(m, Failed))


def test_a_deaf_child_gets_term_then_kill_then_a_successor(house: Callable[..., House]) -> None:
    one = house(names=("assistant",), limits=HealthLimits(silent_s=0.05))
    child = one.placement.next()
    child.be_ready()
    reason = one.sees_state("assistant", "backoff").reason
    assert reason.startswith("silent")
    assert [child.ended_by.get_nowait() for _ in range(3)] == ["terminate", "kill", "closed"]
    end_with(one, one.placement.next())


def test_a_stuck_thread_is_reported_once_and_not_doubled(house: Callable[..., House]) -> None:
    one = house(names=("assistant",), killable=False, limits=HealthLimits(silent_s=0.05))
    child = one.placement.next()
    child.be_ready()
    warned = one.sees(lambda m: isinstance(m, Warned))
    assert isinstance(warned, Warned)
    assert warned.code == "stuck"
    assert one.placement.starts.empty()
    end_with(one, child)
    assert one.exit_code() == 0


def test_after_oversleeping_nobody_is_judged_by_old_deadlines(house: Callable[..., House]) -> None:
    clock = FakeClock()
    one = house(names=("assistant",), clock=clock)
    child = one.placement.next()
    child.be_ready()
    one.sees_state("assistant", "ready")
    clock.advance(3600.0)
    child.say(Warned(where="test", code="awake", message=""))
    one.sees(lambda m: isinstance(m, Warned) and m.code == "awake")
    child.say(ShutdownRequested())
    stop_well(child)
    assert one.exit_code() == 0
    assert child.ended_by.get_nowait() == "closed"


def test_a_channel_that_closes_before_its_child_ends_it(house: Callable[..., House]) -> None:
    one = house(names=("assistant",))
    child = one.placement.next()
    child.dies_of = ("terminate",)
    child.closed("end of file")
    assert one.sees_state("assistant", "backoff").reason == "closed its channel and lived on"
    end_with(one, one.placement.next())


@pytest.mark.parametrize("code", [0, -1])
def test_an_interface_that_was_left_or_lost_its_terminal_is_a_stop(
    house: Callable[..., House], code: int
) -> None:
    one = house(names=("tui",))
    one.placement.next().die(code)
    one.sees_state("tui", "stopped")
    assert one.exit_code() == 0


def test_an_interface_that_keeps_crashing_costs_no_exit_code(
    house: Callable[..., House],
) -> None:
    one = house(names=("tui",), policy=RestartPolicy(restarts=1))
    one.placement.next().die(1)
    one.placement.next().die(1)
    one.sees_state("tui", "failed")
    one.supervisor.request_stop("enough")
    assert one.exit_code() == 0


def test_a_frame_of_an_earlier_start_is_not_heard(house: Callable[..., House]) -> None:
    one = house(names=("assistant",))
    old = one.placement.next()
    old.die(1)
    new = one.placement.next()
    new.be_ready()
    one.sees_state("assistant", "ready")
    old.deliver(Frame.of(ShutdownRequested()))
    old.deliver(Frame.of(Warned(where="ghost", code="x", message="")))
    new.say(ShutdownRequested())
    stop_well(new)
    assert one.exit_code() == 0
    assert not any(isinstance(m, Warned) for m in list(one.shown.queue))


def test_the_end_of_the_source_waits_until_nothing_that_follows_from_it_is_at_work(
    house: Callable[..., House],
) -> None:
    one = house(until_end=True)
    core, worker = one.placement.next(), one.placement.next()
    worker.say(SourceDrained())
    core.hears(SourceDrained)
    assert not any(isinstance(told, StopRequested) for told in list(worker.told.queue))
    core.say(SourceDrained())
    stop_well(worker)
    stop_well(core)
    assert one.exit_code() == 0


def test_a_core_that_starts_again_is_told_that_the_source_has_ended(house: Callable[..., House]) -> None:
    one = house(until_end=True)
    core, worker = one.placement.next(), one.placement.next()
    worker.say(SourceDrained())
    core.hears(SourceDrained)
    core.die(1)
    again = one.placement.next()
    again.hears(SourceDrained)
    again.say(SourceDrained())
    stop_well(worker)
    stop_well(again)
    assert one.exit_code() == 0


def test_a_core_that_was_given_up_is_not_waited_for(house: Callable[..., House]) -> None:
    one = house(until_end=True, policy=RestartPolicy(restarts=0))
    core, worker = one.placement.next(), one.placement.next()
    core.die(1)
    one.sees_state("assistant", "failed")
    worker.say(SourceDrained())
    stop_well(worker)
    assert one.exit_code() == 1


def stopping_with_interface(house: Callable[..., House]) -> tuple[House, PlayedChild]:
    """A house whose interface is the last that is left."""
    one = house(names=("transcription", "assistant", "tui"), stop_grace_s=600)
    interface, core, worker = (one.placement.next() for _ in range(3))
    for child in (interface, core, worker):
        child.be_ready()
    one.sees_state("transcription", "ready")
    interface.say(ShutdownRequested())
    stop_well(worker)
    stop_well(core)
    interface.hears(StopRequested)
    return one, interface


@pytest.mark.parametrize(("code", "state"), [(0, "stopped"), (-1, "stopped"), (1, "failed"), (-11, "failed")])
def test_however_the_interface_ends_in_a_stop_nothing_else_has_failed(
    house: Callable[..., House], code: int, state: str
) -> None:
    one, interface = stopping_with_interface(house)
    interface.die(code)
    one.sees_state("tui", state)
    assert one.exit_code() == 0


def test_the_interface_asking_again_is_impatience(house: Callable[..., House]) -> None:
    one = house(names=("transcription", "assistant", "tui"), stop_grace_s=600)
    interface, core, worker = (one.placement.next() for _ in range(3))
    for child in (interface, core, worker):
        child.be_ready()
    interface.say(ShutdownRequested())
    first = worker.hears(StopRequested)
    assert isinstance(first, StopRequested)
    assert first.grace_s > 100
    interface.say(ShutdownRequested())
    one.sees(lambda m: isinstance(m, Warned) and m.code == "still_draining")
    interface.say(ShutdownRequested())
    hurried = worker.hears(StopRequested)
    assert isinstance(hurried, StopRequested)
    assert hurried.grace_s == 0
    for child in (worker, core, interface):
        child.say(ChildStopped(name=child.name))
        child.die(0)
    assert one.exit_code() == 0


def test_the_interface_gets_a_moment_even_when_the_grace_is_used_up(house: Callable[..., House]) -> None:
    one = house(names=("transcription", "tui"), stop_grace_s=0)
    interface, worker = one.placement.next(), one.placement.next()
    for child in (interface, worker):
        child.be_ready()
    one.sees_state("transcription", "ready")
    one.supervisor.request_stop("enough")
    stop_well(worker)
    told = interface.hears(StopRequested)
    assert isinstance(told, StopRequested)
    assert told.grace_s > 1
    interface.die(0)
    assert one.exit_code() == 0
