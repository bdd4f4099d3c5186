"""The keys at the bottom of the screen: with their labels where there is room, else at least all the keys.

Owned by the interface's loop. Textual's own footer is one row that is cut off, which hides half of the keys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.style import Style
from textual.widget import Widget

from stt_daemon.apps.tui.keys import KEYS, Key

_LABEL_GAP = "  "
_KEY_GAP = " "
_LABELLED_ROWS = 2
_TALL = 20
"""Rows of the screen from which two of them may go to the footer."""


class Footer(Widget):
    """`marked` says of a key whether it is on, `usable` whether it does anything. A click is a key press."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Footer { height: auto; padding: 0 1; background: $panel; color: $foreground; }
    """

    def __init__(self, marked: Callable[[Key], bool], usable: Callable[[Key], bool]) -> None:
        super().__init__(id="footer")
        self._marked = marked
        self._usable = usable
        self._drawn_marked: list[Key] = []

    def keep_step(self) -> None:
        """Draw anew if something was switched."""
        marked = [key for key in KEYS if self._marked(key)]
        if marked != self._drawn_marked:
            self._drawn_marked = marked
            self.refresh()

    def render(self) -> Content:
        return Content("\n").join(
            Content(_LABEL_GAP if labelled else _KEY_GAP).join(self._drawn(key, labelled) for key in row)
            for row, labelled in self._rows(self.content_size.width)
        )

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self._rows(width)))

    def on_click(self, event: events.Click) -> None:
        if isinstance(key := event.style.meta.get("press"), str):
            self.app.simulate_key(key)

    def _rows(self, width: int) -> list[tuple[Sequence[Key], bool]]:
        return footer_rows(width, self.app.size.height)

    def _drawn(self, key: Key, labelled: bool) -> Content:
        off = "" if self._usable(key) else " dim"
        style = "bold $text-warning" if self._marked(key) else f"bold $text-accent{off}"
        text = Content.styled(key.shown, style)
        if labelled:
            text = Content.assemble(text, (f" {key.label}", f"$text-muted{off}"))
        return text.stylize(Style.from_meta({"press": key.keys}))


def footer_rows(width: int, height: int) -> list[tuple[Sequence[Key], bool]]:
    """The rows, each with its keys and whether they are labelled; at most two."""
    labelled = _broken(KEYS, width, _labelled_length, _LABEL_GAP)
    if len(labelled) <= (_LABELLED_ROWS if height >= _TALL else 1):
        return [(row, True) for row in labelled]
    bare = _broken(KEYS, width, lambda key: len(key.shown), _KEY_GAP)
    if len(bare) == 1:
        return [(bare[0], False)]
    # Too narrow even for that: the help has them all.
    known = [key for key in reversed(KEYS) if key.label in ("quit", "keys")]
    return [(_broken(known, width, _labelled_length, _LABEL_GAP)[0], True)]


def _labelled_length(key: Key) -> int:
    return len(f"{key.shown} {key.label}")


def _broken(keys: Sequence[Key], width: int, length: Callable[[Key], int], gap: str) -> list[list[Key]]:
    rows: list[list[Key]] = [[]]
    used = 0
    for key in keys:
        needed = length(key) + (len(gap) if rows[-1] else 0)
        if rows[-1] and used + needed > width:
            rows.append([])
            used, needed = 0, length(key)
        rows[-1].append(key)
        used += needed
    return rows
