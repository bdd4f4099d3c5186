"""How Textual reads and writes the terminal here, where the standard way of it would do harm.

- Descriptors 1 and 2 lead to the log, so that no library can print over the screen. What is drawn goes to a
  descriptor of its own, through a thread that may stall without stalling the loop.
- SIGCONT only brings the modes back and repaints; the stock driver starts its threads a second time.
- Bytes that are no UTF-8 become replacement characters. An end of file or an error means that the terminal is
  gone: the process then ends as SIGHUP ends it, which the supervisor takes for a stop, and never spins.
"""

from __future__ import annotations

import contextlib
import logging
import os
import selectors
import signal
import termios
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any, ClassVar

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from stt_daemon.apps.tui.terminal_output import TerminalOutput

if TYPE_CHECKING:
    from textual.app import App

log = logging.getLogger(__name__)

_LAST_OUTPUT_S = 1.0
_READ_BYTES = 4096


def open_terminal(stdin: int = 0) -> int:
    """A descriptor for writing to the terminal that descriptor 0 reads from. Raises OSError if it is none."""
    return os.open(os.ttyname(stdin), os.O_WRONLY | os.O_NOCTTY)


class TerminalDriver(LinuxDriver):
    """Made by Textual in the main thread; `output` must be set before."""

    output_descriptor: ClassVar[int] = -1

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.fileno = 0
        self.input_tty = os.isatty(0)
        self._output: TerminalOutput | None = None
        self._suspended = False
        self._raw: list[Any] | None = None

    # Output

    def write(self, data: str) -> None:
        if self._output is not None:
            self._output.write(data)

    def start_application_mode(self) -> None:
        self._output = TerminalOutput(
            self.output_descriptor, overrun=lambda: self._from_thread(self._repaint), lost=terminal_gone
        )
        super().start_application_mode()  # type: ignore[no-untyped-call]
        # The stock driver made a writer of its own, which nothing is given to.
        if self._writer_thread is not None:
            self._writer_thread.stop()
            self._writer_thread = None
        with contextlib.suppress(termios.error):
            self._raw = termios.tcgetattr(self.fileno)

    def close(self) -> None:
        if self._output is not None:
            self._output.close(_LAST_OUTPUT_S)
            self._output = None

    def _get_terminal_size(self) -> tuple[int, int]:
        try:
            size = os.get_terminal_size(self.output_descriptor)
        except OSError:
            return 80, 25
        return size.columns or 80, size.lines or 25

    # Signals

    def _sigtstp_application(self, *_: object) -> None:
        self._suspended = True
        super()._sigtstp_application()

    def _sigcont_application(self, *_: object) -> None:
        if self._suspended:
            self._suspended = False
            super()._sigcont_application()
            return
        if self._raw is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self._raw)
        self._loop.call_soon_threadsafe(self._repaint)

    def _repaint(self) -> None:
        with self._app._context():
            self._app.screen.refresh(layout=True)
            self._app.refresh(repaint=True)

    def _from_thread(self, call: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(call)

    # Input

    def run_input_thread(self) -> None:
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    for event in parser.feed(decode(self._read())):
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)

    def _read(self) -> bytes:
        try:
            data = os.read(self.fileno, _READ_BYTES)
        except OSError as error:
            log.info("the terminal cannot be read: %s", error)
            data = b""
        if not data:
            terminal_gone()
        return data


def terminal_gone() -> None:
    """End as the hang-up would have ended us: it does not come when somebody else holds the session."""
    os.kill(os.getpid(), signal.SIGHUP)
