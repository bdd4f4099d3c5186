"""What the user is told while the program stops, and at its end. Pure."""

from __future__ import annotations

from stt_daemon.messages import Warned


def still_draining(lag_s: float) -> Warned:
    """The answer to a second wish to stop. `lag_s`: seconds of audio that wait for transcription."""
    work = f"still transcribing {lag_s:.0f} s of audio" if lag_s >= 1 else "still finishing"
    return _said("still_draining", f"{work}; a third Ctrl-C leaves the rest for the next start")


def audio_waiting(waiting_s: float, session_id: str) -> Warned:
    """What a stop has left over."""
    return _said(
        "audio_waiting",
        f"{waiting_s:.1f} s of audio wait for transcription"
        f" (stt-daemon up --session {session_id} finishes them)",
    )


def _said(code: str, message: str) -> Warned:
    return Warned(where="supervisor", code=code, message=message)
