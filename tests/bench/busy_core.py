"""How long one turn of the core's loop takes in real minutes, beside a real speech model and a real LLM.

    python -m tests.bench.busy_core FILE... --llm URL [--minutes 10] [--lines 5000]

The program is the real one (supervisor, worker, core, each in its process); only the core's turns are timed.
The files are heard one after the other, over and over, in real time, after `--lines` that were said before.
Chat mode is on, and every 15 seconds something is typed, so that the model is never without work.
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
import wave
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stt_daemon.apps.assistant.core import Core
from stt_daemon.channels import ChildContext
from stt_daemon.config import Config
from stt_daemon.domain import SystemClock
from stt_daemon.logs import log_path, start_logging
from stt_daemon.messages import ChildConfigured, ControlReceived
from stt_daemon.sessions import create_session, read_transcript
from stt_daemon.supervisor.health import HealthLimits
from stt_daemon.supervisor.hub import Hub
from stt_daemon.supervisor.launch import ProcessPlacement
from stt_daemon.supervisor.locks import hold_locks
from stt_daemon.supervisor.output import open_events
from stt_daemon.supervisor.outputs import showing
from stt_daemon.supervisor.placement import ChildSpec
from stt_daemon.supervisor.restart import RestartPolicy
from stt_daemon.supervisor.status import StatusBoard
from stt_daemon.supervisor.supervisor import Supervisor
from stt_daemon.wiring.assistant import AssistantParts
from tests.bench.core_tick import write_journal

TYPED = (
    "What was said about GitHub?",
    "/mark",
    "/find project budget",
    "/note call back",
    "/scope session",
    "Which lines are about the budget?",
    "/command",
    "/scope minutes 2",
    "/export md",
    "/chat",
)
EVERY_S = 15.0
TURNS = "turns.json"


def timed_core(context: ChildContext) -> int:
    """The core as a child, which leaves the seconds of each of its turns in the session's folder."""
    core = Core(context, AssistantParts())
    handle = core.handle
    turns: list[tuple[float, float, str]] = []

    def timed(item: object | None) -> None:
        wall, cpu = time.perf_counter(), time.thread_time()
        handle(item)
        turns.append((time.perf_counter() - wall, time.thread_time() - cpu, type(item).__name__))

    core.handle = timed  # type: ignore[method-assign]
    code = core.run()
    Path(context.configured.session_dir, TURNS).write_text(json.dumps(turns), "utf-8")
    return code


def joined(files: Sequence[Path], seconds: float, target: Path) -> None:
    """One WAV file of at least that many seconds."""
    with wave.open(str(target), "wb") as whole:
        whole.setnchannels(1)
        whole.setsampwidth(2)
        whole.setframerate(16_000)
        while whole.tell() < seconds * 16_000:
            for path in files:
                with wave.open(str(path), "rb") as part:
                    whole.writeframes(part.readframes(part.getnframes()))


def run(files: Sequence[Path], llm: str, minutes: float, lines: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        joined(files, 60 * minutes, root / "talk.wav")
        session = create_session(root, time.time())
        write_journal(session.path, lines)
        config = Config.model_validate(
            {"llm": {"base_url": llm, "timeout_s": 300}, "sessions": {"dir": name}}
        )
        clock = SystemClock()
        hub = Hub(clock)
        over = threading.Event()
        loads: list[float] = []

        def type_lines() -> None:
            hub.publish(ControlReceived(line="/chat"))
            place = 0
            while not over.wait(EVERY_S):
                hub.publish(ControlReceived(line=TYPED[place % len(TYPED)]))
                loads.append(os.getloadavg()[0])
                place += 1

        end = threading.Timer(60 * minutes, lambda: hub.publish(ControlReceived(line="/stop")))
        with hold_locks(root) as locks:
            start_logging(log_path(root, "supervisor"), redirect=False)
            with showing(
                hub,
                lambda folder, seq: read_transcript(folder / "transcript.jsonl", seq),
                clock,
                StatusBoard(root, session.id, session.path),
                events=open_events(root / "events.jsonl"),
            ):
                supervisor = Supervisor(
                    [
                        ChildSpec("transcription"),
                        ChildSpec("assistant", "tests.bench.busy_core:timed_core"),
                    ],
                    ProcessPlacement(root, locks.writers),
                    ChildConfigured(
                        config=config.to_wire(),
                        session_id=session.id,
                        session_dir=str(session.path),
                        resumed=True,
                        source=str(root / "talk.wav"),
                        speed="realtime",
                        offline=True,
                    ),
                    hub,
                    lambda: (session.id, session.path),
                    stop_grace_s=10,
                    policy=RestartPolicy(5, 60),
                    limits=HealthLimits(llm_busy_s=config.llm.timeout_s + 60),
                    until_end=False,
                    clock=clock,
                )
                typist = threading.Thread(target=type_lines, daemon=True)
                typist.start()
                end.start()
                code = supervisor.run(last=True)
                over.set()
        events = [json.loads(line) for line in (root / "events.jsonl").read_text("utf-8").splitlines()]
        turns = json.loads((session.path / TURNS).read_text("utf-8"))
    return {"exit_code": code, "load_median": statistics.median(loads), **measured(turns), **seen(events)}


def measured(turns: Sequence[tuple[float, float, str]]) -> dict[str, Any]:
    walls = sorted(wall for wall, _, _ in turns)
    given = sorted(wall for wall, _, item in turns if item != "NoneType")
    cpus = sorted(cpu for _, cpu, _ in turns)
    longest = sorted(turns, reverse=True)[:5]
    return {
        "turns": len(walls),
        "median_ms": in_ms(statistics.median(walls)),
        "p99_ms": in_ms(walls[int(len(walls) * 0.99)]),
        "p99_of_turns_with_a_message_ms": in_ms(given[int(len(given) * 0.99)]),
        "p99_cpu_ms": in_ms(cpus[int(len(cpus) * 0.99)]),
        "longest": [(in_ms(wall), in_ms(cpu), item) for wall, cpu, item in longest],
    }


def seen(events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    kinds = Counter(event["type"] for event in events)
    states: Counter[str] = Counter()
    last: dict[str, tuple[str, float]] = {}
    for event in events:
        if event["type"] == "lane":
            if event["name"] in last:
                state, since = last[event["name"]]
                states[f"{event['name']} {state}"] += round(event["at"] - since, 1)
            last[event["name"]] = (event["state"], event["at"])
    replies = [e for e in events if e["type"] == "chat" and e["role"] == "assistant" and e["final"]]
    return {
        "events": dict(kinds),
        "lane_seconds": {name: round(seconds) for name, seconds in states.items()},
        "replies": len(replies),
        "median_latency_s": statistics.median(
            [e["latency_s"] for e in events if e["type"] == "utterance" and e.get("latency_s")] or [0]
        ),
    }


def in_ms(seconds: float) -> float:
    return round(1000 * seconds, 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="16 kHz mono WAV")
    parser.add_argument("--llm", required=True, metavar="URL")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--lines", type=int, default=5000)
    options = parser.parse_args()
    result = run(options.files, options.llm, options.minutes, options.lines)
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
