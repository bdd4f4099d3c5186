"""The same apps and the same loop, with the children in threads of this process."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from pathlib import Path

from stt_daemon.domain import SystemClock
from stt_daemon.messages import ChildChanged, ChildConfigured, Failed, Message, TurnEnded
from stt_daemon.supervisor.hub import Hub
from stt_daemon.supervisor.placement import ChildSpec, ThreadPlacement
from stt_daemon.supervisor.restart import RestartPolicy
from stt_daemon.supervisor.supervisor import Supervisor
from tests.process.running import environment

APPS = "tests.fakes.child_apps"
PATIENCE_S = 10.0


def run(worker: str, core: str, until: type[Message]) -> tuple[int | None, list[Message]]:
    """Run both apps until a message of that kind is shown, then stop; the exit code and what was shown."""
    clock = SystemClock()
    hub = Hub(clock)
    shown: queue.Queue[Message] = queue.Queue()
    hub.attach("output", lambda frame: shown.put(frame.message()))
    supervisor = Supervisor(
        [ChildSpec("transcription", f"{APPS}:{worker}"), ChildSpec("assistant", f"{APPS}:{core}")],
        ThreadPlacement(clock),
        ChildConfigured(
            config={},
            session_id="s",
            session_dir="/s",
            resumed=False,
            source="mic",
            speed="realtime",
            offline=True,
        ),
        hub,
        lambda: ("second", Path("/second")),
        policy=RestartPolicy(restarts=1),
        stop_grace_s=2.0,
    )
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(supervisor.run()), daemon=True)
    thread.start()
    messages = []
    while not messages or not isinstance(messages[-1], until):
        messages.append(shown.get(timeout=PATIENCE_S))
    supervisor.request_stop("enough")
    thread.join(PATIENCE_S)
    while not shown.empty():
        messages.append(shown.get())
    return (codes[0] if codes else None), messages


def test_threads_talk_and_stop_like_processes() -> None:
    code, messages = run("worker", "core", TurnEnded)
    assert code == 0
    ends = [(m.name, m.state) for m in messages if isinstance(m, ChildChanged)]
    assert ends[-4:] == [
        ("transcription", "draining"),
        ("transcription", "stopped"),
        ("assistant", "draining"),
        ("assistant", "stopped"),
    ]


def test_a_crashed_thread_is_started_again_then_given_up() -> None:
    code, messages = run("crashing", "core", Failed)
    assert code == 1
    states = [m.state for m in messages if isinstance(m, ChildChanged) and m.name == "transcription"]
    assert states == ["starting", "ready", "backoff", "starting", "ready", "failed"]


def test_a_stubborn_thread_is_left_behind_within_the_grace() -> None:
    code, messages = run("stubborn", "core", ChildChanged)
    assert code == 0
    assert ("transcription", "stopped") in [
        (m.name, m.state) for m in messages if isinstance(m, ChildChanged)
    ]


def test_the_supervisor_loads_nothing_that_could_bring_it_down() -> None:
    heavy = ["numpy", "torch", "ctranslate2", "faster_whisper", "textual", "httpx", "av", "sounddevice"]
    code = (
        "import pkgutil, importlib, sys, stt_daemon.supervisor as room\n"
        "for module in pkgutil.iter_modules(room.__path__, room.__name__ + '.'):\n"
        "    importlib.import_module(module.name)\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout.strip() == "[]"
