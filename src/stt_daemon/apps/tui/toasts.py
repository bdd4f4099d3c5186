"""Which messages are worth a toast, their words, and how many are in sight at once. Pure; one thread."""

from __future__ import annotations

from typing import Literal, NamedTuple

from stt_daemon.apps.tui.text import shown
from stt_daemon.messages import ChildChanged, CommandChanged, Failed, GapMarked, Message, Warned

Severity = Literal["information", "warning", "error"]

LONGEST = 280
"""Characters; the whole text is in the chat pane or in the log."""

_AT_ONCE = 4


class Toast(NamedTuple):
    title: str
    text: str
    severity: Severity
    seconds: float


def toast_of(message: Message, *, chat_in_sight: bool) -> Toast | None:
    """The toast for a message. What a command came to is seen in the chat pane, if that is in sight."""
    match message:
        case Warned(where=where, message=text):
            return _toast(where, text, "warning", 8.0)
        case Failed(where=where, message=text):
            return _toast(where, text, "error", 15.0)
        case GapMarked(t0=t0, t1=t1, reason=reason):
            return _toast("gap", f"{t1 - t0:.1f} s not recorded ({reason})", "warning", 8.0)
        case ChildChanged(name=name, state="backoff", reason=reason) if name != "tui":
            return _toast(name, f"{reason}; it is being started again", "warning", 8.0)
        case CommandChanged(id=name, state="refused" | "failed" | "asked" | "proposed", reason=reason):
            return _toast(f"/{name}" if name else "command", reason, "warning", 8.0)
        case CommandChanged(id=name, state="done", reason=reason) if reason and not chat_in_sight:
            return _toast(f"/{name}", reason, "information", 4.0)
        case _:
            return None


class Shelf:
    """What is in sight, by an ever-rising clock. The same toast does not stand there twice, and of too many
    the user reads none: then all make room for the newest.
    """

    def __init__(self) -> None:
        self._until: dict[Toast, float] = {}

    def place(self, toast: Toast, now: float) -> Literal["skip", "add", "alone"]:
        """What to do with a toast."""
        self._until = {known: until for known, until in self._until.items() if until > now}
        if toast in self._until:
            return "skip"
        crowded = len(self._until) >= _AT_ONCE
        if crowded:
            self._until.clear()
        self._until[toast] = now + toast.seconds
        return "alone" if crowded else "add"


def _toast(title: str, text: str, severity: Severity, seconds: float) -> Toast:
    text = shown(text)
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    return Toast(shown(title)[:40], text, severity, seconds)
