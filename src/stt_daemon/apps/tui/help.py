"""The help: all keys and what they do. Owned by the interface's loop."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from stt_daemon.apps.tui.keys import IN_PANES, KEYS, MORE_KEYS

_KEY_COLUMNS = 11


class HelpScreen(ModalScreen[None]):
    """Goes away at any of the keys one tries."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter,space", "dismiss", "Close", show=False),
    ]

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="sheet") as sheet:
            sheet.border_title = "Keys"
            sheet.border_subtitle = "esc closes"
            yield Static(help_text())


def help_text() -> Content:
    """All keys, one a line, in three groups."""
    own = [(key.shown, key.does) for key in KEYS]
    more = [(key.shown, key.does) for key in MORE_KEYS]
    groups = (own, more, list(IN_PANES))
    return Content("\n\n").join(Content("\n").join(_line(*pair) for pair in group) for group in groups)


def _line(key: str, does: str) -> Content:
    return Content.assemble((key.ljust(_KEY_COLUMNS), "bold $text-accent"), does)
