"""What importing the room loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "src"


@pytest.mark.parametrize(
    ("module", "loads"),
    [("stt_daemon.llm", False), ("stt_daemon.llm.reasoning", False), ("stt_daemon.llm.client", True)],
)
def test_only_the_client_loads_httpx(module: str, loads: bool) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import {module}; sys.exit('httpx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == int(loads)
