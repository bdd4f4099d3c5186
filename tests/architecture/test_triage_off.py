"""With triage switched off nothing of the classifier is loaded, and the core says what it said before."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
import json, sys
from pathlib import Path
from tests.fakes.core import RunningCore

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "laya", "transformers"):
            tried.append(name)
        return None

tried = []
sys.meta_path.insert(0, Forbidden())
with RunningCore(Path(sys.argv[1]), config={"triage": {"enabled": False}}) as core:
    core.hears("The launch is on Friday.")
    core.types("When is the launch?", "/triage on", "/clear")
    core.replied()
    core.command("clear", "done")
    core.stop()
print(json.dumps([tried, [message.topic for message in core.outbox.messages]]))
"""


def test_with_enabled_false_neither_torch_nor_laya_is_looked_for(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    tried, topics = json.loads(done.stdout.splitlines()[-1])
    assert tried == []
    before = {"ready", "mode", "toggle", "lane", "turn", "chat", "command", "warning", "heartbeat", "stopped"}
    assert set(topics) <= before
