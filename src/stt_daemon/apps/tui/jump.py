"""What panes ask of each other."""

from __future__ import annotations

from textual.message import Message


class JumpTo(Message):
    """Bring the line of an utterance into sight."""

    def __init__(self, utterance: str) -> None:
        super().__init__()
        self.utterance = utterance
