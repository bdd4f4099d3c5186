"""Writes to the terminal from a thread of its own, so that a terminal that takes nothing stalls nobody.

A frozen connection or a stopped terminal must not freeze the interface's loop: its heart would cease to beat,
and the supervisor would replace it. `write` may be called from any thread and never waits. When too much
waits, it is forgotten, and `overrun` tells that the screen must be drawn anew.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable

from stt_daemon.channels import start_thread

log = logging.getLogger(__name__)

WAITING_AT_MOST = 1_000_000
"""Characters; a full repaint of a very large, colourful screen has a tenth of that."""


class TerminalOutput:
    """The writing end. `overrun` and `lost` are called from the writing thread: something was forgotten and
    the terminal takes text again; the terminal is gone.
    """

    def __init__(self, descriptor: int, *, overrun: Callable[[], None], lost: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._overrun = overrun
        self._lost = lost
        self._changed = threading.Condition()
        self._waiting: deque[str] = deque()
        self._length = 0
        self._forgot = False
        self._closed = False
        self._thread = start_thread("terminal-output", self._run)

    def write(self, text: str) -> None:
        """One or more whole sequences: what is forgotten is forgotten between two calls, never within one."""
        with self._changed:
            if self._length > WAITING_AT_MOST:
                self._waiting.clear()
                self._length, self._forgot = 0, True
            self._waiting.append(text)
            self._length += len(text)
            self._changed.notify()

    def close(self, timeout: float) -> None:
        """Write what waits, for so long at most."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(timeout)

    def _run(self) -> None:
        try:
            while (text := self._take()) is not None:
                self._write(text)
                if self._is_to_be_redrawn():
                    self._overrun()
        except OSError as error:
            log.info("the terminal is gone: %s", error)
            self._lost()

    def _take(self) -> str | None:
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting) or self._closed)
            text = "".join(self._waiting)
            self._waiting.clear()
            self._length = 0
            return text or None

    def _is_to_be_redrawn(self) -> bool:
        with self._changed:
            forgot, self._forgot = self._forgot and not self._waiting, self._forgot and bool(self._waiting)
            return forgot

    def _write(self, text: str) -> None:
        rest = memoryview(text.encode("utf-8", "replace"))
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
