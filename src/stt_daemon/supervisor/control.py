"""Lines from `--control`, read in a thread of its own and handed to the core.

Standard input ends when it ends. A named pipe is opened again when its writer has gone, so that one
`echo` after the other may use it; waiting for the next one is this thread's whole work.
"""

from __future__ import annotations

import logging
import os
import select
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
            self._read_one_writer_after_the_other(self._source)
        except OSError as error:
            log.warning("no more control lines: %s", error)

    def _read_one_writer_after_the_other(self, path: Path) -> None:
        """Holds the pipe open without a break: what is written while no reader has it is lost when the
        writer closes it. Opened without waiting, it is quiet until the next writer writes or leaves."""
        descriptor = _open_fifo(path)
        try:
            while True:
                self._read(descriptor)
                following = _open_fifo(path)
                os.close(descriptor)
                descriptor = following
        finally:
            os.close(descriptor)

    def _read(self, descriptor: int) -> None:
        waiting = b""
        while data := _read_some(descriptor):
            *lines, waiting = (waiting + data).split(b"\n")
            for line in lines:
                self._hand_on(line)
            waiting = waiting[:LONGEST_LINE]
        self._hand_on(waiting)

    def _hand_on(self, raw: bytes) -> None:
        text = raw[:LONGEST_LINE].decode("utf-8", "replace").strip()
        if text:
            self._line(text)


def _open_fifo(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK)


def _read_some(descriptor: int) -> bytes:
    """The next bytes, waited for; nothing at the end of the input or when the writer has gone."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while True:
        poll.poll()
        try:
            return os.read(descriptor, 4096)
        except BlockingIOError:  # one writer had left and the next one came in between
            continue
