"""The interface as a child: its terminal, its end. Runs in the main thread.

Ends when told to, or when the supervisor is gone; if the ordinary way out hangs, `_HARD_EXIT_S` later by
force, with the terminal put back. Any other end is a crash and leaves an exit code of 1 or more behind.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import threading

from stt_daemon.apps.tui.app import SttApp
from stt_daemon.apps.tui.bridge import Bridge
from stt_daemon.apps.tui.driver import TerminalDriver, open_terminal
from stt_daemon.channels import ChildContext
from stt_daemon.config import Config
from stt_daemon.errors import UsageError
from stt_daemon.messages import ChildStopped
from stt_daemon.terminal import TerminalGuard

log = logging.getLogger(__name__)

_HARD_EXIT_S = 2.0


def run(context: ChildContext) -> int:
    """Draw on the terminal behind descriptor 0 until the end. Returns the exit code. Raises UsageError."""
    configured = context.configured
    try:
        terminal = open_terminal()
    except OSError as error:
        raise UsageError(f"descriptor 0 is no terminal: {error.strerror}") from error
    guard = TerminalGuard(terminal)
    guard.save()
    ended = threading.Event()
    told = threading.Event()

    def ending() -> None:
        if not told.is_set():
            told.set()
            threading.Thread(target=_end_for_sure, args=(ended, guard), name="hard-exit", daemon=True).start()

    TerminalDriver.output_descriptor = terminal
    app = SttApp(
        Config.from_wire(configured.config),
        context.outbox,
        context.clock,
        bridge=Bridge(context, ending),
        session=configured.session_id,
    )
    app.driver_class = TerminalDriver
    try:
        app.run()
    finally:
        ended.set()
    code = app.return_code or 0
    if code or not told.is_set():
        log.error("the interface ended by itself, with code %d", code)
        guard.restore()
        return code or 1
    context.outbox.publish(ChildStopped(name=context.name))
    return 0


def _end_for_sure(ended: threading.Event, guard: TerminalGuard) -> None:
    if not ended.wait(_HARD_EXIT_S):
        log.error("the interface did not end within %s s", _HARD_EXIT_S)
        faulthandler.dump_traceback(all_threads=True)
        guard.restore()
        os._exit(0)
