"""Text from outside (speech, names, files) on its way to a terminal or a log line. Pure; any thread."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with every character escaped that a terminal could take for more than a letter."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


def one_line(text: str) -> str:
    """The text as a single printable line; any run of white space becomes one space."""
    return printable(" ".join(text.split()))
