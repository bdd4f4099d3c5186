"""Makers of lines for the tests of this room."""

from __future__ import annotations

from stt_daemon.triage.evidence import Delta


def said(*texts: str, first: int = 1, speaker: str = "Speaker") -> list[Delta]:
    """Utterances u1, u2, ...; "Anna: words" names who speaks."""
    lines = []
    for number, text in enumerate(texts, first):
        who, colon, words = text.partition(": ")
        named = bool(colon) and " " not in who
        lines.append(
            Delta(f"u{number}", who if named else speaker, words if named else text, number, number + 0.5)
        )
    return lines
