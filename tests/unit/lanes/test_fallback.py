"""An engine that moves when its place gives way. The error texts are those of CTranslate2 and its loader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from stt_daemon.errors import ModelError
from stt_daemon.lanes.fallback import FallbackEngine
from stt_daemon.lanes.placement import Placement, next_place, places, trouble_of
from stt_daemon.lanes.speech_engine import Heard, SpeechEngine
from stt_daemon.messages import Warned
from tests.fakes.engine import FakeEngine, heard

GPU_HALF = Placement("cuda", "float16")
GPU_MIXED = Placement("cuda", "int8_float16")
CPU = Placement("cpu", "int8")
EVERYWHERE = (GPU_HALF, GPU_MIXED, CPU)

NO_CUBLAS = RuntimeError("Library libcublas.so.12 is not found or cannot be loaded")
NO_CUDNN = RuntimeError("Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9}")
NO_MEMORY = RuntimeError("CUDA failed with error out of memory")
BLAS_MEMORY = RuntimeError("cuBLAS failed with status CUBLAS_STATUS_ALLOC_FAILED")
OLD_DRIVER = RuntimeError(
    "CUDA failed with error CUDA driver version is insufficient for CUDA runtime version"
)
NO_HALF = ValueError(
    "Requested float16 compute type, but the target device or backend do not support efficient float16 "
    "computation."
)

AUDIO = np.zeros(16_000, np.float32)


class Workshop:
    """Builds fake engines: what each place answers, and which places were used."""

    def __init__(self, **answers: Heard | Exception) -> None:
        self.answers = answers
        self.built: list[Placement] = []
        self.notices: list[Warned] = []
        self.at_build: Callable[[Placement], None] = lambda _place: None

    def build(self, place: Placement) -> SpeechEngine:
        self.built.append(place)
        self.at_build(place)
        answer = self.answers.get(f"{place.device}_{place.compute_type}", heard("text"))
        return FakeEngine(answer, description=str(place))

    def engine(self, where: tuple[Placement, ...] = EVERYWHERE, marker: Path | None = None) -> FallbackEngine:
        return FallbackEngine(self.build, where, on_notice=self.notices.append, marker=marker)


def say(engine: FallbackEngine) -> str:
    return engine.transcribe(AUDIO, language="en").text


@pytest.mark.parametrize("error", [NO_CUBLAS, NO_CUDNN, OLD_DRIVER])
def test_a_missing_cuda_library_moves_the_same_audio_to_the_processor(error: Exception) -> None:
    shop = Workshop(cuda_float16=error)
    engine = shop.engine()
    assert say(engine) == "text"
    assert shop.built == [GPU_HALF, CPU]
    assert engine.description == "int8 on cpu"
    assert [notice.code for notice in shop.notices] == ["cuda"]
    assert str(error) in shop.notices[0].message


@pytest.mark.parametrize("error", [NO_MEMORY, BLAS_MEMORY])
def test_a_full_gpu_is_tried_in_the_smaller_format_and_then_left(error: Exception) -> None:
    shop = Workshop(cuda_float16=error, cuda_int8_float16=error)
    assert say(shop.engine()) == "text"
    assert shop.built == [GPU_HALF, GPU_MIXED, CPU]
    assert [notice.code for notice in shop.notices] == ["memory"]


def test_trouble_while_loading_moves_too() -> None:
    shop = Workshop()

    def refuse(place: Placement) -> None:
        if place == GPU_HALF:
            raise NO_HALF

    shop.at_build = refuse
    engine = shop.engine()
    assert engine.place == GPU_MIXED
    assert [notice.code for notice in shop.notices] == ["compute_type"]


def test_the_engine_stays_where_it_moved_and_says_so_once() -> None:
    shop = Workshop(cuda_float16=NO_CUBLAS)
    engine = shop.engine()
    assert [say(engine) for _ in range(3)] == ["text"] * 3
    assert len(shop.built) == 2
    assert len(shop.notices) == 1


def test_the_poisoned_engine_is_let_go() -> None:
    import weakref

    shop = Workshop(cuda_float16=NO_CUBLAS)
    alive: list[weakref.ref[SpeechEngine]] = []
    build = shop.build

    def remember(place: Placement) -> SpeechEngine:
        engine = build(place)
        assert all(ref() is None for ref in alive), "two models at once"
        alive.append(weakref.ref(engine))
        return engine

    engine = FallbackEngine(remember, EVERYWHERE, on_notice=shop.notices.append)
    say(engine)
    assert [ref() is None for ref in alive] == [True, False]


def test_with_nowhere_left_the_error_is_readable() -> None:
    engine = Workshop(cpu_int8=RuntimeError("std::bad_alloc")).engine((CPU,))
    with pytest.raises(ModelError, match="int8 on cpu") as caught:
        say(engine)
    assert "smaller" in caught.value.mend


def test_any_other_error_passes_through() -> None:
    shop = Workshop(cuda_float16=RuntimeError("the features have the wrong shape"))
    with pytest.raises(RuntimeError, match="wrong shape"):
        say(shop.engine())
    assert shop.built == [GPU_HALF]


def test_a_marker_stands_only_while_the_gpu_is_first_used(tmp_path: Path) -> None:
    marker = tmp_path / "gpu-first-use"
    shop = Workshop()
    seen: list[bool] = []
    shop.at_build = lambda _place: seen.append(marker.exists())
    shop.engine(marker=marker)
    assert seen == [True]
    assert not marker.exists()


def test_a_marker_that_was_left_behind_keeps_off_the_gpu_and_names_the_cause(tmp_path: Path) -> None:
    marker = tmp_path / "gpu-first-use"
    marker.write_text("")
    shop = Workshop()
    assert shop.engine(marker=marker).place == CPU
    assert shop.built == [CPU]
    assert "cuDNN" in shop.notices[0].message
    assert str(marker) in shop.notices[0].message
    assert marker.exists()


def test_an_error_that_is_raised_leaves_no_marker(tmp_path: Path) -> None:
    marker = tmp_path / "gpu-first-use"
    shop = Workshop()

    def refuse(place: Placement) -> None:
        if place.device == "cuda":
            raise NO_CUBLAS

    shop.at_build = refuse
    assert shop.engine(marker=marker).place == CPU
    assert not marker.exists()


FORMATS = {
    "cuda": {"float16", "int8_float16", "int8", "float32"},
    "cpu": {"int8", "int8_float32", "float32"},
}


def test_auto_is_half_floats_on_a_gpu_and_int8_on_the_processor() -> None:
    found, note = places("auto", "auto", gpus=1, supported=FORMATS.__getitem__)
    assert (found[0], note) == (GPU_HALF, "")
    assert places("auto", "auto", gpus=0, supported=FORMATS.__getitem__)[0][0] == CPU


def test_an_unsupported_format_is_replaced_with_one_note() -> None:
    found, note = places("cpu", "float16", gpus=0, supported=FORMATS.__getitem__)
    assert found[0] == CPU
    assert note == "float16 is not supported on cpu; using int8"


def test_a_supported_wish_comes_first() -> None:
    found, note = places("cpu", "float32", gpus=0, supported=FORMATS.__getitem__)
    assert (found[0], note) == (Placement("cpu", "float32"), "")


def test_a_gpu_that_is_wanted_and_missing_is_said() -> None:
    found, note = places("cuda", "auto", gpus=0, supported=FORMATS.__getitem__)
    assert found[0] == CPU
    assert "no usable CUDA device" in note


def test_the_processor_is_never_left_for_a_gpu() -> None:
    assert next_place(EVERYWHERE, CPU, "memory") is None


def test_cuda_words_mean_nothing_on_the_processor() -> None:
    assert trouble_of(NO_CUBLAS, "cpu") is None
    assert trouble_of(MemoryError(), "cpu") == "memory"
