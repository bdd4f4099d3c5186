"""How long one turn of the core's loop takes while everything is busy: nobody may wait for it.

    python -m tests.bench.core_tick [--minutes 10] [--lines 5000] [--speed 60]

The core is the real one with its real files, index and lane; the language model streams without a pause.
Minutes are minutes of the meeting, played `--speed` times as fast; `--lines` were said before it begins.
Every five seconds somebody speaks in chat mode, and a command, a search, a note or a question is typed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from stt_daemon.messages import (
    ControlReceived,
    LagChanged,
    PartialHeard,
    SourceAdvanced,
    SpeechChanged,
    TurnEnded,
)
from stt_daemon.sessions import Journal, create_session
from tests.fakes.core import RunningCore, said
from tests.fakes.generator import FakeGenerator

REPLY = "The budget was agreed on [u7], and the rest is to follow next week [u12]. " * 8
TYPED = ("/mark", "/find budget", "/note call back", "What was agreed?", "/scope all", "/scope minutes 15")


def write_journal(folder: Path, lines: int) -> None:
    journal = Journal.open(folder / "transcript.jsonl")
    for seq in range(1, lines + 1):
        line = said(seq, f"Line {seq} is about the budget of project {seq % 17} and about nothing else.")
        journal.append_utterance(
            t0=line.t0,
            t1=line.t1,
            wall=line.wall[:14] + f"{seq // 60 % 60:02d}:{seq % 60:02d}" + line.wall[19:],
            speaker=line.speaker,
            source=line.source,
            text=line.text,
            language="en",
            wav=f"{seq:06d}-000-speech.wav",
            avg_logprob=-0.2,
            no_speech_prob=0.0,
        )
    journal.close()


def run(minutes: float, lines: int, speed: float) -> dict[str, object]:
    durations: list[float] = []
    with tempfile.TemporaryDirectory() as root:
        session = create_session(Path(root), time.time())
        write_journal(session.path, lines)
        generator = FakeGenerator(standing=REPLY, window=16_384)
        core = RunningCore(Path(root), generator, folder=session.path, resumed=True)
        handle = core.core.handle

        def timed(item: object | None) -> None:
            begun = time.perf_counter()
            handle(item)
            durations.append(time.perf_counter() - begun)

        core.core.handle = timed  # type: ignore[method-assign]
        pause = threading.Event()
        with core:
            core.types("/chat")
            begins, beat = 5.0 * (lines + 1), 0
            seq = lines
            while beat < minutes * 600:
                beat += 1
                t = begins + beat / 10
                if beat % 50 == 0:
                    seq += 1
                    line = said(seq, f"And now line {seq}, again about the budget and some more.", t0=t)
                    core.inbox.put(SpeechChanged(state="start", t=t))
                    core.inbox.put(line)
                    core.inbox.put(SpeechChanged(state="end", t=t + 1))
                    core.inbox.put(ControlReceived(line=TYPED[beat // 50 % len(TYPED)]))
                core.inbox.put(LagChanged(seconds=0.0))
                core.inbox.put(PartialHeard(utterance="u1", committed="so", tentative="far", t0=t, t1=t))
                core.inbox.put(SourceAdvanced(t=t, live=True))
                pause.wait(0.1 / speed)
            core.stop(30.0)
        turns = len(core.outbox.of(TurnEnded))
    ordered = sorted(durations)
    return {
        "turns_of_the_loop": len(ordered),
        "turns_of_speech": turns,
        "calls_of_the_model": len(generator.requests),
        "median_ms": round(1000 * statistics.median(ordered), 3),
        "p99_ms": round(1000 * ordered[int(len(ordered) * 0.99)], 3),
        "longest_ms": round(1000 * ordered[-1], 3),
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--speed", type=float, default=60.0)
    options = parser.parse_args()
    result = run(options.minutes, options.lines, options.speed)
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
