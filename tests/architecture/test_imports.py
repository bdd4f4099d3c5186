"""Who may load what: a fresh interpreter imports one room and tells what came along."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
MODEL_LIBRARIES = {"torch", "ctranslate2", "faster_whisper", "laya", "onnxruntime"}
HEAVY = MODEL_LIBRARIES | {"textual", "httpx", "av", "sounddevice"}
WITHOUT_MODELS = ["supervisor", "cli", "child", "channels", "sessions", "messages", "config", "logs"]
WITH_MODELS = ["audio.listener", "lanes.whisper", "wiring.listening", "apps.transcription", "apps.assistant"]


def loaded_by(statement: str) -> set[str]:
    """Top-level names of all modules in a fresh interpreter after the statement."""
    script = f"""import sys, json; sys.path.insert(0, {str(SOURCE)!r})
{statement}
print(json.dumps(list(sys.modules)))"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize("room", WITHOUT_MODELS)
def test_a_room_without_models_loads_no_heavy_library(room: str) -> None:
    assert not loaded_by(f"import stt_daemon.{room}") & HEAVY


@pytest.mark.parametrize("room", WITH_MODELS)
def test_model_libraries_are_loaded_where_they_are_used_and_not_on_import(room: str) -> None:
    assert not loaded_by(f"import stt_daemon.{room}") & (MODEL_LIBRARIES | {"sounddevice"})


def test_running_the_supervisor_loads_no_numbers_either() -> None:
    rooms = "cli.up", "supervisor.supervisor", "supervisor.launch"
    names = loaded_by("\n".join(f"import stt_daemon.{room}" for room in rooms))
    assert not names & (HEAVY | {"numpy"})


def test_the_interface_loads_no_models_no_numbers_and_no_client() -> None:
    assert not loaded_by("import stt_daemon.apps.tui.main") & (HEAVY - {"textual"} | {"numpy"})
    assert "textual" not in loaded_by("import stt_daemon.apps.tui")


def test_the_command_line_answers_without_loading_configuration_or_numbers() -> None:
    names = loaded_by("import stt_daemon.cli")
    assert "click" in names
    assert not names & {"pydantic", "numpy", "platformdirs"}


@pytest.mark.parametrize("room", ["analyst", "values", "values.calibration", "values.report"])
def test_summary_and_values_need_nothing_but_the_language(room: str) -> None:
    assert not loaded_by(f"import stt_daemon.{room}") & (HEAVY | {"pydantic", "numpy"})


def test_only_the_command_line_prints() -> None:
    offenders = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "cli" not in path.relative_to(SOURCE).parts and " print(" in path.read_text(encoding="utf-8")
    ]
    assert offenders == []


def test_a_module_of_more_than_400_lines_says_why() -> None:
    unexplained = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if len((text := path.read_text(encoding="utf-8")).splitlines()) > 400
        and "Longer than other modules because" not in text
    ]
    assert unexplained == []
