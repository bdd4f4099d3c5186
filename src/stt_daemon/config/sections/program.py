"""`[sessions]`, `[supervisor]` and `[tui]`: the program around the lanes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stt_daemon.config.fields import FilePath, Name, Section


class SessionsConfig(Section):
    """Where sessions are kept."""

    dir: FilePath = "sessions"
    """The folder that holds one folder a session, and the logs. Relative to the working directory."""


class SupervisorConfig(Section):
    """How the parts of the program are started, watched and stopped."""

    placement: Literal["process", "thread"] = "process"
    """Run each part in a process of its own, or all as threads of one (what `--in-process` does)."""
    stop_grace_s: float = Field(default=10.0, ge=0, le=600)
    """How many seconds a stop may spend on speech that still waits. The rest is done at the next start."""
    restarts: int = Field(default=5, ge=0, le=100)
    """How many times a part that died is started again within `restart_window_s` before it is given up."""
    restart_window_s: float = Field(default=60.0, ge=1, le=86_400)
    """The stretch of time, in seconds, in which `restarts` are counted."""


class TuiConfig(Section):
    """The interface in the terminal."""

    theme: Name = "dark"
    """The colours: dark, light, no-colour, or the name of a theme of Textual's such as nord."""
    follow: bool = True
    """Keep the newest line in sight until you scroll away."""
