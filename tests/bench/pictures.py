"""Takes the pictures of docs/pictures from the running interface.

    python -m tests.bench.pictures [FILE] [--out docs/pictures] [--llm URL] [--after 30]

Supervisor, worker, core and interface are the real ones, in this process; the worker transcribes FILE (the
shipped clip by default) in real time with the packaged model. Without `--llm` a scripted server answers the
question, and what a triage would show is scripted too, because a checkpoint of it may not be at hand. An SVG
is what the terminal shows: nothing in it is drawn by hand.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from stt_daemon.apps.tui.app import SttApp
from stt_daemon.apps.tui.bridge import Bridge
from stt_daemon.channels import ChildContext
from stt_daemon.config import Config
from stt_daemon.domain import SystemClock
from stt_daemon.messages import (
    CaptureChanged,
    ChildConfigured,
    ChildStopped,
    CoverageChanged,
    TriageChanged,
    TriageStateChanged,
)
from stt_daemon.sessions import create_session
from stt_daemon.supervisor.hub import Hub
from stt_daemon.supervisor.placement import ChildSpec, ThreadPlacement
from stt_daemon.supervisor.supervisor import Supervisor
from tests.fakes.llm_server import DONE, LlmServer, chunk, frame, stream, usage
from tests.process.running import CLIP

QUESTION = "What is this about?"
ANSWER = "The speaker **introduces** a library [u2]:\n\n- it transcribes speech *as it is spoken* [u3]"
_OUT, _AFTER = "STT_PICTURES_OUT", "STT_PICTURES_AFTER"
_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def photographer(context: ChildContext) -> int:
    """The child `tui`: the interface without a terminal, and somebody who presses keys and takes pictures."""
    asyncio.run(_take_pictures(context))
    context.outbox.publish(ChildStopped(name=context.name))
    return 0


async def _take_pictures(context: ChildContext) -> None:
    out, after_s = Path(os.environ[_OUT]), float(os.environ[_AFTER])
    told = threading.Event()
    app = SttApp(
        Config.from_wire(context.configured.config),
        context.outbox,
        context.clock,
        bridge=Bridge(context, told.set),
        session=context.configured.session_id,
    )
    async with app.run_test(size=(120, 34), notifications=True) as pilot:

        async def take(name: str) -> None:
            await pilot.pause(0.3)
            svg = _FONT.sub("", app.export_screenshot(title="stt-daemon"))
            svg = svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")
            await asyncio.to_thread((out / f"{name}.svg").write_text, svg, "utf-8")

        async def until_lines(count: int) -> None:
            while len(app.transcript.view.entries) < count:
                await pilot.pause(0.1)

        await until_lines(1)
        await pilot.press("c")
        app.chat.entry.value = QUESTION
        await pilot.press("enter", "escape", "i", "tab")
        started = time.monotonic()
        await until_lines(3)
        while time.monotonic() - started < after_s:
            await pilot.pause(0.2)
        for message in _triage():
            app.show(message)
        await take("interface")
        await pilot.press("question_mark")
        await take("keys")
        await pilot.press("escape")
        app.show(CaptureChanged(state="lost", device="USB Microphone", rate=48_000, reason="unplugged"))
        await take("not-recording")
        await pilot.resize_terminal(44, 14)
        await take("narrow")
        await pilot.resize_terminal(120, 34)
        await pilot.press("q")
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.to_thread(told.wait, 30.0), 30.0)


def _triage() -> Iterator[TriageStateChanged | TriageChanged | CoverageChanged]:
    """The form of a triage; its numbers are made up."""
    items = (
        {"qid": "decision", "type": "choice", "selected": "made", "confidence": 0.91, "flagged": False},
        {"qid": "blocker", "type": "noul", "p": 0.72, "confidence": 0.9, "flagged": True},
        {"qid": "urgency", "type": "score", "expected": 1.2, "level": 1, "label": "soon", "flagged": False,
         "confidence": 0.8},
    )  # fmt: skip
    order = tuple(str(item["qid"]) for item in items)
    brief = "Summary:\nA library is shown that transcribes speech as it is spoken.\n\nOpen questions:\n- none"
    yield TriageStateChanged(state="ok", questions={})
    yield TriageChanged(stage="content", ts=time.time(), order=order, items=items, brief=brief)
    yield CoverageChanged(through="u2", pending=1)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", default=str(CLIP))
    parser.add_argument("--out", type=Path, default=Path("docs/pictures"))
    parser.add_argument("--llm", default="")
    parser.add_argument("--after", type=float, default=12.0, help="seconds between question and picture")
    options = parser.parse_args()
    # A child's app is named by its path and gets no arguments.
    os.environ.update({_OUT: str(options.out), _AFTER: str(options.after)})
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as root, LlmServer() as server:
        server.llama()
        pieces = [chunk("", role="assistant"), chunk(ANSWER), chunk(finish="stop"), usage(4000, 40)]
        server.chat(*[stream([*map(frame, pieces), DONE]) for _ in range(20)])
        return _run(Path(root), options.file, options.llm or server.url)


def _run(root: Path, source: str, llm: str) -> int:
    clock = SystemClock()
    folder = create_session(root, time.time())
    config = Config.model_validate({"triage": {"enabled": True}, "llm": {"base_url": llm}})
    supervisor = Supervisor(
        [
            ChildSpec("transcription"),
            ChildSpec("assistant"),
            ChildSpec("tui", "tests.bench.pictures:photographer"),
        ],
        ThreadPlacement(clock),
        ChildConfigured(
            config=config.to_wire(),
            session_id=folder.id,
            session_dir=str(folder.path),
            resumed=False,
            source=source,
            speed="realtime",
            offline=True,
        ),
        Hub(clock),
        lambda: (folder.id, folder.path),
        clock=clock,
    )
    return supervisor.run()


if __name__ == "__main__":
    sys.exit(main())
