"""Files, place and engine put together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stt_daemon.errors import ModelError
from stt_daemon.lanes.loading import open_engine
from stt_daemon.lanes.model_files import ModelFiles
from stt_daemon.lanes.placement import Placement
from stt_daemon.lanes.speech_engine import SpeechEngine
from stt_daemon.messages import Warned
from tests.fakes.engine import FakeEngine

CPU = (Placement("cpu", "int8"),)
CUT_SHORT = RuntimeError("File model.bin is incomplete: failed to read a buffer of size 1024 at position 12")


class Desk:
    """Two states of the same model: as found, and as fetched again."""

    def __init__(self, *errors: Exception | None, repository: str = "owner/model") -> None:
        self.errors = list(errors)
        self.found = ModelFiles("model", Path("found"), False, repository)
        self.fresh = ModelFiles("model", Path("fresh"), False, repository)
        self.built: list[Path] = []
        self.fetched = 0
        self.notices: list[Warned] = []

    def refetch(self) -> ModelFiles:
        self.fetched += 1
        return self.fresh

    def build(self, files: ModelFiles, place: Placement) -> SpeechEngine:
        self.built.append(files.folder)
        error = self.errors.pop(0) if self.errors else None
        if error is not None:
            raise error
        return FakeEngine()

    def open(self) -> SpeechEngine:
        return open_engine(self.found, self.refetch, self.build, CPU, on_notice=self.notices.append)


def test_whole_files_are_loaded_and_nothing_is_fetched() -> None:
    desk = Desk()
    desk.open()
    assert (desk.built, desk.fetched) == ([Path("found")], 0)


def test_a_model_that_cannot_be_read_to_its_end_is_fetched_once_more() -> None:
    desk = Desk(CUT_SHORT)
    desk.open()
    assert (desk.built, desk.fetched) == ([Path("found"), Path("fresh")], 1)


def test_it_is_not_fetched_a_third_time() -> None:
    desk = Desk(CUT_SHORT, CUT_SHORT)
    with pytest.raises(ModelError, match="fresh"):
        desk.open()
    assert desk.fetched == 1


def test_a_damaged_folder_of_the_users_own_is_left_alone() -> None:
    desk = Desk(CUT_SHORT, repository="")
    with pytest.raises(ModelError, match="found is damaged"):
        desk.open()
    assert desk.fetched == 0


def test_another_loading_error_is_readable_and_fetches_nothing() -> None:
    desk = Desk(RuntimeError("unsupported model architecture"))
    with pytest.raises(ModelError, match="unsupported model architecture"):
        desk.open()
    assert desk.fetched == 0


def test_the_room_can_be_imported_without_a_model_library() -> None:
    code = (
        "import sys, stt_daemon.lanes.whisper, stt_daemon.lanes.loading\n"
        "heavy = {'ctranslate2', 'faster_whisper', 'huggingface_hub', 'tqdm', 'onnxruntime', 'torch'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    source = Path(__file__).parents[3] / "src"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=source,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
