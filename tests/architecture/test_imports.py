"""Who may load what: a fresh interpreter imports one room and tells what came along."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
HEAVY = (
    "torch",
    "ctranslate2",
    "faster_whisper",
    "textual",
    "httpx",
    "laya",
    "onnxruntime",
    "av",
    "sounddevice",
)


def loaded_by(statement: str) -> set[str]:
    """Top-level names of all modules in a fresh interpreter after the statement."""
    script = f"""import sys, json; sys.path.insert(0, {str(SOURCE)!r})
{statement}
print(json.dumps(list(sys.modules)))"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize(
    "room", ["supervisor", "cli", "child", "channels", "sessions", "messages", "config", "logs"]
)
def test_a_room_without_models_loads_no_model_library(room: str) -> None:
    assert not loaded_by(f"import stt_daemon.{room}") & HEAVY


@pytest.mark.parametrize("room", ["audio", "lanes", "wiring", "apps.transcription", "apps.assistant"])
def test_heavy_libraries_are_loaded_where_they_are_used_and_not_on_import(room: str) -> None:
    assert not loaded_by(f"import stt_daemon.{room}") & {
        "torch",
        "ctranslate2",
        "faster_whisper",
        "sounddevice",
    }


def test_the_command_line_answers_without_loading_configuration_or_numbers() -> None:
    names = loaded_by("import stt_daemon.cli")
    assert not names & {"pydantic", "numpy", "platformdirs"}
    assert "click" in names


def test_no_library_code_prints() -> None:
    offenders = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "print(" in path.read_text(encoding="utf-8") and "cli" not in path.relative_to(SOURCE).parts
    ]
    assert offenders == []
