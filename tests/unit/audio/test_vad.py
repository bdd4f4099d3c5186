from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stt_daemon.audio.decode import decode_file
from stt_daemon.audio.vad import FRAME, SileroVad, bundled_model_path
from stt_daemon.errors import ModelError
from tests.unit.audio.speech import JFK, ROOT


@pytest.fixture(scope="module")
def speech() -> np.ndarray:
    samples = decode_file(JFK)
    whole = len(samples) // FRAME
    return samples[: whole * FRAME].reshape(whole, FRAME).astype(np.float32) / 32768


def test_frame_by_frame_gives_what_one_call_gives(speech: np.ndarray) -> None:
    together = SileroVad().probabilities(speech)
    detector = SileroVad()
    apart = np.concatenate([detector.probabilities(frame[None]) for frame in speech])
    assert together.shape == (len(speech),)
    assert np.abs(together - apart).max() < 1e-4


def test_a_reset_forgets_what_was_heard(speech: np.ndarray) -> None:
    detector = SileroVad()
    first = detector.probabilities(speech[:50])
    assert np.abs(first - detector.probabilities(speech[:50])).max() > 1e-3
    detector.reset()
    assert np.abs(first - detector.probabilities(speech[:50])).max() < 1e-6


def test_no_frames_give_no_probabilities() -> None:
    assert SileroVad().probabilities(np.zeros((0, FRAME), np.float32)).shape == (0,)


def test_a_model_that_cannot_be_loaded_names_its_file(tmp_path: Path) -> None:
    broken = tmp_path / "silero_vad_v6.onnx"
    broken.write_bytes(b"not a model")
    with pytest.raises(ModelError, match=r"silero_vad_v6\.onnx"):
        SileroVad(broken)


def test_the_model_is_found_without_importing_the_library_that_carries_it() -> None:
    code = (
        "import sys; from stt_daemon.audio.vad import SileroVad; SileroVad();"
        "print([m for m in ('faster_whisper', 'ctranslate2', 'av', 'sounddevice') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
    )
    assert result.stdout.strip() == "[]"
    assert bundled_model_path().exists()
