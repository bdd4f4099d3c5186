"""Start the supervisor (on fake apps) in a process group of its own, read its events, end it for sure."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CLIP = ROOT / "src" / "stt_daemon" / "data" / "jfk.wav"
MAIN = [sys.executable, "-c", "from stt_daemon.cli import main; raise SystemExit(main())"]
PATIENCE_S = 20.0
"""Far beyond what anything here needs, so that a busy machine fails no test."""

Event = dict[str, Any]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **more}


def eventually(true: Callable[[], bool], timeout: float = PATIENCE_S) -> bool:
    """Poll what gives no notice: processes of others, files."""
    deadline = time.monotonic() + timeout
    pause = threading.Event()
    while not true():
        if time.monotonic() > deadline:
            return False
        pause.wait(0.02)
    return True


def process_exists(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def child_pid(parent: int, name: str) -> int:
    """The process id of a supervisor's living child."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, ppid = path.read_text("utf-8").rpartition(")")[2].split()[:2]
            arguments = path.with_name("cmdline").read_text("utf-8").split("\0")
        except OSError:
            continue  # gone while we looked
        if int(ppid) == parent and state != "Z" and "stt_daemon.child" in arguments and name in arguments:
            return int(path.parent.name)
    raise AssertionError(f"{parent} has no child {name}")


class Running:
    """One run of `tests.fakes.run_supervisor`."""

    def __init__(
        self, sessions: Path, *, command: list[str] | None = None, cwd: Path = ROOT, **options: object
    ) -> None:
        self.sessions = sessions
        self.process = subprocess.Popen(
            command
            or [sys.executable, "-m", "tests.fakes.run_supervisor", str(sessions), json.dumps(options)],
            cwd=cwd,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.events: list[Event] = []
        self.notices = ""
        self._queue: queue.Queue[Event | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._read_events, daemon=True),
            threading.Thread(target=self._read_notices, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_events(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._queue.put(json.loads(line))
        self._queue.put(None)

    def _read_notices(self) -> None:
        assert self.process.stderr
        self.notices = self.process.stderr.read().decode()

    def have(self, **fields: object) -> Event:
        """An event with these values: one that came before, else the next."""
        for event in self.events:
            if all(event.get(name) == value for name, value in fields.items()):
                return event
        return self.wait_for(**fields)

    def wait_for(self, **fields: object) -> Event:
        """The next event (from where the last call stopped) whose fields have these values."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                event = self._queue.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no event {fields}; there were {self.events}") from None
            if event is None:
                raise AssertionError(f"ended without event {fields}; there were {self.events}")
            self.events.append(event)
            if all(event.get(name) == value for name, value in fields.items()):
                return event

    def pid_of(self, name: str) -> int:
        return int(self.wait_for(type="warning", where=name, code="pid")["message"])

    def both_pids(self) -> tuple[int, int]:
        """Of worker and core, once both are ready, in whichever order they come."""
        pids: dict[str, int] = {}
        ready: set[str] = set()
        while len(pids) < 2 or len(ready) < 2:
            event = self.wait_for()
            if event["type"] == "warning" and event["code"] == "pid":
                pids[event["where"]] = int(event["message"])
            elif event["type"] == "child" and event["state"] == "ready":
                ready.add(event["name"])
        return pids["transcription"], pids["assistant"]

    def type_line(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def signal_group(self, number: int) -> None:
        """What a terminal does on Ctrl-C: everybody in the group gets it."""
        os.killpg(self.process.pid, number)

    def exit_code(self) -> int:
        """Wait for the end and read the rest."""
        code = self.process.wait(PATIENCE_S)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        while True:
            try:
                event = self._queue.get_nowait()
            except queue.Empty:
                return code
            if event is not None:
                self.events.append(event)

    def log(self, name: str) -> str:
        path = self.sessions / "logs" / f"{name}.log"
        return path.read_text("utf-8") if path.exists() else ""

    def states_of(self, name: str) -> list[str]:
        return [e["state"] for e in self.events if e["type"] == "child" and e["name"] == name]

    def end(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_S)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
