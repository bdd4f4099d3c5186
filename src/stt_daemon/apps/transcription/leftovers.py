"""What a killed run left in `audio/`: files to repair, and sound that no line of the journal names yet.

Runs in the worker's main thread, before the listener writes into the folder.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path

from stt_daemon.apps.transcription.session import SessionState
from stt_daemon.audio.levels import loud_level_db
from stt_daemon.audio.repair import repair_folder
from stt_daemon.audio.wav import read_segment, wall_of_name
from stt_daemon.domain import SAMPLE_RATE, Segment
from stt_daemon.errors import AudioError

log = logging.getLogger(__name__)

RAW_NAME = "raw"


@dataclass
class Leftovers:
    """`notes`: readable lines about repairs. `segments`: sound to be listed, in the order it was heard."""

    notes: list[str] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)


def take_leftovers(session: SessionState, *, reread: bool) -> Leftovers:
    """Repair the folder and find unlisted segments.

    With `reread` the source will deliver that sound again, so unlisted files are removed instead: otherwise
    it would be in the transcript twice. Raises OSError when an unlisted file cannot be removed.
    """
    found = Leftovers()
    for repair in repair_folder(session.audio):
        if not (reread and repair.action == "recovered"):
            found.notes.append(f"{repair.name}: {repair.action}, {repair.reason} ({repair.duration_s:.1f} s)")
    listed = {item.wav for item in session.journal.pending if isinstance(item, Segment)}
    for path in sorted(session.audio.glob("*.wav")):
        if path.name in listed or session.journal.is_settled(path.name) or path.name.startswith(RAW_NAME):
            continue
        if reread:
            log.info("%s is removed: its source is read again from there", path.name)
            path.unlink()
        elif (segment := _segment(session, path)) is not None:
            found.segments.append(segment)
    found.segments.sort(key=lambda segment: segment.t0)
    return found


def make_ready(path: Path, wall: float, *, reread: bool) -> None:
    """Look after a session that is about to be gone over to, but that a killed worker had begun already.

    It was killed before it could say so, hence nothing in there is settled. With `reread` all of it comes
    once more, so the session begins anew; otherwise every sound is listed as waiting. Raises SessionError
    and OSError.
    """
    if not (path / "session.json").exists():
        return
    session = SessionState(path, wall)
    found = take_leftovers(session, reread=reread)
    for segment in found.segments:
        session.journal.append_pending(segment)
    session.journal.close()
    if reread and session.journal.next_seq == 1:
        for stale in (*session.audio.glob("*.wav"), path / "transcript.jsonl", path / "session.json"):
            stale.unlink(missing_ok=True)


def _segment(session: SessionState, path: Path) -> Segment | None:
    """The file as a segment: its name tells when it began, and all of it may be speech."""
    start = session.record.start.timestamp()
    wall = wall_of_name(path.name, start + max(session.journal.last_t1 - 1.0, 0.0))
    if wall is None:
        return None
    try:
        samples = read_segment(path)
    except AudioError as error:
        log.warning("%s is left alone: %s", path.name, error)
        return None
    t0 = max(wall - start, session.journal.last_t1)
    t1 = t0 + len(samples) / SAMPLE_RATE
    return Segment(
        wav=path.name,
        reason="lost",
        t0=t0,
        t1=t1,
        speech_t0=t0,
        speech_t1=t1,
        voiced_s=0.0,  # nobody measured it
        level_db=loud_level_db(samples, SAMPLE_RATE),
        wall=wall,
    )
