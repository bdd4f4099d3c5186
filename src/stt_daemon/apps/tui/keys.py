"""Every key of the interface: one table behind bindings, footer, help and command palette. Pure data.

Most keys are wishes that leave as a typed line would; the others have an action of the app.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    """`keys` as Textual names them; `shown` and `label` for the footer, `does` for help and palette.

    `needs` names the part of the interface without which the key does nothing.
    """

    keys: str
    shown: str
    label: str
    does: str
    action: str
    needs: str = ""
    priority: bool = False


KEYS = (
    Key(
        "s",
        "s",
        "questions",
        "Show the questions behind the signals, and back",
        "questions",
        "triage",
    ),
    Key("c", "c", "chat", "Chat with the model: what is said or typed goes to it", "chat"),
    Key("colon", ":", "command", "Type a command", "command"),
    Key("m", "m", "mute", "Mute the microphone, and listen again", "mute"),
    Key("space", "␣", "mark", "Mark this moment", "send('/mark')"),
    Key("slash", "/", "search", "Search the transcript; up and down go from match to match", "search"),
    Key("t", "t", "triage", "Send the chat to triage, or stop that", "send_to_triage", "triage"),
    Key("r", "r", "speech", "Send what is said to the chat, or stop that", "send_transcripts"),
    Key("n", "n", "new", "Begin a new conversation in a new session folder", "send('/new')"),
    Key("x", "x", "clear", "Clear the signals and the brief", "send('/clear')"),
    Key("e", "e", "export", "Write the transcript as Markdown", "send('/export')"),
    Key("d", "d", "devices", "Show the audio inputs", "devices"),
    Key("y", "y", "copy", "Copy the selected text, line or answer", "copy"),
    Key("g", "g", "top", "Go to the first line", "first"),
    Key("G", "G", "end", "Go to the last line and follow", "last"),
    Key("question_mark", "?", "keys", "Show all keys", "help"),
    Key("q", "q", "quit", "Stop; what was heard is written down first", "quit"),
)
"""In the order of the footer."""

MORE_KEYS = (
    Key("i", "i", "idle", "Leave chat and command mode: speech is only written down", "send('/idle')"),
    Key(
        "ctrl+c,ctrl+q",
        "ctrl+c",
        "quit",
        "Stop, wherever you are; twice more does not wait",
        "quit",
        priority=True,
    ),
    Key("tab", "tab", "next pane", "Go to the next pane", "next_pane(1)", priority=True),
    Key("shift+tab", "shift+tab", "pane before", "Go to the pane before", "next_pane(-1)", priority=True),
    Key("ctrl+p", "ctrl+p", "palette", "Find a command by its name", "command_palette", priority=True),
)
"""Not in the footer, but in the help."""

IN_PANES = (
    ("↑ ↓  k j", "Choose a line"),
    ("PgUp PgDn", "Scroll"),
    ("← →", "Choose a citation of the line"),
    ("enter", "Go to the cited line"),
    ("esc", "Leave the line, the search or the input"),
)
"""What the panes themselves answer to."""
