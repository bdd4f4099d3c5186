"""How quickly the transcript pane draws when it holds a whole day, and what that takes in memory.

    python -m tests.bench.tui_lines [--lines 20000] [--size 120x40] [--rounds 200]

Everything but the terminal is real: each figure ends when the bytes of the changed screen are written. The
first frame is counted from the journal on the disk, read and handed over, to the first screen that shows it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from textual import events
from textual.app import App, ComposeResult
from textual.driver import Driver
from textual.geometry import Size

from stt_daemon.apps.tui.transcript import TranscriptPane
from stt_daemon.messages import Message
from stt_daemon.sessions.lines import Written, encode_line, read_transcript
from tests.tui.saying import partial, said, utterance

PATIENCE_S = 30.0


class CountingDriver(Driver):
    """A terminal that takes everything at once and tells when it got something."""

    written = 0

    def write(self, data: str) -> None:
        CountingDriver.written += len(data)

    def start_application_mode(self) -> None:
        width, height = self._size or (80, 24)
        size = Size(width, height)
        self._app.call_later(self._app.post_message, events.Resize(size, size))

    def disable_input(self) -> None: ...

    def stop_application_mode(self) -> None: ...


class Bench(App[dict[str, object]]):
    """Runs the rounds inside the interface's own loop."""

    def __init__(self, journal: Path, lines: int, rounds: int) -> None:
        super().__init__(driver_class=CountingDriver)
        self.pane = TranscriptPane()
        self._journal, self._lines, self._rounds = journal, lines, rounds

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_ready(self) -> None:
        self.run_worker(self._run())

    async def _run(self) -> None:
        await self._painted(lambda: None)
        load = lambda: self.pane.load(read_transcript(self._journal))  # noqa: E731
        figures: dict[str, object] = {
            "lines": self._lines,
            "first_frame_s": round(await self._painted(load), 3),
        }
        self.pane.view.focus()
        await asyncio.sleep(0.2)
        number = self._lines
        at_end, partials, away, scrolls, pages, jumps, resizes = ([] for _ in range(7))
        for turn in range(self._rounds):
            number += 1
            message: Message = partial("and then we", "could say " + "word " * (turn % 9), t0=3.0 * number)
            partials.append(await self._painted(lambda message=message: self.pane.show(message)))
            message = said(
                number, "A new line that says something of the usual length, as lines do, and ends."
            )
            at_end.append(await self._painted(lambda message=message: self.pane.show(message)))
        view = self.pane.view
        for _ in range(self._rounds):
            scrolls.append(await self._painted(lambda: view._scroll_rows(-3)))
        for _ in range(self._rounds):
            pages.append(await self._painted(lambda: view.action_page(-1)))
        for turn in range(self._rounds):
            target = f"u{1 + turn * 7919 % self._lines}"
            jumps.append(await self._painted(lambda target=target: self.pane.jump(target)))
        for _ in range(self._rounds):
            number += 1
            message = said(number, "Another line while one reads further up.")
            away.append(await self._painted(lambda message=message: self.pane.show(message)))
        for turn in range(20):
            width = 60 + turn % 2 * 40
            resizes.append(await self._painted(lambda width=width: self._resize(width)))
        started = time.perf_counter()
        found = self.pane.find("usual length")
        figures["search_ms"] = round(1000 * (time.perf_counter() - started), 1)
        figures["found"] = found
        named = {
            "partial": partials,
            "line_at_end": at_end,
            "line_while_away": away,
            "scroll": scrolls,
            "page": pages,
            "jump": jumps,
            "resize": resizes,
        }
        for name, seconds in named.items():
            figures[f"{name}_ms"] = _spread(seconds)
        self.exit(figures)

    def _resize(self, width: int) -> None:
        size = Size(width, self.size.height)
        self.post_message(events.Resize(size, size))

    async def _painted(self, change: Callable[[], object]) -> float:
        """Seconds from a change to the end of the writing it causes; 0.0 when nothing had to be written."""
        before, started = CountingDriver.written, time.perf_counter()
        change()
        last = started
        while time.perf_counter() - started < PATIENCE_S:
            await asyncio.sleep(0)
            if CountingDriver.written != before:
                before, last = CountingDriver.written, time.perf_counter()
            elif (
                last != started and time.perf_counter() - last > 0.03
            ) or time.perf_counter() - started > 1.0:
                return last - started
        return last - started


def _spread(seconds: list[float]) -> dict[str, float]:
    values = sorted(1000 * value for value in seconds)
    return {
        "median": round(statistics.median(values), 1),
        "p95": round(values[int(0.95 * (len(values) - 1))], 1),
    }


def _write_journal(path: Path, lines: int) -> None:
    with path.open("wb") as file:
        for number in range(1, lines + 1):
            words = "and so on and so forth " * (number % 6)
            line = utterance(number, f"Line {number} is about project {number % 17} {words}.")
            file.write(encode_line(Written(line, "")))


def _memory(lines: int) -> float:
    """Megabytes that the loaded pane holds."""
    tracemalloc.start()
    pane = TranscriptPane()
    before = tracemalloc.get_traced_memory()[0]
    pane.load(utterance(number, f"Line {number} says what lines say " * 3) for number in range(1, lines + 1))
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return round(held / 1e6, 1)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "transcript.jsonl"
        _write_journal(journal, options.lines)
        app = Bench(journal, options.lines, options.rounds)
        figures = asyncio.run(app.run_async(size=(width, height), mouse=False)) or {}
    figures["memory_mb"] = _memory(options.lines)
    json.dump(figures, sys.stdout, indent=1)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
