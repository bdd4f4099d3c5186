"""The one place where the supervisor's loop sleeps, and all that can wake it: signals and other threads."""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import threading
from collections import deque
from collections.abc import Iterator
from types import FrameType

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Waker:
    """A socket pair: the interpreter writes a byte at each signal, `nudge` writes one from any thread."""

    def __init__(self) -> None:
        self._wakes, self._nudges = socket.socketpair()
        self._wakes.setblocking(False)
        self._nudges.setblocking(False)
        self._signals: deque[int] = deque()

    def __enter__(self) -> Waker:
        return self

    def __exit__(self, *_: object) -> None:
        self._wakes.close()
        self._nudges.close()

    def nudge(self) -> None:
        """Wake the loop. A full socket means that it is about to wake anyway, a closed one that it ended."""
        with contextlib.suppress(OSError):
            self._nudges.send(b"\0")

    def wait(self, timeout: float) -> None:
        """Sleep until nudged, signalled or `timeout` seconds have passed."""
        if select.select([self._wakes], [], [], max(timeout, 0.0))[0]:
            with contextlib.suppress(BlockingIOError):
                while self._wakes.recv(4096):
                    pass

    def take_signals(self) -> list[int]:
        """The stop signals that arrived since the last call, in order."""
        taken = []
        while self._signals:
            taken.append(self._signals.popleft())
        return taken

    @contextlib.contextmanager
    def catching_signals(self, *, then_ignore: bool = False) -> Iterator[None]:
        """While inside, stop signals are collected and a child's death wakes; only in the main thread.

        A SIGHUP that was ignored before stays so: the user asked for it with nohup. `then_ignore` is for a
        program about to leave, which one more impatient Ctrl-C must not turn into a traceback.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        descriptor = signal.set_wakeup_fd(self._nudges.fileno(), warn_on_full_buffer=False)
        caught = [*STOP_SIGNALS, signal.SIGCHLD]
        if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
            caught.remove(signal.SIGHUP)
        before = {number: signal.signal(number, self._note) for number in caught}
        try:
            yield
        finally:
            for number, handler in before.items():
                if then_ignore and number in STOP_SIGNALS:
                    handler = signal.SIG_IGN
                signal.signal(number, signal.SIG_DFL if handler is None else handler)
            signal.set_wakeup_fd(descriptor)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGCHLD:
            self._signals.append(number)
