"""Runs the programs of `[[commands]]`: no shell, a process group of its own, a deadline, bounded output.

`Programs` belongs to the loop. Each process has a small thread that reads and watches it and posts a
`ProgramEnded`; nothing here waits in the loop. What a program wrote is text for people, never a command.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stt_daemon.channels import start_thread
from stt_daemon.domain import Clock
from stt_daemon.domain.text import plain

log = logging.getLogger(__name__)

AT_ONCE = 4
"""So many programs may run at the same time: a command said by mistake again and again must not pile up."""

OUTPUT_BYTES = 16_384
"""What is kept of the output; the rest is read and thrown away, so that the program is not held up."""

SHOWN_LINES = 40

_TERM_S = 1.0
"""Between asking a program to end and ending it."""

_LAST_TERM_S = 0.2
"""The same when the core itself ends."""

_AFTER_END_S = 0.5
"""How long the output is read on after the program ended: something it started may hold the pipe for ever."""

_POLL_S = 0.1


@dataclass(frozen=True)
class ProgramEnded:
    """How a program ended. `code` is None when it could not be started or was ended at its deadline, and
    `reason` says so then; `output` is plain text, a few lines at most.
    """

    number: int
    code: int | None
    output: str
    reason: str = ""


class Programs:
    """Starts programs and ends those that run too long; see the module."""

    def __init__(
        self,
        post: Callable[[object], None],
        clock: Clock,
        *,
        environment: Mapping[str, str] | None = None,
        hidden: Sequence[str] = (),
    ) -> None:
        """`hidden` names environment variables that no program may see, such as the one with the API key."""
        self._post = post
        self._clock = clock
        variables = os.environ if environment is None else environment
        self._environment = {name: value for name, value in variables.items() if name not in hidden}
        self._over = threading.Event()
        self._told: dict[int, Callable[[ProgramEnded], None]] = {}
        self._threads: list[threading.Thread] = []
        self._number = 0

    @property
    def running(self) -> int:
        return len(self._told)

    def run(self, argv: Sequence[str], timeout_s: float, told: Callable[[ProgramEnded], None]) -> str:
        """Start a program; `told` hears in the loop how it ended. Returns why it is not even tried, or ""."""
        if len(self._told) >= AT_ONCE:
            return f"{AT_ONCE} commands are still running"
        self._number += 1
        number = self._number
        self._told[number] = told
        words = list(argv)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        self._threads.append(start_thread(f"command-{number}", lambda: self._watch(number, words, timeout_s)))
        return ""

    def ended(self, end: ProgramEnded) -> None:
        """A posted end, on its way to whoever waits."""
        told = self._told.pop(end.number, None)
        if told is not None:
            told(end)

    def finish(self, timeout_s: float) -> None:
        """End everything that still runs."""
        self._over.set()
        deadline = self._clock.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - self._clock.monotonic()))

    # The thread of one program

    def _watch(self, number: int, argv: list[str], timeout_s: float) -> None:
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=self._environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self._post(ProgramEnded(number, None, "", f"{plain(argv[0])} cannot be started: {said}"))
            return
        log.info("started %s as process %d", argv[0], process.pid)
        reason, output = "", b""
        try:
            assert process.stdout is not None
            output = self._read(process, timeout_s)
            if process.poll() is None:
                reason = "the program is stopping" if self._over.is_set() else f"ended after {timeout_s:g} s"
        finally:
            self._end(process)
        code = None if reason else process.returncode
        self._post(ProgramEnded(number, code, shown(output), reason))

    def _read(self, process: subprocess.Popen[bytes], timeout_s: float) -> bytes:
        """The beginning of the output; returns when the program ended, or its time is over."""
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        deadline = self._clock.monotonic() + timeout_s
        kept = bytearray()
        is_open = True
        while not self._over.is_set():
            now = self._clock.monotonic()
            if process.poll() is not None:
                deadline = min(deadline, now + _AFTER_END_S)
                if not is_open:
                    break
            if now >= deadline:
                break
            if not is_open:
                self._over.wait(0.01)
                continue
            if select.select([descriptor], [], [], min(_POLL_S, deadline - now))[0]:
                data = os.read(descriptor, 65_536)
                is_open = bool(data)
                kept += data[: OUTPUT_BYTES - len(kept)]
        return bytes(kept)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Nothing of the program's group lives on if it has not ended by itself."""
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(_LAST_TERM_S if self._over.is_set() else _TERM_S)
            except subprocess.TimeoutExpired:
                log.warning("process %d ignored SIGTERM", process.pid)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def shown(output: bytes) -> str:
    """The output as lines of plain text, blank ones left out, the end cut off with a word about it."""
    cut = len(output) >= OUTPUT_BYTES
    lines = [plain(line).rstrip() for line in output.decode("utf-8", "replace").splitlines()]
    lines = [line for line in lines if line]
    if len(lines) > SHOWN_LINES:
        lines, cut = lines[:SHOWN_LINES], True
    return "\n".join([*lines, "…"] if cut else lines)
