"""Whole-file transcription: the port that jobs use, and the real part behind it.

Live segments are short and decoded one by one; a file is decoded at once, the way Whisper was made for, and
its timestamps give the utterances. The guards against invented text are the same. One thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from stt_daemon.domain import SAMPLE_RATE, Utterance, utterance_id

if TYPE_CHECKING:
    from stt_daemon.config import Config
    from stt_daemon.lanes.guards import Repeats
    from stt_daemon.lanes.speech_engine import Piece, Samples, SpeechEngine
    from stt_daemon.messages import Warned
    from stt_daemon.wiring.long_form import Announcer

OFFLINE_BEAM = 5
"""What `beam_size = 0` means here: nobody waits for the words, so the search may be wide."""

Progress = Callable[[float, float], None]
"""Told how many seconds of the file are done, and how many it has."""


@dataclass(frozen=True)
class OfflineResult:
    """What a file held: utterances in order with times in the file's own seconds, language, length."""

    utterances: tuple[Utterance, ...]
    language: str
    duration_s: float


class OfflineTranscriber(Protocol):
    """Transcribes whole files, one after the other, in the calling thread."""

    def transcribe(self, path: Path, on_progress: Progress) -> OfflineResult:
        """Raises AudioError for what cannot be read, ModelError for what the model cannot do."""


def build_offline(config: Config, on_notice: Callable[[Warned], None]) -> OfflineTranscriber:
    """Load the configured model. `on_notice` hears of fallbacks. Raises ModelError and ConfigError."""
    from stt_daemon.lanes.loading import load_speech_engine
    from stt_daemon.wiring.long_form import Announcer, LongFormEngine

    whisper = config.whisper
    announcer = Announcer()
    engine = load_speech_engine(
        whisper.model,
        device=whisper.device,
        compute_type=whisper.compute_type,
        language=whisper.language,
        on_notice=on_notice,
        build=lambda files, place: LongFormEngine(
            files, place, language=whisper.language, cpu_threads=whisper.cpu_threads, announcer=announcer
        ),
    )
    return WholeFileTranscriber(
        engine,
        announcer,
        beam_size=whisper.beam_size or OFFLINE_BEAM,
        initial_prompt=whisper.initial_prompt,
        hotwords=whisper.hotwords,
        speaker=config.audio.speaker_label,
    )


class WholeFileTranscriber:
    """A speech engine applied to files; each stretch that passes the guards is an utterance."""

    def __init__(
        self,
        engine: SpeechEngine,
        announcer: Announcer,
        *,
        beam_size: int,
        initial_prompt: str,
        hotwords: tuple[str, ...],
        speaker: str,
    ) -> None:
        self._engine = engine
        self._announcer = announcer
        self._beam_size = beam_size
        self._initial_prompt = initial_prompt
        self._hotwords = hotwords
        self._speaker = speaker

    def transcribe(self, path: Path, on_progress: Progress) -> OfflineResult:
        import numpy as np

        from stt_daemon.audio.decode import decode_file
        from stt_daemon.lanes.guards import Repeats

        samples = decode_file(path).astype(np.float32) / np.float32(32768)
        duration = len(samples) / SAMPLE_RATE
        on_progress(0.0, duration)
        self._announcer.listener = lambda seconds: on_progress(min(seconds, duration), duration)
        heard = self._engine.transcribe(
            samples,
            language="",
            beam_size=self._beam_size,
            initial_prompt=self._initial_prompt,
            hotwords=self._hotwords,
        )
        repeats = Repeats()
        utterances: list[Utterance] = []
        for piece in heard.pieces:
            found = self._judged(piece, samples, repeats)
            if found is not None:
                text, flags = found
                utterances.append(
                    self._utterance(len(utterances) + 1, piece, text, flags, heard.language, path)
                )
        on_progress(duration, duration)
        return OfflineResult(tuple(utterances), heard.language if utterances else "", duration)

    def _judged(self, piece: Piece, samples: Samples, repeats: Repeats) -> tuple[str, tuple[str, ...]] | None:
        from stt_daemon.lanes.guards import Evidence, judge_sound, judge_text, measure

        loudness = measure(samples[round(piece.t0 * SAMPLE_RATE) : round(piece.t1 * SAMPLE_RATE)])
        if judge_sound(loudness):
            return None
        evidence = Evidence(
            voiced_s=None,
            level_db=loudness.level_db,
            avg_logprob=piece.avg_logprob,
            no_speech_prob=piece.no_speech_prob,
            compression_ratio=piece.compression_ratio,
        )
        verdict = judge_text(piece.text, evidence, prompt=self._initial_prompt, hotwords=self._hotwords)
        if verdict.dropped or repeats.judge(verdict.text, evidence):
            return None
        return verdict.text, verdict.flags

    def _utterance(
        self, number: int, piece: Piece, text: str, flags: tuple[str, ...], language: str, path: Path
    ) -> Utterance:
        return Utterance(
            id=utterance_id(number),
            seq=number,
            t0=round(piece.t0, 3),
            t1=round(piece.t1, 3),
            wall="",  # nobody knows when the file was recorded
            speaker=self._speaker,
            source=str(path),
            text=text,
            language=language,
            wav="",
            avg_logprob=round(piece.avg_logprob, 4),
            no_speech_prob=round(piece.no_speech_prob, 4),
            flags=flags,
        )
