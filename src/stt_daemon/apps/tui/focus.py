"""Moves the focus at once: Textual's own `focus()` does it a turn later, and keys typed ahead go astray."""

from __future__ import annotations

from textual.widget import Widget


def focus_now(widget: Widget) -> None:
    """The next key is the widget's, even if it waits already. For a widget that is on the screen."""
    widget.screen.set_focus(widget)
