"""Which mode the core is in, and its two switches. Owned by the loop.

Command mode is for one command: when that ran or was refused, the mode from before comes back. A question of
the core's keeps it open for the answer, until `ANSWER_WITHIN_S` have passed without one.
"""

from __future__ import annotations

from collections.abc import Callable

from stt_daemon.messages import Message, Mode, ModeChanged, ToggleChanged

ANSWER_WITHIN_S = 30.0
"""As long as a proposal waits for a yes: what is said later belongs to the meeting."""


class Modes:
    """The state, and the messages that tell of its changes."""

    def __init__(
        self, publish: Callable[[Message], None], *, send_transcripts: bool, send_to_triage: bool
    ) -> None:
        self._publish = publish
        self._toggles = {"send_transcripts": send_transcripts, "send_to_triage": send_to_triage}
        self._mode: Mode = "idle"
        self._before: Mode = "idle"
        self._answer_by: float | None = None

    @property
    def mode(self) -> Mode:
        return self._mode

    @property
    def send_transcripts(self) -> bool:
        return self._toggles["send_transcripts"]

    @property
    def send_to_triage(self) -> bool:
        return self._toggles["send_to_triage"]

    def announce(self) -> None:
        """Tell the whole state, as at a start."""
        self._publish(ModeChanged(mode=self._mode, why="start"))
        for name, on in self._toggles.items():
            self._publish(ToggleChanged(name=name, on=on))

    def change(self, mode: Mode, why: str) -> None:
        """Be in another mode; nothing happens if it is the same."""
        self._answer_by = None
        if mode == self._mode:
            return
        if mode == "command":
            self._before = self._mode
        self._mode = mode
        self._publish(ModeChanged(mode=mode, why=why))

    def toggle(self, name: str, on: bool) -> None:
        self._toggles[name] = on
        self._publish(ToggleChanged(name=name, on=on))

    def asked(self, now: float) -> None:
        """The core asked something: in command mode the next turn may answer it."""
        if self._mode == "command":
            self._answer_by = now + ANSWER_WITHIN_S

    def command_over(self, why: str) -> None:
        """The one command of command mode has come to its end."""
        if self._mode == "command":
            self.change(self._before, why)

    def time_passed(self, now: float) -> None:
        if self._answer_by is not None and now >= self._answer_by:
            self.command_over("nobody answered")
