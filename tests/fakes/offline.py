"""A transcriber of whole files that reads its script instead of sound."""

from __future__ import annotations

from pathlib import Path

from stt_daemon.domain import Utterance
from stt_daemon.errors import AudioError
from stt_daemon.wiring.offline import OfflineResult, Progress


class FakeTranscriber:
    """Answers with what a file's name was given; an exception there is raised."""

    def __init__(self, script: dict[str, list[Utterance] | Exception]) -> None:
        self.script = script
        self.asked: list[Path] = []

    def transcribe(self, path: Path, on_progress: Progress) -> OfflineResult:
        self.asked.append(path)
        answer = self.script.get(path.name, AudioError(f"{path} holds no sound"))
        if isinstance(answer, Exception):
            raise answer
        on_progress(0.0, 11.0)
        on_progress(11.0, 11.0)
        return OfflineResult(tuple(answer), "en", 11.0)
