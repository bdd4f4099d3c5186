"""The interface in the terminal: a child that shows what happens and sends what the user wishes."""

from __future__ import annotations

from stt_daemon.channels import ChildContext


def run(context: ChildContext) -> int:
    """The app of the child `tui`. Loads Textual only now."""
    from stt_daemon.apps.tui.main import run as run_interface

    return run_interface(context)
