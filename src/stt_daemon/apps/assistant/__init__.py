"""The assistant core: what was said becomes turns, and lines of control become requests."""

from stt_daemon.apps.assistant.core import run

__all__ = ["run"]
