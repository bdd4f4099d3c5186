"""How things stand, as header, banner and the way out show it. Pure; one thread.

Every fact belongs to somebody else; here is only the last that was told of each.
"""

from __future__ import annotations

from stt_daemon.messages import (
    CaptureChanged,
    CaptureState,
    ChildChanged,
    ChildName,
    ChildState,
    LagChanged,
    LaneChanged,
    LaneName,
    LevelMeasured,
    Message,
    Mode,
    ModeChanged,
    SessionChanged,
    ToggleChanged,
    UtteranceFinished,
)

_FALL_DB = 6.0
"""How much a shown level falls at most between two measurements: a jumping meter is no calm sight."""

_AWAY: frozenset[ChildState] = frozenset({"backoff", "failed", "stopped"})


class Situation:
    """`language` is the configured one until something was heard."""

    def __init__(self, *, session: str = "", language: str = "") -> None:
        self.session = session
        self.language = language
        self.capture: CaptureChanged | None = None
        self.level_db: float | None = None
        self.clipping = False
        self.lag_s = 0.0
        self.mode: Mode = "idle"
        self.toggles: dict[str, bool] = {}
        self.children: dict[ChildName, ChildChanged] = {}
        self.lanes: dict[LaneName, LaneChanged] = {}
        self.loading_since: dict[LaneName, float] = {}

    def follow(self, message: Message) -> bool:
        """Take in a message; False if it says nothing about the situation."""
        match message:
            case LevelMeasured(db=db, clipping=clipping):
                floor = db if self.level_db is None else self.level_db - _FALL_DB
                self.level_db, self.clipping = max(db, floor), clipping
            case CaptureChanged():
                self._capture_changed(message)
            case LagChanged(seconds=seconds):
                self.lag_s = seconds
            case LaneChanged(name=name):
                self._lane_changed(name, message)
            case ChildChanged(name=name):
                self._child_changed(name, message)
            case ModeChanged(mode=mode):
                self.mode = mode
            case ToggleChanged(name=name, on=on):
                self.toggles[name] = on
            case SessionChanged(state="opened" | "resumed", id=session):
                self.session = session
            case UtteranceFinished(language=language) if language:
                self.language = language
            case _:
                return False
        return True

    @property
    def capture_state(self) -> CaptureState:
        return self.capture.state if self.capture is not None else "starting"

    @property
    def stopping(self) -> bool:
        """Whether the program is on its way out."""
        return any(child.state == "draining" for child in self.children.values())

    @property
    def worker_is_away(self) -> bool:
        """Whether nobody is there who could record."""
        worker = self.children.get("transcription")
        return worker is not None and worker.state in _AWAY

    def not_recording(self) -> str:
        """Why no audio is being recorded; "" while it is."""
        worker = self.children.get("transcription")
        if worker is not None and self.worker_is_away:
            words = {"backoff": "transcription is being started again", "failed": "transcription has failed"}
            return _with_reason(words.get(worker.state, "transcription has stopped"), worker.reason)
        words = {
            "starting": "opening the source",
            "muted": "muted",
            "paused": "paused",
            "lost": "no microphone",
            "ended": "the source has ended",
        }
        if self.capture_state == "live":
            return ""
        return _with_reason(words[self.capture_state], self.capture.reason if self.capture else "")

    def loading(self, now: float) -> list[tuple[LaneName, float]]:
        """The lanes whose models are still being loaded, and for how many seconds, by the clock of `at`."""
        return [(name, max(0.0, now - since)) for name, since in self.loading_since.items()]

    def _capture_changed(self, change: CaptureChanged) -> None:
        self.capture = change
        if change.state != "live":
            self.level_db, self.clipping = None, False

    def _lane_changed(self, name: LaneName, change: LaneChanged) -> None:
        self.lanes[name] = change
        if change.state == "loading":
            self.loading_since.setdefault(name, change.at)
        else:
            self.loading_since.pop(name, None)

    def _child_changed(self, name: ChildName, change: ChildChanged) -> None:
        self.children[name] = change
        if name == "transcription" and change.state in _AWAY:
            # What a dead worker said of itself is no longer true.
            self.capture, self.level_db = None, None
            self.loading_since.pop("whisper", None)


def _with_reason(words: str, reason: str) -> str:
    return f"{words} ({reason})" if reason else words
