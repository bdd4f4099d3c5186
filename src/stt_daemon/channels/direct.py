"""The thread placement: the inbox of a child in this very process, joined without a pipe."""

from __future__ import annotations

import threading
from collections.abc import Callable

from stt_daemon.channels.context import Inbox, stamped
from stt_daemon.channels.frames import Frame
from stt_daemon.domain import Clock
from stt_daemon.messages import Message


class DirectInbox:
    """The sending end towards a child in a thread; `offer` may be called from any thread."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    def offer(self, frame: Frame) -> None:
        self._inbox.put(frame.message())


class DirectOutbox:
    """The outbox of a child in a thread: `deliver` runs in the publishing thread and must not block."""

    def __init__(self, deliver: Callable[[Frame], None], clock: Clock) -> None:
        self._deliver = deliver
        self._clock = clock
        self._cut = threading.Event()

    def publish(self, message: Message) -> None:
        if not self._cut.is_set():
            self._deliver(Frame.of(stamped(message, self._clock)))

    def cut(self) -> None:
        """Whatever the child still says is not heard: it was given up, and a thread cannot be killed."""
        self._cut.set()
