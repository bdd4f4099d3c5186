"""Lines from `--control`, read in a thread of its own and handed to the core.

Standard input ends when it ends. A named pipe is opened again when its writer has gone, so that one
`echo` after the other may use it; opening waits for a writer, which is why nobody else may do it.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

from stt_daemon.channels import start_thread
from stt_daemon.errors import UsageError

log = logging.getLogger(__name__)

LONGEST_LINE = 65_536
"""Bytes; what goes beyond is cut off, not kept in memory."""


def check_fifo(path: Path) -> None:
    """Raises UsageError unless `path` is a named pipe."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise UsageError(
            f"--control {path}: {error.strerror}", mend=f"make it with: mkfifo {path}"
        ) from error
    if not stat.S_ISFIFO(mode):
        raise UsageError(f"--control {path} is not a named pipe", mend=f"make one with: mkfifo {path}")


class ControlReader:
    """Calls `line` with each line, without its line end, from its own thread; empty lines are skipped."""

    def __init__(self, source: Path | None, line: Callable[[str], None], stdin: int = 0) -> None:
        self._source = source
        self._line = line
        self._stdin = stdin
        self._thread = start_thread("control", self._run)

    def _run(self) -> None:
        try:
            if self._source is None:
                self._read(self._stdin)
                return
            while True:
                descriptor = os.open(self._source, os.O_RDONLY)
                try:
                    self._read(descriptor)
                finally:
                    os.close(descriptor)
        except OSError as error:
            log.warning("no more control lines: %s", error)

    def _read(self, descriptor: int) -> None:
        waiting = b""
        while data := os.read(descriptor, 4096):
            *lines, waiting = (waiting + data).split(b"\n")
            for line in lines:
                self._hand_on(line)
            waiting = waiting[:LONGEST_LINE]
        self._hand_on(waiting)

    def _hand_on(self, raw: bytes) -> None:
        text = raw[:LONGEST_LINE].decode("utf-8", "replace").strip()
        if text:
            self._line(text)
