from __future__ import annotations

import queue

from stt_daemon.channels import App, ChildContext, DirectInbox, DirectOutbox, Frame, PeerClosed, host_app
from stt_daemon.errors import ConfigError
from stt_daemon.messages import (
    ChildConfigured,
    ChildLoadFailed,
    ChildReady,
    LagChanged,
    Message,
    StopRequested,
)
from tests.fakes.clock import FakeClock

CONFIGURED = ChildConfigured(
    config={}, session_id="s", session_dir="/s", resumed=False, source="mic", speed="realtime", offline=True
)


class Recorder:
    def __init__(self) -> None:
        self.messages: list[Message] = []

    def publish(self, message: Message) -> None:
        self.messages.append(message)


def host(app: App, *inbox: object) -> tuple[int, list[Message]]:
    box: queue.Queue[object] = queue.Queue()
    for message in inbox or (CONFIGURED,):
        box.put(message)
    outbox = Recorder()
    return host_app("assistant", lambda: app, box, outbox, FakeClock()), outbox.messages


def test_an_app_gets_its_configuration_and_its_exit_code_counts() -> None:
    def app(context: ChildContext) -> int:
        assert context.configured is CONFIGURED
        return 7

    assert host(app) == (7, [])


def test_a_known_error_before_ready_is_told_with_its_mend() -> None:
    def app(context: ChildContext) -> int:
        raise ConfigError("no such model", mend="name another")

    code, messages = host(app)
    assert code == 1
    assert isinstance(messages[0], ChildLoadFailed)
    assert messages[0].error.code == "config"
    assert messages[0].error.line() == "no such model (name another)"


def test_an_error_after_ready_is_no_failure_to_load() -> None:
    def app(context: ChildContext) -> int:
        context.outbox.publish(ChildReady(name="assistant"))
        raise RuntimeError("a bug")

    assert host(app) == (1, [ChildReady(name="assistant")])


def test_an_app_that_cannot_be_imported_is_a_failure_to_load() -> None:
    box: queue.Queue[object] = queue.Queue()
    box.put(CONFIGURED)
    outbox = Recorder()

    def load() -> App:
        raise ModuleNotFoundError("no module named nothing")

    assert host_app("assistant", load, box, outbox, FakeClock()) == 1
    assert isinstance(outbox.messages[0], ChildLoadFailed)


def test_nothing_runs_when_the_stop_or_the_end_comes_first() -> None:
    def app(context: ChildContext) -> int:
        raise AssertionError("must not run")

    assert host(app, StopRequested(grace_s=1)) == (0, [])
    assert host(app, PeerClosed("end of file")) == (0, [])


def test_joined_directly_a_message_arrives_as_it_was_said() -> None:
    inbox: queue.Queue[object] = queue.Queue()
    outbox = DirectOutbox(DirectInbox(inbox).offer, FakeClock(wall=9.0))
    outbox.publish(LagChanged(seconds=1))
    assert inbox.get_nowait() == LagChanged(at=9.0, seconds=1)


def test_a_child_that_was_given_up_is_not_heard_any_more() -> None:
    heard: list[Frame] = []
    outbox = DirectOutbox(heard.append, FakeClock())
    outbox.cut()
    outbox.publish(LagChanged(seconds=1))
    assert heard == []
