"""What runs in a child, by name. An app is a function `run(context) -> exit code`."""

from __future__ import annotations

import importlib
from typing import cast

from stt_daemon.channels import App
from stt_daemon.errors import SttDaemonError

APPS: dict[str, str] = {
    "transcription": "stt_daemon.apps.transcription:run",
    "assistant": "stt_daemon.apps.assistant:run",
    "tui": "stt_daemon.apps.tui:run",
}
"""Child name to "module:function". Text, so that knowing an app does not import it."""


def load_app(path: str) -> App:
    """Import an app. Raises SttDaemonError for a path that names none; an import error passes through."""
    module_name, _, function_name = path.partition(":")
    if not module_name or not function_name:
        raise SttDaemonError(f"{path!r} is not an app", mend='write "module:function"')
    app = getattr(importlib.import_module(module_name), function_name, None)
    if not callable(app):
        raise SttDaemonError(f"{path!r} is not an app", mend=f"{module_name} has no such function")
    return cast(App, app)
