"""How soon a key press, and an event of the worker, is on the screen while everything happens at once.

    python -m tests.bench.tui_keys [FILE] [--seconds 60] [--lines 0] [--idle]

All processes are real, in a real pseudo terminal: the worker transcribes FILE in real time with partials (its
lane is what keeps the processor busy), the core streams a reply of twenty pieces a second and a triage every
second. Times end when the bytes have left the terminal's other side. `--lines` begins with a transcript of so
many lines; `--idle` leaves all of the load away, for comparison.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from stt_daemon.apps.transcription import run as transcribe
from stt_daemon.channels import ChildContext, PeerClosed
from stt_daemon.config import Config
from stt_daemon.domain import SystemClock
from stt_daemon.logs import log_path, start_logging
from stt_daemon.messages import (
    ChatSaid,
    ChildConfigured,
    ChildReady,
    ChildStopped,
    Heartbeat,
    Marked,
    StopRequested,
    TriageChanged,
)
from stt_daemon.sessions import create_session
from stt_daemon.supervisor.hub import Hub
from stt_daemon.supervisor.launch import ProcessPlacement
from stt_daemon.supervisor.locks import hold_locks
from stt_daemon.supervisor.outputs import showing
from stt_daemon.supervisor.placement import ChildSpec
from stt_daemon.supervisor.status import StatusBoard
from stt_daemon.supervisor.supervisor import Supervisor
from stt_daemon.terminal import TerminalGuard
from tests.bench.core_tick import write_journal
from tests.process.running import CLIP, ROOT
from tests.process.terminal import InTerminal

_PAUSE = threading.Event()
_WORDS = [
    "and",
    "so",
    "the",
    "beta",
    "ships",
    "on",
    "Friday,",
    "which",
    "Anna",
    "tests",
    "and",
    "Ben",
    "packs",
    "[u3];",
    "",
]
_FIRST_LETTER = 0x0100
"""Latin letters that nothing else on the screen uses, so that a key's own echo is found."""


def worker(context: ChildContext) -> int:
    """The real worker; beside its own events one more every 0.4 s whose line can be found on the screen."""

    def mark() -> None:
        number = 0
        while not _PAUSE.wait(0.4):
            number += 1
            context.outbox.publish(Marked(t=1e6 + number, note=f"event{number:05d}{time.time():.4f}"))

    threading.Thread(target=mark, daemon=True).start()
    return transcribe(context)


def busy_core(context: ChildContext) -> int:
    """Streams one reply after the other, and a triage every second."""
    return _core(context, busy=True)


def idle_core(context: ChildContext) -> int:
    return _core(context, busy=False)


def _core(context: ChildContext, *, busy: bool) -> int:
    publish = context.outbox.publish
    publish(ChildReady(name=context.name))
    beat = 0
    said = ""
    while True:
        while not context.inbox.empty():
            if isinstance(context.inbox.get(), StopRequested | PeerClosed):
                publish(ChildStopped(name=context.name))
                return 0
        _PAUSE.wait(0.05)
        beat += 1
        if beat % 20 == 0:
            publish(Heartbeat(name=context.name))
            if busy:
                publish(_triage(beat))
        if not busy:
            continue
        piece = _WORDS[beat % len(_WORDS)] + " "
        said += piece
        exchange = 1 + beat // 200
        if beat % 200 == 199:
            publish(ChatSaid(role="assistant", exchange=exchange, text=said, cites=("u3",)))
            said = ""
        else:
            publish(ChatSaid(role="assistant", exchange=exchange, delta=piece, final=False))


def _triage(beat: int) -> TriageChanged:
    items = tuple(
        {
            "qid": f"question_{n}",
            "type": "noul",
            "p": (beat * n % 100) / 100,
            "flagged": n % 2 == 0,
            "confidence": 0.9,
        }
        for n in range(1, 9)
    )
    brief = "Summary:\n" + "\n".join(
        f"- point {n} of pass {beat}, at some length, as briefs have it" for n in range(12)
    )
    order = tuple(item["qid"] for item in items)
    return TriageChanged(stage="content", ts=time.time(), order=order, items=items, brief=brief)


