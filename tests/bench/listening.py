"""How fast and how well a file becomes a transcript, against bare faster-whisper calls in the same run.

    python -m tests.bench.listening FILE [--reference TEXT] [--realtime]

The worker is the real one (listener, detector, journal, lane), only its model is loaded beforehand, because
loading is not what is measured. Full speed: seconds from the first sample to the last utterance, against one
plain beam 5 call on the whole file. Real time: end of speech to `utterance`, against a bare beam 1 call on
each segment.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, TypeVar

import jiwer

from stt_daemon.audio.decode import decode_file
from stt_daemon.audio.wav import read_segment, to_float
from stt_daemon.lanes.loading import load_speech_engine
from stt_daemon.lanes.model_files import find_packaged
from stt_daemon.lanes.speech_engine import Samples, SpeechEngine
from stt_daemon.messages import CaptureChanged, Message, PartialHeard, SourceDrained, UtteranceFinished
from tests.fakes.worker import RunningWorker

M = TypeVar("M", bound=Message)


def words(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9']+", text.lower().replace("-", " ")))


def error_rate(reference: str, text: str) -> float:
    return float(jiwer.wer(words(reference), words(text))) if reference else float("nan")


class Run:
    """The worker over a whole file, with the moment at which each message was published."""

    def __init__(self, path: Path, speed: str, engine: SpeechEngine, *, partials: bool) -> None:
        self.seen: list[tuple[float, Message]] = []
        with tempfile.TemporaryDirectory() as root:
            worker = RunningWorker(
                Path(root),
                lambda: engine,
                source=path,
                speed=speed,
                config={"whisper": {"partials": partials}},
            )
            worker.outbox.patience_s = 900.0
            worker.outbox.watch = lambda message: self.seen.append((time.perf_counter(), message))
            with worker:
                worker.outbox.wait_for(SourceDrained)
                self.segments = {
                    line["wav"]: to_float(read_segment(worker.folder / "audio" / line["wav"]))
                    for line in worker.lines("utterance")
                }

    def moments(self, kind: type[M]) -> list[tuple[float, M]]:
        return [(moment, message) for moment, message in self.seen if isinstance(message, kind)]

    @property
    def utterances(self) -> list[UtteranceFinished]:
        return [utterance for _, utterance in self.moments(UtteranceFinished)]

    @property
    def seconds(self) -> float:
        """From the source being live to the last utterance."""
        live = next(moment for moment, change in self.moments(CaptureChanged) if change.state == "live")
        return self.moments(UtteranceFinished)[-1][0] - live


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--reference", default="", help="the text that is spoken")
    parser.add_argument("--realtime", action="store_true")
    args = parser.parse_args()
    packaged = find_packaged()
    assert packaged is not None, "install the `offline` extra"
    engine = load_speech_engine(offline=True)
    from faster_whisper import WhisperModel

    model = WhisperModel(str(packaged.folder), device="cpu", compute_type="int8")
    sound = to_float(decode_file(args.file))
    list(model.transcribe(sound[:32000], beam_size=1)[0])
    report = realtime(args, engine, model) if args.realtime else full_speed(args, engine, model, sound)
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


def full_speed(args: argparse.Namespace, engine: SpeechEngine, model: Any, sound: Samples) -> dict[str, Any]:
    ours, plain = [], []
    for _ in range(3):
        begin = time.perf_counter()
        text = " ".join(piece.text for piece in model.transcribe(sound, beam_size=5)[0])
        plain.append(time.perf_counter() - begin)
        run = Run(args.file, "max", engine, partials=False)
        ours.append(run.seconds)
    said = " ".join(utterance.text for utterance in run.utterances)
    return {
        "seconds": ours,
        "plain_seconds": plain,
        "ratio": statistics.median(a / b for a, b in zip(ours, plain, strict=True)),
        "wer": error_rate(args.reference, said),
        "plain_wer": error_rate(args.reference, text),
        "text": [utterance.text for utterance in run.utterances],
    }


def realtime(args: argparse.Namespace, engine: SpeechEngine, model: Any) -> dict[str, Any]:
    run = Run(args.file, "realtime", engine, partials=True)
    bare = {}
    for name, samples in run.segments.items():
        begin = time.perf_counter()
        list(model.transcribe(samples, beam_size=1, without_timestamps=True)[0])
        bare[name] = time.perf_counter() - begin
    latencies = [utterance.latency_s or 0.0 for utterance in run.utterances]
    with_partial = [
        any(
            partial.t0 <= utterance.t1 and partial.t1 > utterance.t0
            for _, partial in run.moments(PartialHeard)
        )
        for utterance in run.utterances
        if utterance.t1 - utterance.t0 > 3
    ]
    b = statistics.median(bare.values())
    return {
        "latency_s": latencies,
        "bare_s": list(bare.values()),
        "median_latency_s": statistics.median(latencies),
        "end_silence_plus_1.5_bare_s": 0.7 + 1.5 * b,
        "overhead_over_end_silence_in_bare": (statistics.median(latencies) - 0.7) / b,
        "utterances_over_3_s": len(with_partial),
        "of_these_with_a_partial": sum(with_partial),
        "wer": error_rate(args.reference, " ".join(utterance.text for utterance in run.utterances)),
    }


if __name__ == "__main__":
    main()
