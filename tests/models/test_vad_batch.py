from __future__ import annotations

import numpy as np
import pytest

from stt_daemon.audio.decode import decode_file
from stt_daemon.audio.vad import FRAME, SileroVad
from tests.unit.audio.speech import JFK


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_streaming_agrees_with_the_batch_form_of_faster_whisper() -> None:
    from faster_whisper.vad import get_vad_model

    samples = decode_file(JFK).astype(np.float32) / 32768
    samples = samples[: len(samples) // FRAME * FRAME]
    streaming = SileroVad().probabilities(samples.reshape(-1, FRAME))
    batch = np.asarray(get_vad_model()(samples.copy())).reshape(-1)
    # The batch form blanks the end of its own last frame, so that one differs.
    assert np.abs(streaming - batch)[:-1].max() < 1e-4
