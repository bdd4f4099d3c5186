"""The entry point of a child process: `python -m stt_daemon.child NAME [APP] --read FD ...`.

Owns the process: its descriptors, signals, log and end. The app runs in the main thread and knows of none
of this. A process that lost its parent ends by itself, whatever the app does.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import faulthandler
import logging
import os
import queue
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from stt_daemon.apps import APPS, load_app
from stt_daemon.channels import (
    Frame,
    Inbox,
    PeerClosed,
    PipeOutbox,
    PipeReader,
    PipeWriter,
    host_app,
    start_thread,
)
from stt_daemon.domain import SystemClock
from stt_daemon.logs import end_process, start_logging
from stt_daemon.messages import ChildName, StopRequested

log = logging.getLogger(__name__)

ORPHAN_GRACE_S = 4.0
"""Children must be gone 5 s after their parent's death; this leaves a second for a slow machine."""

TERM_GRACE_S = 2.0
"""What an app may still do after SIGTERM, which comes late in a stop or from the parent's death."""

_FLUSH_S = 2.0
_PR_SET_PDEATHSIG = 1


def main(arguments: list[str] | None = None) -> int:
    """Run one child; its exit code."""
    options = _parse(arguments)
    _keep_signals_away(terminal=options.terminal)
    if options.log is not None:
        start_logging(Path(options.log), redirect=True)
    if not options.terminal:  # who has a terminal to restore leaves at the end of file, in its own time
        _die_with(options.parent)
    for descriptor in (options.read, options.write, options.lock):
        if descriptor is not None:
            # What this child starts must hold neither a channel nor the writers' lock open.
            os.set_inheritable(descriptor, False)
    return _Child(options.name, options.app or APPS[options.name], options.read, options.write).run()


class _Child:
    """One run of one app, from the first byte of configuration to the last byte published."""

    def __init__(self, name: ChildName, app: str, read: int, write: int) -> None:
        self._name = name
        self._app = app
        self._inbox: Inbox = queue.Queue()
        self._writer = PipeWriter(write, name)
        self._reader = PipeReader(read, self._deliver, self._peer_closed, name)
        _on_sigterm(lambda: self._inbox.put(StopRequested(grace_s=TERM_GRACE_S)))

    def run(self) -> int:
        clock = SystemClock()
        outbox = PipeOutbox(self._writer, clock)
        code = host_app(self._name, lambda: load_app(self._app), self._inbox, outbox, clock)
        self._writer.flush(_FLUSH_S)
        return code

    def _deliver(self, frame: Frame) -> None:
        self._inbox.put(frame.message())

    def _peer_closed(self, reason: str) -> None:
        """Runs in the reader's thread, which has nothing else to do any more: it sees to the end."""
        self._inbox.put(PeerClosed(reason))
        threading.Event().wait(ORPHAN_GRACE_S)
        log.error("the app did not end within %s s of the parent's death", ORPHAN_GRACE_S)
        _leave(1)


def _leave(code: int) -> None:
    faulthandler.dump_traceback(file=2, all_threads=True)
    os._exit(code)


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="stt_daemon.child", description="Started by the supervisor.")
    parser.add_argument("name")
    parser.add_argument("app", nargs="?", default="", help="module:function; the known one by default")
    parser.add_argument("--read", type=int, required=True, help="descriptor of the pipe to read")
    parser.add_argument("--write", type=int, required=True, help="descriptor of the pipe to write")
    parser.add_argument("--lock", type=int, help="descriptor that shows that somebody may still write")
    parser.add_argument("--log", help="where descriptors 1 and 2 lead; absent: they stay as they are")
    parser.add_argument("--terminal", action="store_true", help="descriptor 0 is a terminal to draw on")
    parser.add_argument("--parent", type=int, default=0, help="process id of the supervisor")
    return parser.parse_args(arguments)


def _keep_signals_away(*, terminal: bool) -> None:
    """SIGINT is the supervisor's business. SIGHUP too, except for the child that has the terminal.

    The supervisor held both back while it started this process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_DFL if terminal else signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGHUP, signal.SIGTERM})


def _die_with(parent: int) -> None:
    """Have the kernel send SIGTERM when the parent dies (Linux), and leave if it is dead already."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
            log.warning("no parent-death signal: %s", os.strerror(ctypes.get_errno()))
    if parent and os.getppid() != parent:
        log.error("the parent is gone already")
        sys.exit(1)


def _on_sigterm(stop: Callable[[], None]) -> None:
    """Call `stop` from a thread of its own at each SIGTERM.

    A Python handler would run in the main thread in the middle of anything, an inbox with its lock held
    included; the wakeup descriptor is written at once, even while native code has the main thread.
    """
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)

    def listen() -> None:
        with theirs, contextlib.closing(ours):
            while data := ours.recv(64):
                if signal.SIGTERM in data:
                    stop()

    start_thread("sigterm", listen)


if __name__ == "__main__":
    end_process(main())