def supervise(root: Path, source: str, lines: int, idle: bool) -> int:
    """What runs in the terminal."""
    clock = SystemClock()
    folder = create_session(root, time.time())
    if lines:
        write_journal(folder.path, lines)
    hub = Hub(clock)
    config = Config.model_validate({"triage": {"enabled": True}, "whisper": {"partials": not idle}})
    with hold_locks(root) as locks:
        start_logging(log_path(root, "supervisor"), redirect=False)
        board = StatusBoard(root, folder.id, folder.path)
        with showing(hub, lambda path, seq: (), clock, board, interface=True):
            here = "tests.bench.tui_keys"
            supervisor = Supervisor(
                [
                    ChildSpec("transcription", f"{here}:worker"),
                    ChildSpec("assistant", f"{here}:{'idle' if idle else 'busy'}_core"),
                    ChildSpec("tui", owns_terminal=True),
                ],
                ProcessPlacement(root, locks.writers),
                ChildConfigured(
                    config=config.to_wire(),
                    session_id=folder.id,
                    session_dir=str(folder.path),
                    resumed=bool(lines),
                    source=source,
                    speed="realtime",
                    offline=True,
                ),
                hub,
                lambda: (folder.id, folder.path),
                stop_grace_s=2.0,
                clock=clock,
                terminal=TerminalGuard(1),
            )
            return supervisor.run(last=True)


def measure(source: str, seconds: float, lines: int, idle: bool) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as root:
        command = [
            sys.executable,
            "-m",
            "tests.bench.tui_keys",
            source,
            "--supervise",
            root,
            "--lines",
            str(lines),
        ]
        terminal = InTerminal(command + (["--idle"] if idle else []), ROOT, size=(120, 40))
        started = time.perf_counter()
        try:
            assert terminal.shows("● live"), terminal.drawn[-2000:]
            live_s = time.perf_counter() - started
            terminal.press("c")
            assert terminal.shows("event00005"), terminal.drawn[-2000:]
            interface = terminal.child("tui")
            before = _processor_s(interface)
            begun = time.time()
            keys = _press_keys(terminal, seconds)
            processor_s = _processor_s(interface) - before
            events = _event_times(terminal, begun)
            terminal.press("\x03")
            code = terminal.exit_code()
        finally:
            terminal.end()
    return {
        "source": Path(source).name,
        "lines": lines,
        "idle": idle,
        "start_to_live_s": round(live_s, 2),
        "interface_processor": round(processor_s / seconds, 2),
        "key_to_screen_ms": _spread(keys),
        "worker_event_to_painted_ms": _spread(events),
        "exit_code": code,
    }


def _press_keys(terminal: InTerminal, seconds: float) -> list[float]:
    found: list[float] = []
    ends = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < ends:
        letter = chr(_FIRST_LETTER + number % 300)
        number += 1
        before = len(terminal._drawn)
        pressed = time.perf_counter()
        terminal.press(letter)
        wanted = letter.encode()
        while wanted not in terminal._drawn[before:]:
            if time.perf_counter() - pressed > 30.0:
                raise AssertionError(f"{letter} was never drawn")
            _PAUSE.wait(0.001)
        found.append(1000 * (time.perf_counter() - pressed))
        if number % 30 == 0:
            terminal.press("\x15")  # an empty line again, before it scrolls
        _PAUSE.wait(0.09 + 0.01 * (number % 7))
    return found


def _event_times(terminal: InTerminal, begun: float) -> list[float]:
    """From the publication in the worker to the read of its bytes; each event carries its own time. Those of
    the start, when the interface was not there yet, do not count.
    """
    times = []
    for at, piece in terminal.read_at:
        for part in piece.split(b"event")[1:]:
            text = part[5:20].decode("ascii", "replace")
            if len(text) == 15 and text.replace(".", "").isdigit() and float(text) >= begun:
                times.append((part[:5], 1000 * (at - float(text))))
    first: dict[bytes, float] = {}
    for name, late in times:
        first.setdefault(name, late)
    return list(first.values())


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "count": len(ordered),
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[int(len(ordered) * 0.95)], 1),
        "longest": round(ordered[-1], 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", default=str(CLIP))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--supervise", type=Path)
    options = parser.parse_args()
    if options.supervise is not None:
        return supervise(options.supervise, options.file, options.lines, options.idle)
    figures = measure(options.file, options.seconds, options.lines, options.idle)
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
