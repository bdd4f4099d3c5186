"""A line the user types into. What is pasted there is as untrusted as what is heard."""

from __future__ import annotations

from textual.widgets import Input

from stt_daemon.apps.tui.text import shown


class LineInput(Input):
    """Textual's input, holding only what can be shown on one line."""

    def validate_value(self, value: str) -> str:
        return shown(value)
