"""How things are named."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime


def utterance_id(number: int) -> str:
    """`u1`, `u2`, ...: the name of the numbered utterance of a session."""
    return f"u{number}"


def next_session_id(now: datetime, taken: Callable[[str], bool]) -> str:
    """`YYYYMMDD-HHMMSS` of a local time, with `-2`, `-3` ... when that name is taken."""
    base = now.strftime("%Y%m%d-%H%M%S")
    name, number = base, 1
    while taken(name):
        number += 1
        name = f"{base}-{number}"
    return name
