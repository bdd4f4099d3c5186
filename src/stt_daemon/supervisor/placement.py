"""Where a child runs: the ports the supervisor sees, and the placement in threads of this process."""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from stt_daemon.apps import APPS, load_app
from stt_daemon.channels import DirectInbox, DirectOutbox, Frame, Inbox, host_app
from stt_daemon.domain import Clock
from stt_daemon.messages import ChildName, StopRequested


@dataclass(frozen=True)
class ChildSpec:
    """One child to keep running. `app` is "module:function", "" for the one known by that name.

    `stdin` gives it descriptor 0; so does `owns_terminal`, with the terminal behind it and its modes.
    Descriptors 1 and 2 lead to the log for every child: what a native library prints stays off the screen.
    """

    name: ChildName
    app: str = ""
    stdin: bool = False
    owns_terminal: bool = False

    @property
    def app_path(self) -> str:
        return self.app or APPS[self.name]


class RunningChild(Protocol):
    """One start of a child. Only `send` may be called from any thread."""

    killable: bool

    def send(self, frame: Frame) -> None:
        """Queue a frame for the child; never blocks."""

    def exit_code(self) -> int | None:
        """None while it lives; minus the signal's number when it was killed."""

    def terminate(self) -> None: ...

    def kill(self) -> None: ...

    def close(self) -> None:
        """Give back what this start used; called once, after the end."""


class Placement(Protocol):
    """Starts children."""

    def launch(
        self, spec: ChildSpec, deliver: Callable[[Frame], None], closed: Callable[[str], None]
    ) -> RunningChild:
        """Start a child. `deliver` and `closed` are called from another thread. Raises OSError."""


class MixedPlacement:
    """Children in threads, but for the one that has the terminal: that one needs a main thread for its
    signals, and must be able to crash or be killed without taking the recording along.
    """

    def __init__(self, threads: Placement, processes: Placement) -> None:
        self._threads = threads
        self._processes = processes

    def launch(
        self, spec: ChildSpec, deliver: Callable[[Frame], None], closed: Callable[[str], None]
    ) -> RunningChild:
        place = self._processes if spec.owns_terminal else self._threads
        return place.launch(spec, deliver, closed)


class ThreadPlacement:
    """Children as threads: `--in-process`, and most tests."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def launch(
        self, spec: ChildSpec, deliver: Callable[[Frame], None], closed: Callable[[str], None]
    ) -> RunningChild:
        return _ThreadChild(spec, deliver, closed, self._clock)


class _ThreadChild:
    """A child in a thread. It can be asked to stop; killing it only means not to listen any more."""

    killable = False

    def __init__(
        self,
        spec: ChildSpec,
        deliver: Callable[[Frame], None],
        closed: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._inbox: Inbox = queue.Queue()
        self._sender = DirectInbox(self._inbox)
        self._outbox = DirectOutbox(deliver, clock)
        self._code: int | None = None

        def run() -> None:
            code = 1
            try:
                code = host_app(spec.name, lambda: load_app(spec.app_path), self._inbox, self._outbox, clock)
            finally:
                if self._code is None:
                    self._code = code
                closed("the thread ended")

        # A plain thread: what an app starts from here must not inherit blocked signals.
        threading.Thread(target=run, name=spec.name, daemon=True).start()

    def send(self, frame: Frame) -> None:
        self._sender.offer(frame)

    def exit_code(self) -> int | None:
        return self._code

    def terminate(self) -> None:
        self._inbox.put(StopRequested(grace_s=0.0))

    def kill(self) -> None:
        self._outbox.cut()
        self._code = -signal.SIGKILL

    def close(self) -> None:
        self._outbox.cut()
