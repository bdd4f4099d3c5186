"""What is seen on the way out: which part still works at what. Owned by the interface's loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from stt_daemon.apps.tui.situation import Situation
from stt_daemon.apps.tui.text import shown
from stt_daemon.messages import ChildName, ChildState

_PARTS: Mapping[ChildName, str] = {"transcription": "Transcript", "assistant": "Assistant"}
_MARKS: Mapping[ChildState, tuple[str, str]] = {
    "starting": ("·", "dim"),
    "ready": ("·", "dim"),
    "draining": ("▸", "bold $text-warning"),
    "backoff": ("·", "dim"),
    "failed": ("✕", "bold $text-error"),
    "stopped": ("✓", "bold $text-success"),
}


class QuittingScreen(ModalScreen[None]):
    """Draws a `Situation` that somebody else keeps; stays until the program ends."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "app.quit", "Do not wait", show=False)]

    def __init__(self, situation: Situation) -> None:
        super().__init__()
        self._situation = situation
        self._told = Static(id="told")

    def compose(self) -> ComposeResult:
        with Vertical(classes="sheet -small") as sheet:
            sheet.border_title = "Stopping"
            sheet.border_subtitle = "q again does not wait"
            yield self._told

    def on_mount(self) -> None:
        self.refresh_told()

    def refresh_told(self) -> None:
        self._told.update(quitting_text(self._situation))


def quitting_text(situation: Situation) -> Content:
    """One line for each part that may still have work."""
    lines = []
    for name, part in _PARTS.items():
        child = situation.children.get(name)
        state: ChildState = child.state if child else "ready"
        mark, style = _MARKS[state]
        work = _work(situation, name, state)
        reason = f" ({shown(child.reason)})" if child and child.reason else ""
        lines.append(Content.assemble((f"{mark} ", style), f"{part:<11}", (f"{work}{reason}", "dim")))
    return Content("\n").join(lines)


def _work(situation: Situation, name: ChildName, state: ChildState) -> str:
    if state in ("stopped", "failed", "backoff"):
        return state if state != "backoff" else "stopped"
    if name == "transcription":
        waiting = situation.lag_s
        return f"{waiting:.0f} s of audio to write down" if waiting >= 1 else "writing down the last words"
    lane = situation.lanes.get("llm")
    jobs = (lane.depth + (lane.state == "busy")) if lane else 0
    if jobs:
        return "1 answer to finish" if jobs == 1 else f"{jobs} answers to finish"
    return "waits for the last words" if state == "ready" else "finishing"
