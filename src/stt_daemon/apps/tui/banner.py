"""The line below the header: red while no audio is being recorded, quiet while models load, else not there.

Owned by the interface's loop. Opening a source takes a moment at every start; only when that moment grows
long does the banner say so, since a flash of red would be a false alarm.
"""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from stt_daemon.apps.tui.situation import Situation
from stt_daemon.apps.tui.text import cells, shown
from stt_daemon.messages import LaneName

PATIENCE_S = 2.0
"""How long a source may be opening before that is an alarm."""

_MODELS: dict[LaneName, str] = {"whisper": "speech model", "llm": "language model", "laya": "triage model"}
_REMEDY = {"muted": "m listens again", "paused": "m records again"}


class Banner(Widget):
    """Draws a `Situation` that somebody else keeps; `update_at` says what time it is."""

    DEFAULT_CSS = """
    Banner {
        height: 1; padding: 0 1; display: none; color: $text-muted;
        text-align: center; text-wrap: nowrap; text-overflow: ellipsis;
    }
    Banner.-loading { display: block; }
    Banner.-alarm { display: block; background: $error; color: $text; text-style: bold; }
    """

    def __init__(self, situation: Situation, begun: float) -> None:
        super().__init__(id="banner")
        self._situation = situation
        self._begun = begun
        self.said = ""

    def update_at(self, now: float) -> None:
        """Say what holds at a time (seconds since the epoch)."""
        why = self._situation.not_recording()
        waiting = self._situation.capture_state == "starting" and not self._situation.worker_is_away
        if not waiting:
            self._begun = now
        alarm = bool(why) and (not waiting or now - self._begun > PATIENCE_S)
        loading = self._situation.loading(now)
        self.set_class(alarm, "-alarm")
        self.set_class(bool(loading) and not alarm, "-loading")
        text = self._alarm(why) if alarm else self._loading(loading)
        if text != self.said:
            self.said = text
            self.refresh()

    def render(self) -> Content:
        return Content(_fit(self.said, self.content_size.width))

    def _alarm(self, why: str) -> str:
        remedy = _REMEDY.get(self._situation.capture_state, "")
        return shown("NOT RECORDING · " + why + (f" · {remedy}" if remedy else ""))

    @staticmethod
    def _loading(lanes: list[tuple[LaneName, float]]) -> str:
        return " · ".join(f"loading the {_MODELS[name]} {seconds:.0f} s" for name, seconds in lanes)


def _fit(text: str, width: int) -> str:
    if cells(text) <= width:
        return text
    short = text.replace("NOT RECORDING · ", "✕ ").replace("loading the ", "")
    while short and cells(short) > width:
        short = short[:-1]
    return short
