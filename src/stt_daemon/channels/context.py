"""What an app is given to run: one inbox, one outbox, its configuration, the clock.

An app never knows where the other side lives; the same app runs behind pipes and in a thread.
"""

from __future__ import annotations

import dataclasses
import logging
import queue
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from stt_daemon.domain import Clock
from stt_daemon.errors import ErrorRecord
from stt_daemon.messages import ChildConfigured, ChildLoadFailed, ChildName, ChildReady, Message

log = logging.getLogger(__name__)

Inbox = queue.Queue[object]
"""Messages from the other side, `PeerClosed`, and whatever the parts of the same child post."""


@dataclass(frozen=True)
class PeerClosed:
    """The other side is gone: end of file, an error of the pipe, or bytes that are no frame."""

    reason: str


class Outbox(Protocol):
    """Where a child publishes. Any thread; never blocks; stamps `at` when it is 0."""

    def publish(self, message: Message) -> None:
        """Send the message to whoever wants its topic; to nobody, silently, once the peer is gone."""


@dataclass
class ChildContext:
    """All an app's `run` receives."""

    name: ChildName
    inbox: Inbox
    outbox: Outbox
    configured: ChildConfigured
    clock: Clock


App = Callable[[ChildContext], int]


def stamped(message: Message, clock: Clock) -> Message:
    """The message with the time of its publication, which it keeps if it has one."""
    return message if message.at else dataclasses.replace(message, at=clock.wall())


class _ReadySpy:
    """An outbox that remembers whether the app has said it is ready."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self.ready = False

    def publish(self, message: Message) -> None:
        if isinstance(message, ChildReady):
            self.ready = True
        self._outbox.publish(message)


def host_app(name: ChildName, load: Callable[[], App], inbox: Inbox, outbox: Outbox, clock: Clock) -> int:
    """Wait for the configuration, load the app and run it in this thread; its exit code.

    Any exception ends the child, never more: the code is 1, its traceback goes to the log, and as long as
    the app was not ready the other side learns the reason as `ChildLoadFailed`. 0, with nothing run, when
    the inbox holds something else first: told to stop, or left alone.
    """
    configured = inbox.get()
    if not isinstance(configured, ChildConfigured):
        log.info("%s was not configured: %s", name, configured)
        return 0
    spy = _ReadySpy(outbox)
    try:
        return load()(ChildContext(name, inbox, spy, configured, clock))
    except Exception as error:
        log.exception("%s ended", name)
        if not spy.ready:
            outbox.publish(ChildLoadFailed(name=name, error=ErrorRecord.of(error)))
        return 1
