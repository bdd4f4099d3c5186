"""Streaming speech detection with the Silero model that faster-whisper carries.

Owns the model session and its recurrent state. Used by one thread, the listener's. faster-whisper itself is
never imported here: that costs half a second and holds the interpreter, while sound is already arriving.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stt_daemon.errors import ModelError

FRAME = 512
"""Samples a frame at 16 kHz (32 ms): the only width the model was trained for."""

CONTEXT = 64
"""Samples of the frame before that go in front of each frame."""

_STATE = 128


class SpeechDetector(Protocol):
    """What the listener needs of a detector; a test brings a scripted one."""

    def probabilities(self, frames: NDArray[np.float32]) -> NDArray[np.float32]:
        """How likely each row of shape (n, 512) is speech, 0 to 1, shape (n,). Carries state."""

    def reset(self) -> None:
        """Forget what was heard: the next frame does not follow the last one."""


def bundled_model_path() -> Path:
    """Where the installed faster-whisper keeps its Silero model. Raises ModelError when there is none."""
    spec = importlib.util.find_spec("faster_whisper")
    places = list(spec.submodule_search_locations or []) if spec is not None else []
    for place in places:
        models = sorted((Path(place) / "assets").glob("silero_vad*.onnx"))
        if models:
            return models[-1]
    raise ModelError(
        "the speech detector's model (silero_vad*.onnx) is missing",
        mend="reinstall faster-whisper, which carries it",
    )


class SileroVad:
    """The real detector. 0.2 ms of one core a frame back to back; agrees with the batch form to 1e-4."""

    def __init__(self, path: Path | None = None) -> None:
        import onnxruntime

        path = bundled_model_path() if path is None else path
        options = onnxruntime.SessionOptions()
        # More threads only spin: one frame is far too little work to share.
        options.inter_op_num_threads = 1
        options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 4
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(path), providers=["CPUExecutionProvider"], sess_options=options
            )
        except Exception as error:
            raise ModelError(
                f"the speech detector's model {path.name} cannot be loaded: {error}",
                mend="reinstall faster-whisper, which carries it",
            ) from error
        self.reset()

    def reset(self) -> None:
        self._h = np.zeros((1, 1, _STATE), dtype=np.float32)
        self._c = np.zeros((1, 1, _STATE), dtype=np.float32)
        self._context: NDArray[np.float32] = np.zeros(CONTEXT, dtype=np.float32)

    def probabilities(self, frames: NDArray[np.float32]) -> NDArray[np.float32]:
        if len(frames) == 0:
            return np.zeros(0, dtype=np.float32)
        # The model runs over the rows as over a sequence, so several frames cost one call.
        rows = np.empty((len(frames), CONTEXT + FRAME), dtype=np.float32)
        rows[:, CONTEXT:] = frames
        rows[0, :CONTEXT] = self._context
        rows[1:, :CONTEXT] = frames[:-1, -CONTEXT:]
        self._context = frames[-1, -CONTEXT:].copy()
        output, self._h, self._c = self._session.run(None, {"input": rows, "h": self._h, "c": self._c})
        return np.asarray(output, dtype=np.float32).reshape(-1)
