"""A pseudo terminal with a program in it: what it draws, keys for it, how it leaves the terminal behind."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Any

from tests.process.running import PATIENCE_S, ROOT, child_pid, environment, eventually

ENTER_SCREEN = "\x1b[?1049h"
LEAVE_SCREEN = "\x1b[?1049l"


class InTerminal:
    """One run of a command as the session leader of a terminal of its own."""

    def __init__(self, command: list[str], cwd: Path, *, size: tuple[int, int] = (100, 30)) -> None:
        self.master, self.slave = pty.openpty()
        width, height = size
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.modes = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment(TERM="xterm-256color", COLUMNS="", LINES=""),
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        self._drawn = bytearray()
        self.read_at: list[tuple[float, bytes]] = []
        """What was read, and when (seconds since the epoch)."""
        self._reading = threading.Event()
        self._reading.set()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def drawn(self) -> str:
        """All bytes so far, sequences included."""
        return bytes(self._drawn).decode("utf-8", "replace")

    def shows(self, text: str, *, after: int = 0) -> bool:
        """Wait until a text was drawn. Cells that did not change are not drawn again: look for one word."""
        return eventually(lambda: text in self.drawn[after:])

    def press(self, keys: str | bytes) -> None:
        os.write(self.master, keys if isinstance(keys, bytes) else keys.encode())

    def freeze(self) -> None:
        """Read no more of what is drawn."""
        self._reading.clear()

    def thaw(self) -> None:
        self._reading.set()

    def hang_up(self) -> None:
        """The terminal's window is closed."""
        self._reading.clear()
        master, self.master = self.master, -1
        os.close(self.slave)
        self.slave = -1
        os.close(master)

    def child(self, name: str) -> int:
        found: list[int] = []

        def look() -> bool:
            try:
                found.append(child_pid(self.process.pid, name))
            except AssertionError:
                return False
            return True

        assert eventually(look), f"there is no child {name}"
        return found[0]

    def exit_code(self) -> int:
        return self.process.wait(PATIENCE_S)

    def is_as_before(self) -> bool:
        """Whether the modes are those the program found."""
        return bool(termios.tcgetattr(self.slave) == self.modes)

    def end(self) -> None:
        """Leave nothing behind."""
        self._reading.set()
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_S)
        for descriptor in (self.slave, self.master):
            if descriptor >= 0:
                os.close(descriptor)
        self._thread.join(PATIENCE_S)

    def _read(self) -> None:
        while self._reading.wait() and self.master >= 0:
            try:
                data = os.read(self.master, 65_536)
            except OSError:
                return
            if not data:
                return
            self.read_at.append((time.time(), data))
            self._drawn += data


def fake_program(sessions: Path, **options: Any) -> InTerminal:
    """The supervisor on fake children with an interface; its events go to `events.jsonl`."""
    options = {"tui": "interface", "events": str(sessions / "events.jsonl"), **options}
    sessions.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.fakes.run_supervisor", str(sessions), json.dumps(options)]
    return InTerminal(command, ROOT)


def events_of(sessions: Path) -> list[dict[str, Any]]:
    path = sessions / "events.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
