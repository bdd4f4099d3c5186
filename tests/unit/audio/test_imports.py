from __future__ import annotations

import subprocess
import sys

from tests.unit.audio.speech import ROOT


def test_no_module_of_the_room_loads_a_device_or_model_library() -> None:
    code = (
        "import importlib, pkgutil, sys, stt_daemon.audio as room\n"
        "for module in pkgutil.iter_modules(room.__path__):\n"
        "    importlib.import_module(f'stt_daemon.audio.{module.name}')\n"
        "heavy = ('sounddevice', 'faster_whisper', 'ctranslate2', 'onnxruntime', 'av')\n"
        "print([name for name in heavy if name in sys.modules])"
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
