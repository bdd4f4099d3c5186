from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from stt_daemon.channels import Frame
from stt_daemon.messages import (
    CaptureChanged,
    ChildChanged,
    CoverageChanged,
    LagChanged,
    LaneChanged,
    Message,
    ModeChanged,
    SessionChanged,
    TriageStateChanged,
)
from stt_daemon.supervisor.locks import hold_locks
from stt_daemon.supervisor.routing import destinations
from stt_daemon.supervisor.status import STATUS_FILE, StatusBoard, apply, idle_status, read_status

KEYS = [
    "running",
    "pid",
    "session",
    "mode",
    "children",
    "lanes",
    "capture",
    "lag_s",
    "triage_state",
    "triage_reason",
    "questions",
    "coverage",
]


def after(*messages: Message) -> dict[str, object]:
    status = idle_status()
    for message in messages:
        apply(status, message)
    return status


def test_the_status_has_its_documented_keys() -> None:
    assert list(idle_status()) == KEYS


def test_states_are_shown_by_name() -> None:
    status = after(
        ChildChanged(name="assistant", state="ready"),
        LaneChanged(name="whisper", state="busy", depth=2),
        CaptureChanged(state="lost", device="USB microphone", rate=48000, reason="unplugged"),
        LagChanged(seconds=3.14),
        SessionChanged(state="opened", id="s", dir="/s"),
    )
    assert status["children"] == {"assistant": {"state": "ready", "reason": ""}}
    assert status["lanes"] == {"whisper": {"state": "busy", "depth": 2, "reason": ""}}
    assert status["capture"] == {
        "state": "lost",
        "device": "USB microphone",
        "rate": 48000,
        "reason": "unplugged",
    }
    assert status["lag_s"] == 3.1
    assert status["session"] == {"id": "s", "dir": "/s"}


@pytest.mark.parametrize("state", ["backoff", "failed", "stopped"])
def test_a_dead_worker_is_not_shown_as_recording(state: str) -> None:
    status = after(
        CaptureChanged(state="live", device="fake", rate=16000),
        LaneChanged(name="whisper", state="ready"),
        ChildChanged(name="transcription", state=state),  # type: ignore[arg-type]
    )
    assert status["capture"] is None
    assert status["lanes"] == {}


def test_the_file_follows_what_happens_and_is_gone_at_the_end(tmp_path: Path) -> None:
    with hold_locks(tmp_path):
        board = StatusBoard(tmp_path, "s", tmp_path / "s")
        first = read_status(tmp_path)
        assert (first["running"], first["pid"]) == (True, os.getpid())
        assert first["session"] == {"id": "s", "dir": str(tmp_path / "s")}
        board.offer(Frame.of(ChildChanged(name="assistant", state="ready")))
        pause = threading.Event()
        while not read_status(tmp_path)["children"]:
            pause.wait(0.01)
        assert (tmp_path / STATUS_FILE).stat().st_mode & 0o777 == 0o600
        board.finish()
        assert [path.name for path in tmp_path.iterdir() if "status" in path.name] == []


def test_what_a_killed_instance_left_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / STATUS_FILE).write_text(json.dumps({"running": True, "pid": 1}), "utf-8")
    assert read_status(tmp_path) == idle_status()


def test_a_file_of_another_instance_or_a_torn_one_is_not_shown(tmp_path: Path) -> None:
    with hold_locks(tmp_path):
        for text in (json.dumps({"pid": 1, "lag_s": 9.0}), "{", "[]"):
            (tmp_path / STATUS_FILE).write_text(text, "utf-8")
            status = read_status(tmp_path)
            assert (status["running"], status["pid"], status["lag_s"]) == (True, os.getpid(), 0.0)


def test_mode_and_model_lane_are_shown_and_end_with_the_core() -> None:
    said = (ModeChanged(mode="chat", why="said"), LaneChanged(name="llm", state="busy", depth=3))
    status = after(*said)
    assert status["mode"] == "chat"
    assert status["lanes"] == {"llm": {"state": "busy", "depth": 3, "reason": ""}}
    status = after(*said, ChildChanged(name="assistant", state="backoff"))
    assert (status["mode"], status["lanes"]) == ("idle", {})


def test_triage_is_shown_with_its_reason_questions_and_coverage() -> None:
    status = after(
        TriageStateChanged(state="unavailable", reason="predict failed", questions={"q": {"type": "noul"}}),
        CoverageChanged(through="u3", pending=2, set_aside=("u1",)),
    )
    assert (status["triage_state"], status["triage_reason"]) == ("unavailable", "predict failed")
    assert status["questions"] == {"q": {"type": "noul"}}
    assert status["coverage"] == {
        "through": "u3",
        "pending": 2,
        "set_aside": ["u1"],
        "uncovered": [],
        "unread_facts": 0,
    }


def test_triage_ends_with_the_core_and_stays_disabled_if_it_was() -> None:
    died = ChildChanged(name="assistant", state="backoff")
    status = after(TriageStateChanged(state="ok"), CoverageChanged(pending=2), died)
    assert (status["triage_state"], status["coverage"]) == ("unavailable", None)
    assert after(died)["triage_state"] == "disabled"


def test_what_status_tells_of_triage_reaches_the_status_file_and_no_event() -> None:
    assert destinations("assistant", TriageStateChanged.topic) == ("tui", "output")
    assert not TriageStateChanged.public
