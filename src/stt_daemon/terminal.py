"""The terminal as it was before a full-screen program took it over, and how it gets back to that.

The supervisor uses it when the interface died, and the interface when its own clean way out hangs. Main
thread, or the last thread that still runs.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import termios
import threading
from collections.abc import Iterator
from typing import Any

RESET = "".join(
    (
        "\x1b[?2026l",  # synchronised output
        "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l",  # mouse, all its encodings
        "\x1b[?2004l",  # bracketed paste
        "\x1b[?1004l",  # focus reports
        "\x1b[?2048l",  # size reports
        "\x1b[<u",  # keyboard protocol: the level the application pushed
        "\x1b[?1049l",  # alternate screen
        "\x1b[?25h",  # cursor
        "\x1b[?7h",  # wrap
        "\x1b[0m",
    )
)


_ROOM_WITHIN_MS = 500
"""A terminal that takes nothing (a frozen connection) must not hold up whoever mends it."""


class TerminalGuard:
    """Saves the modes of a terminal and brings them back after a child ended without doing so."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._saved: list[Any] | None = None

    def save(self) -> None:
        """Remember the present modes; on something that is no terminal there is nothing to guard."""
        with contextlib.suppress(termios.error):
            self._saved = termios.tcgetattr(self._descriptor)

    def restore(self) -> None:
        """Undo what a full-screen program does to a terminal; harmless when nothing was done.

        SIGTTOU is ignored meanwhile: the shell may have made this process a background one, and a stopped
        supervisor would be worse than an ugly terminal. A terminal that is gone is no error here.
        """
        if self._saved is None:
            return
        with _ignoring(signal.SIGTTOU), contextlib.suppress(OSError, termios.error):
            # What the dead program had queued, and answers to what it asked, are nobody's any more.
            termios.tcflush(self._descriptor, termios.TCIOFLUSH)
            termios.tcsetattr(self._descriptor, termios.TCSANOW, self._saved)
            if _has_room(self._descriptor):
                os.write(self._descriptor, RESET.encode())


def _has_room(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(_ROOM_WITHIN_MS))


@contextlib.contextmanager
def _ignoring(number: signal.Signals) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, signal.SIG_DFL if before is None else before)
