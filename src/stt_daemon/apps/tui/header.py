"""The line on top: capture state, session, device, input level, language, lag. Owned by the interface's loop.

Every part has a fixed width, so that nothing moves when a value changes; what does not fit is left out, the
least important first.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from stt_daemon.apps.tui.situation import Situation
from stt_daemon.apps.tui.text import cells, shown
from stt_daemon.messages import CaptureState

_WORDS: dict[CaptureState, tuple[str, str]] = {
    "starting": ("○ starting", "$text-warning"),
    "live": ("● live", "$text-success"),
    "muted": ("○ muted", "$text-error"),
    "paused": ("○ paused", "$text-error"),
    "lost": ("○ lost", "$text-error"),
    "ended": ("○ ended", "$text-error"),
}
_QUIETEST_DB = -60.0
_METER = 12
_SMALL_METER = 6
_LONGEST_DEVICE = 28
_LEVEL_S = 0.12
_LATE_S = 5.0
"""From here on the lag stands out: several utterances wait."""


class Header(Widget):
    """Draws a `Situation` that somebody else keeps."""

    DEFAULT_CSS = """
    Header { height: 1; padding: 0 1; background: $panel; color: $foreground; }
    """

    def __init__(self, situation: Situation) -> None:
        super().__init__(id="header")
        self._situation = situation
        self._drawn: tuple[object, ...] | None = None

    def on_mount(self) -> None:
        # A paint takes in all that lies between two changed places. Levels, which always change, would make
        # each other change a paint of the whole screen: they have a beat of their own.
        self.set_interval(_LEVEL_S, lambda: self._keep_step(self._facts()))

    def keep_step(self) -> None:
        """Draw anew if anything but the level has changed."""
        facts = self._facts()
        if self._drawn is None or facts[1:] != self._drawn[1:]:
            self._keep_step(facts)

    def render(self) -> Content:
        return header_line(self._situation, self.content_size.width)

    def _keep_step(self, facts: tuple[object, ...]) -> None:
        if facts != self._drawn:
            self._drawn = facts
            self.refresh()

    def _facts(self) -> tuple[object, ...]:
        """The level, then all else that is shown, as coarsely as it is."""
        now = self._situation
        level = (_filled(now.level_db, _METER), now.clipping)
        device = now.capture.device if now.capture else ""
        return level, now.capture_state, now.session, device, now.language, round(now.lag_s)


def header_line(situation: Situation, width: int) -> Content:
    """The header for a width in columns."""
    now = situation
    word, style = _WORDS[now.capture_state]
    state = Content.styled(f"{word:<10}", f"bold {style}")
    language = Content((shown(now.language)[:3] or "··").ljust(2))
    session = Content.styled(shown(now.session), "dim")
    device = Content.styled(_cut(shown(now.capture.device if now.capture else ""), _LONGEST_DEVICE), "dim")
    meter = _meter(now.level_db, now.clipping, _METER)
    small = _meter(now.level_db, now.clipping, _SMALL_METER)
    lag = _lag(now.lag_s)
    choices: Sequence[tuple[list[Content], list[Content]]] = (
        ([state, session, device], [meter, language, lag]),
        ([state, session], [meter, language, lag]),
        ([state], [meter, language, lag]),
        ([state], [small, language, _short_lag(now.lag_s)]),
        ([state], [language, _short_lag(now.lag_s)]),
        ([state], [_short_lag(now.lag_s)]),
    )
    for left, right in choices:
        line = _spread([part for part in left if part], right, width)
        if line is not None:
            return line
    return Content.styled(word[:1], f"bold {style}") if width < len(word) else state


def _spread(left: Sequence[Content], right: Sequence[Content], width: int) -> Content | None:
    gap = Content("  ")
    first, last = gap.join(left), gap.join(right)
    free = width - cells(first.plain.rstrip()) - cells(last.plain)
    if free < 2:
        return None
    return Content.assemble(first.rstrip(), " " * free, last)


def _meter(db: float | None, clipping: bool, length: int) -> Content:
    full = _filled(db, length)
    style = "$text-error" if clipping else "$text-success"
    return Content.assemble(("━" * full, style), ("─" * (length - full), "dim"))


def _filled(db: float | None, length: int) -> int:
    return 0 if db is None else round((1 - max(min(db, 0.0), _QUIETEST_DB) / _QUIETEST_DB) * length)


def _lag(seconds: float) -> Content:
    text = f"lag {seconds:3.0f} s"
    return Content.styled(text, "bold $text-warning" if seconds >= _LATE_S else "")


def _short_lag(seconds: float) -> Content:
    text = f"{seconds:.0f}s" if seconds < 1000 else "…"
    return Content.styled(f"{text:>3}", "bold $text-warning" if seconds >= _LATE_S else "")


def _cut(text: str, length: int) -> str:
    if cells(text) <= length:
        return text
    while cells(text) >= length:
        text = text[:-1]
    return text + "…"
