"""The one reader of the inbox: hands what happened to the interface's loop, in pieces the loop can bear.

Its thread reads, follows the transcript and coalesces; the loop takes what waits when it is told `Arrived`,
and is not told again before it did. An interface that has ended is told nothing more, without complaint.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from textual.message import Message as TextualMessage

from stt_daemon.apps.tui.coalesce import Coalescer
from stt_daemon.apps.tui.past import PastReader
from stt_daemon.channels import ChildContext, PeerClosed, start_thread
from stt_daemon.messages import ChatSaid, LevelMeasured, Message, StopRequested

AT_ONCE = 100
"""Items a turn of the loop takes: a few milliseconds of work, then a key press has its turn."""


UNHURRIED_S = 0.12
"""How long levels and the pieces of a reply may wait for company: eight paints a second look like a flow, and
each may cost as much as a whole pane."""

_LEISURE = 3.0
_LONGEST_WAIT_S = 1.0
"""A loop that took long to come has no time to spare: what is unhurried then waits so many times as long as
that, at most a second, so that keys get their turn between two paints."""


class Arrived(TextualMessage, bubble=False):
    """Something waits at the bridge."""


class Ended(TextualMessage, bubble=False):
    """The interface is to end: it was told to, or the supervisor is gone."""


class Target(Protocol):
    """The part of a Textual app that is used here; safe from any thread."""

    def post_message(self, message: TextualMessage) -> bool: ...


def _is_unhurried(item: object) -> bool:
    return isinstance(item, LevelMeasured) or (isinstance(item, ChatSaid) and not item.final)


class Bridge:
    """`ending` is called, in the bridge's thread, when the interface has to end."""

    def __init__(self, context: ChildContext, ending: Callable[[], None]) -> None:
        self._inbox = context.inbox
        self._clock = context.clock
        self._past = PastReader(Path(context.configured.session_dir), context.clock)
        self._ending = ending
        self._lock = threading.Lock()
        self._waiting = Coalescer()
        self._told = False
        self._told_at = 0.0
        self._due: float | None = None
        self._unhurried_s = UNHURRIED_S
        self._target: Target | None = None

    def start(self, target: Target) -> None:
        """Begin to read: first the session's files, then what comes. `target` must be running."""
        self._target = target
        start_thread("bridge", self._run)

    def take(self) -> list[object]:
        """What happened, oldest first: a `Past`, then messages. For the loop, when it is told."""
        with self._lock:
            late = self._clock.monotonic() - self._told_at
            self._unhurried_s = min(max(UNHURRIED_S, _LEISURE * late), _LONGEST_WAIT_S)
            items = self._waiting.take(AT_ONCE)
            self._told_at = self._clock.monotonic()
            self._told = more = bool(self._waiting)
            if not more:
                self._due = None
        if more:
            self._tell(Arrived())
        return items

    def _run(self) -> None:
        self._put(self._past.read())
        while True:
            try:
                item = self._inbox.get(timeout=self._patience())
            except queue.Empty:
                self._tell_if_due()
                continue
            if isinstance(item, StopRequested | PeerClosed):
                self._ending()
                self._tell(Ended())
            elif isinstance(item, Message):
                for message in self._past.follow(item):
                    self._put(message)

    def _put(self, item: object) -> None:
        with self._lock:
            self._waiting.add(item)
            if self._due is None:
                wait = self._unhurried_s if _is_unhurried(item) else 0.0
                self._due = self._clock.monotonic() + wait
            elif not _is_unhurried(item):
                self._due = 0.0
        self._tell_if_due()

    def _tell_if_due(self) -> None:
        with self._lock:
            if self._told or self._due is None or self._clock.monotonic() < self._due:
                return
            self._told, self._told_at = True, self._clock.monotonic()
        self._tell(Arrived())

    def _patience(self) -> float | None:
        """How long the next item is waited for before what waits is handed on."""
        with self._lock:
            if self._due is None or self._told:
                return None
            return max(0.0, self._due - self._clock.monotonic())

    def _tell(self, message: TextualMessage) -> None:
        assert self._target is not None
        try:
            self._target.post_message(message)
        except RuntimeError:  # its loop is closed: nobody looks any more
            return
