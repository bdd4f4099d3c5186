"""What `doctor` asks of the machine, as functions that can be replaced one by one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stt_daemon.domain import SAMPLE_RATE, SystemClock
from stt_daemon.errors import AudioError, ConfigError

if TYPE_CHECKING:
    from stt_daemon.audio.device_names import InputDevice
    from stt_daemon.config import Config

log = logging.getLogger(__name__)

LLM_PATIENCE_S = 5.0
"""A server on this machine answers in milliseconds, one elsewhere in a second."""


@dataclass(frozen=True)
class LevelProbe:
    """What a second of listening gave: loudness in dBFS, and whether it was exact zeros or clipped."""

    device: str
    db: float
    digital_silence: bool
    clipping: bool


@dataclass(frozen=True)
class LoadedModel:
    """A model that was loaded and warmed. `transcribe` takes a file and returns its length in seconds."""

    name: str
    transcribe: Callable[[Path], float]


@dataclass(frozen=True)
class LlmServer:
    """A language model server that answered. `context_tokens` is None when neither it nor the configuration
    tells, `warning` what is odd about the configuration.
    """

    address: str
    kind: str
    model: str
    context_tokens: int | None
    warning: str = ""


@dataclass(frozen=True)
class Probes:
    """Each may raise any SttDaemonError; its message is the finding.

    `portaudio` names the library's version; `devices` gets what it returned; `level` listens for about a
    second to the configured device; `laya` tells what triage would work with, "" when it is switched off.
    """

    portaudio: Callable[[], str]
    devices: Callable[[], Sequence[InputDevice]]
    level: Callable[[], LevelProbe]
    model: Callable[[], LoadedModel]
    llm: Callable[[], LlmServer]
    laya: Callable[[], str]


def build_probes(config: Config) -> Probes:
    """The real machine, under this configuration."""
    from stt_daemon.audio.portaudio import list_devices

    return Probes(
        portaudio=_portaudio_version,
        devices=list_devices,
        level=lambda: _listen(config.audio.device),
        model=lambda: _load_model(config),
        llm=lambda: _ask_llm(config),
        laya=lambda: _find_laya(config),
    )


def _portaudio_version() -> str:
    from stt_daemon.audio.portaudio import load_portaudio

    load_portaudio()
    import sounddevice

    return str(sounddevice.get_portaudio_version()[1])


def _listen(device: str) -> LevelProbe:
    """Record for a second. Raises AudioError when no sound arrives in time."""
    from stt_daemon.audio.monitor import DIGITAL_SILENCE
    from stt_daemon.audio.probe import probe_level

    heard = probe_level(device, seconds=1.0)
    if heard.db is None:
        raise AudioError(f"{heard.device}: {heard.reason}")
    return LevelProbe(heard.device, heard.db, heard.reason == DIGITAL_SILENCE, heard.clipping)


def _find_laya(config: Config) -> str:
    """Look for the package, the questions and the checkpoint, without loading or fetching any.

    Raises ModelError for what is missing, ConfigError for questions that cannot be used.
    """
    if not config.triage.enabled:
        return ""
    from stt_daemon.lanes.hub import HuggingFaceHub
    from stt_daemon.lanes.laya_engine import LAYA_VERSION, require_package
    from stt_daemon.lanes.laya_files import HUB_FILES, find_checkpoint
    from stt_daemon.triage.questions import QuestionsProblem
    from stt_daemon.wiring.triage import configured_questions

    require_package()
    questions = configured_questions(config)
    if isinstance(questions, QuestionsProblem):
        raise ConfigError(questions.reason)
    folder = find_checkpoint(config.triage.checkpoint_dir, offline=True, hub=HuggingFaceHub(HUB_FILES))
    return f"Laya {LAYA_VERSION}, {len(questions.order)} questions, checkpoint in {folder}"


def _ask_llm(config: Config) -> LlmServer:
    """Ask the server about itself. Raises LlmError."""
    from stt_daemon.wiring.llm import build_llm_client

    warnings: list[str] = []
    client = build_llm_client(
        config,
        clock=SystemClock(),
        on_progress=lambda text: log.info("%s", text),
        on_warning=lambda code, message: warnings.append(message),
    )
    try:
        facts = client.facts(timeout_s=LLM_PATIENCE_S)
        return LlmServer(client.address, facts.kind, facts.model, facts.context_tokens, "; ".join(warnings))
    finally:
        client.close()


def _load_model(config: Config) -> LoadedModel:
    """The live engine with its live settings: that is what has to keep up."""
    import numpy as np

    from stt_daemon.audio.decode import decode_file
    from stt_daemon.lanes.hub import HuggingFaceHub
    from stt_daemon.lanes.loading import load_speech_engine
    from stt_daemon.lanes.model_files import HubError

    class DiskOnlyHub(HuggingFaceHub):
        """A question about this machine must not start a download of half a gigabyte."""

        def fetch(self, repository: str, *, again: bool) -> Path:
            raise HubError("doctor downloads nothing")

    whisper = config.whisper
    engine = load_speech_engine(
        whisper.model,
        device=whisper.device,
        compute_type=whisper.compute_type,
        cpu_threads=whisper.cpu_threads,
        hub=DiskOnlyHub(),
        on_notice=lambda notice: log.warning("%s", notice.message),
    )

    def transcribe(clip: Path) -> float:
        samples = decode_file(clip).astype(np.float32) / np.float32(32768)
        engine.transcribe(
            samples,
            language=whisper.language,
            beam_size=max(1, whisper.beam_size),
            initial_prompt=whisper.initial_prompt,
            hotwords=whisper.hotwords,
            window=whisper.window,
        )
        return len(samples) / SAMPLE_RATE

    return LoadedModel(engine.description, transcribe)
