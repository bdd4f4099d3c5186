"""The terminal as it was before a child took it over. For the supervisor's main thread."""

from __future__ import annotations

import contextlib
import signal
import termios
import threading
from collections.abc import Iterator
from typing import Any

from stt_daemon.channels.frames import write_all

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
            write_all(self._descriptor, RESET.encode())
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
            termios.tcsetattr(self._descriptor, termios.TCSANOW, self._saved)


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
