"""What `status` tells: kept by the running supervisor in `status.json`, read by the command.

`StatusBoard.offer` may be called from any thread; a thread of its own writes the file, so that a slow disk
delays nobody.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from pathlib import Path
from typing import Any

from stt_daemon.channels import Frame, FrameStore, start_thread
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
from stt_daemon.supervisor.locks import running_pid

log = logging.getLogger(__name__)

STATUS_FILE = "status.json"
_SHOWN = frozenset(
    kind.topic
    for kind in (
        CaptureChanged,
        ChildChanged,
        CoverageChanged,
        LagChanged,
        LaneChanged,
        ModeChanged,
        SessionChanged,
        TriageStateChanged,
    )
)
_NO_TRIAGE = {"triage_state": "disabled", "triage_reason": "", "questions": None, "coverage": None}
_SETTLE_S = 0.1
"""The lag changes ten times a second; more writes than that help no reader."""


def idle_status() -> dict[str, Any]:
    """What `status --json` shows when nothing runs; also every key there is."""
    return {
        "running": False,
        "pid": None,
        "session": None,
        "mode": "idle",
        "children": {},
        "lanes": {},
        "capture": None,
        "lag_s": 0.0,
        **_NO_TRIAGE,
    }


def apply(status: dict[str, Any], message: Message) -> None:
    """Change the status as the message says; what it does not concern stays."""
    match message:
        case ChildChanged(name=name, state=state, reason=reason):
            status["children"][name] = {"state": state, "reason": reason}
            if name == "transcription" and state in ("backoff", "failed", "stopped"):
                # What its owner said of it died with the owner.
                status["capture"] = None
                status["lanes"].pop("whisper", None)
            if name == "assistant" and state in ("backoff", "failed", "stopped"):
                status["mode"] = "idle"
                status["lanes"].pop("llm", None)
                status["lanes"].pop("laya", None)
                status["coverage"] = None
                if status["triage_state"] != "disabled":
                    status.update(triage_state="unavailable", triage_reason="the assistant does not run")
        case LaneChanged(name=name, state=lane, depth=depth, reason=reason):
            status["lanes"][name] = {"state": lane, "depth": depth, "reason": reason}
        case ModeChanged(mode=mode):
            status["mode"] = mode
        case TriageStateChanged(state=triage, reason=reason, questions=questions):
            status.update(triage_state=triage, triage_reason=reason, questions=questions or None)
        case CoverageChanged():
            status["coverage"] = message.payload()
        case CaptureChanged(state=capture, device=device, rate=rate, reason=reason):
            status["capture"] = {"state": capture, "device": device, "rate": rate, "reason": reason}
        case LagChanged(seconds=seconds):
            status["lag_s"] = round(seconds, 1)
        case SessionChanged(id=session_id, dir=folder):
            status["session"] = {"id": session_id, "dir": folder}
        case _:
            pass


class StatusBoard:
    """Keeps `status.json` (0600, replaced atomically) true while an instance runs."""

    def __init__(self, sessions_dir: Path, session_id: str, session_dir: Path) -> None:
        self._path = sessions_dir / STATUS_FILE
        self._status = idle_status()
        self._status.update(
            running=True, pid=os.getpid(), session={"id": session_id, "dir": str(session_dir)}
        )
        self._store = FrameStore()
        self._settle = threading.Event()
        self._write()
        self._thread = start_thread("status", self._run)

    def offer(self, frame: Frame) -> None:
        if frame.topic in _SHOWN:
            self._store.offer(frame)

    def finish(self, timeout: float = 1.0) -> None:
        """Take the file away: nothing runs any more."""
        self._store.close()
        self._settle.set()
        self._thread.join(timeout)
        self._path.unlink(missing_ok=True)

    def _run(self) -> None:
        while (frame := self._store.take()) is not None:
            apply(self._status, frame.message())
            self._settle.wait(_SETTLE_S)
            while (more := self._store.take(0)) is not None:
                apply(self._status, more.message())
            self._write()

    def _write(self) -> None:
        temporary = self._path.with_name(f".{STATUS_FILE}.new")
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(self._status, file)
            temporary.replace(self._path)
        except OSError as error:
            log.warning("%s cannot be written: %s", self._path, error)


def read_status(sessions_dir: Path) -> dict[str, Any]:
    """The status of the instance in this directory; `idle_status` when none runs.

    A file that a killed instance left behind counts for nothing: only the held lock says that one runs.
    Raises SessionError when the lock cannot be looked at.
    """
    pid = running_pid(sessions_dir)
    if pid is None:
        return idle_status()
    status = {**idle_status(), "running": True, "pid": pid}
    try:
        known = json.loads((sessions_dir / STATUS_FILE).read_text("utf-8"))
    except (OSError, ValueError) as error:
        log.debug("no status yet: %s", error)  # it has only just started, or is about to end
        return status
    return {**status, **known} if isinstance(known, dict) and known.get("pid") == pid else status
