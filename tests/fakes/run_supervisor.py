"""A program that runs the supervisor on fake apps and writes its events to stdout; used by process tests.

`python -m tests.fakes.run_supervisor SESSIONS_DIR OPTIONS`, options as one JSON object.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from stt_daemon.domain import Gap, SystemClock, Utterance
from stt_daemon.errors import AlreadyRunningError
from stt_daemon.logs import log_path, start_logging
from stt_daemon.messages import ChildConfigured, ControlReceived
from stt_daemon.supervisor.control import ControlReader
from stt_daemon.supervisor.health import HealthLimits
from stt_daemon.supervisor.hub import Hub
from stt_daemon.supervisor.launch import ProcessPlacement
from stt_daemon.supervisor.locks import hold_locks
from stt_daemon.supervisor.output import open_events
from stt_daemon.supervisor.outputs import showing
from stt_daemon.supervisor.placement import ChildSpec, Placement, ThreadPlacement
from stt_daemon.supervisor.restart import RestartPolicy
from stt_daemon.supervisor.status import StatusBoard
from stt_daemon.supervisor.supervisor import Supervisor
from stt_daemon.terminal import TerminalGuard

APPS = "tests.fakes.child_apps"


def app(name: object) -> str:
    """One of the fake apps by its name, any other as "module:function"."""
    return str(name) if ":" in str(name) else f"{APPS}:{name}"


def no_journal(folder: Path, from_seq: int) -> Iterable[Utterance | Gap]:
    return ()


def run(root: Path, options: dict[str, object]) -> int:
    clock = SystemClock()
    hub = Hub(clock)

    def make_session() -> tuple[str, Path]:
        folder = root / "second"
        folder.mkdir()
        return folder.name, folder

    try:
        with hold_locks(root) as locks:
            start_logging(log_path(root, "supervisor"), redirect=False)
            placement: Placement = (
                ThreadPlacement(clock) if options.get("threads") else ProcessPlacement(root, locks.writers)
            )
            board = StatusBoard(root, "first", root / "first")
            tui, events = options.get("tui"), options.get("events")
            (root / "first").mkdir(exist_ok=True)
            with showing(
                hub,
                no_journal,
                clock,
                board,
                events=open_events(Path(str(events))) if events else None,
                events_on_stdout=not options.get("lines") and not tui,
                interface=bool(tui),
            ):
                specs = [
                    ChildSpec("transcription", app(options.get("worker", "worker"))),
                    ChildSpec("assistant", app(options.get("core", "core"))),
                ]
                if tui:
                    specs.append(ChildSpec("tui", app(tui), owns_terminal=True))
                supervisor = Supervisor(
                    specs,
                    placement,
                    ChildConfigured(
                        config={},
                        session_id="first",
                        session_dir=str(root / "first"),
                        resumed=False,
                        source="mic",
                        speed="realtime",
                        offline=True,
                    ),
                    hub,
                    make_session,
                    stop_grace_s=float(str(options.get("grace", 4))),
                    policy=RestartPolicy(int(str(options.get("restarts", 5))), 60),
                    limits=HealthLimits(
                        silent_s=float(str(options.get("silent", 10))),
                        lane_busy_s=float(str(options.get("busy", 120))),
                    ),
                    until_end=bool(options.get("until_end")),
                    clock=clock,
                    terminal=TerminalGuard(1) if tui else None,
                )
                if options.get("control"):
                    ControlReader(None, lambda line: hub.publish(ControlReceived(line=line)))
                return supervisor.run(last=True)
    except AlreadyRunningError:
        return 3


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]), json.loads(sys.argv[2])))
