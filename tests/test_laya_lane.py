"""The pinned package on the multilingual checkpoint: the real one if it is cached here, else a tiny one."""

from __future__ import annotations

import os
import time
from importlib import metadata
from pathlib import Path

import pytest

from stt_daemon.errors import ModelError
from stt_daemon.lanes.hub import HuggingFaceHub
from stt_daemon.lanes.laya_engine import LAYA_REVISION, LAYA_VERSION
from stt_daemon.lanes.laya_files import HUB_FILES, find_checkpoint
from stt_daemon.triage.questions import load_questions
from tests.fakes.tiny_laya import make_checkpoint

EXAMPLE = Path(__file__).parents[1] / "questions.example.json"


def resident_bytes() -> int:
    """The memory of this process; 0 where nothing tells."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf(
            "SC_PAGE_SIZE"
        )
    except OSError:
        return 0


def test_multilingual_pin_lang_and_resources(tmp_path: Path) -> None:
    pytest.importorskip("laya", reason="the extra 'triage' is not installed")
    import laya

    assert metadata.version("laya") == laya.__version__ == LAYA_VERSION == "0.3.20"
    assert LAYA_REVISION == "970dc8c5f63d7b886a68409493f37d569424f933"

    try:
        folder, kind = find_checkpoint("", offline=True, hub=HuggingFaceHub(HUB_FILES)), "published"
    except ModelError:
        folder, kind = make_checkpoint(tmp_path), "tiny"
    questions = load_questions(EXAMPLE)
    assert questions is not None

    before = resident_bytes()
    started = time.perf_counter()
    router = laya.Router(models={"multilingual": str(folder)}, default="multilingual")
    router.preload(["multilingual"])
    loaded = time.perf_counter()
    result = router.predict(
        "- Hemos decidido publicar el viernes.\n- ¿Quién avisa a los clientes?",
        questions.asked,
        model="multilingual",
        lang="es",
    )
    answered = time.perf_counter()

    assert router.loaded == ["multilingual"]
    assert result["routing"]["model"] == "multilingual"
    assert list(result["answers"]) == list(questions.order)
    assert all(0.0 <= answer["answer_confidence"] <= 1.0 for answer in result["answers"].values())
    assert result["usage"]["input_tokens"] > 0
    print(  # noqa: T201 - with `-s` this test is a measurement
        f"\n{kind} checkpoint: loaded in {loaded - started:.2f} s, lang=es answered in "
        f"{(answered - loaded) * 1000:.0f} ms, router.loaded = {router.loaded}, "
        f"resident memory +{(resident_bytes() - before) / 1e6:.0f} MB"
    )
