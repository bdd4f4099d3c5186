"""Moments written as text. Pure; any thread."""

from __future__ import annotations

from datetime import datetime, timezone


def local_time(wall: float) -> datetime:
    """Epoch seconds as an aware time with this computer's present offset."""
    return datetime.fromtimestamp(wall, timezone.utc).astimezone()


def iso_local(wall: float) -> str:
    """Epoch seconds as ISO 8601 with milliseconds and the local offset: the `wall` of a transcript line."""
    return local_time(wall).isoformat(timespec="milliseconds")
