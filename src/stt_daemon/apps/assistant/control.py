"""Lines of `--control` and the requests they stand for. Pure."""

from __future__ import annotations

from collections.abc import Callable

from stt_daemon.messages import Message, MuteRequested, PauseRequested, SessionRequested, ShutdownRequested

_COMMANDS: dict[str, Callable[[], Message]] = {
    "/mute": lambda: MuteRequested(on=True),
    "/unmute": lambda: MuteRequested(on=False),
    "/pause": lambda: PauseRequested(on=True),
    "/resume": lambda: PauseRequested(on=False),
    "/new": SessionRequested,
    "/stop": ShutdownRequested,
}


class UnknownCommandError(ValueError):
    """The line stands for nothing; the message says what would."""


def request_of(line: str) -> Message:
    """The request a control line makes. Raises UnknownCommandError for any other line."""
    try:
        return _COMMANDS[line.strip()]()
    except KeyError:
        known = ", ".join(_COMMANDS)
        raise UnknownCommandError(f"not a command: {line.strip()[:80]!r}; known are {known}") from None
