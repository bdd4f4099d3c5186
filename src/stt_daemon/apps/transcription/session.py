"""The session that is being written: its journal, its record and its time axis.

Owned by the worker's main thread. Only this process writes `session.json`, `transcript.jsonl` and `audio/`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stt_daemon import __version__
from stt_daemon.sessions import Journal, SessionRecord, open_record, write_record


class SessionState:
    """One session, open for writing.

    `offset_s` is where this session's second 0 lies on the listener's axis: 0 for the session a run started
    with, the moment of change for one that follows it in the same run.
    """

    def __init__(self, path: Path, wall: float, *, offset_s: float = 0.0) -> None:
        """Open the journal and the record of a session folder, or begin them at `wall`.

        Raises SessionError when they cannot be written. `problems` tells what had to be repaired.
        """
        self.id = path.name
        self.path = path
        self.offset_s = offset_s
        self.journal = Journal.open(path / "transcript.jsonl")
        opened = open_record(path / "session.json")
        self.problems = [*self.journal.repairs, *([opened.problem] if opened.problem else [])]
        self.record = opened.record or SessionRecord.begun(self.id, wall, __version__)
        # A run that ended as asked set the end; one that was killed left it open.
        self.ended_clean = self.record.end is not None or not self.record.runs

    @property
    def audio(self) -> Path:
        return self.path / "audio"

    def wall_of(self, t: float) -> float:
        """The label of a moment, in epoch seconds, for what has no moment of its own."""
        return self.record.start.timestamp() + t

    def begin_run(self, source: str, *, axis_start: float, position: float) -> None:
        """Note a start of capture. Raises SessionError."""
        last_t1 = self.journal.last_t1
        self.record = self.record.with_run(source, axis_start=axis_start, position=position, last_t1=last_t1)
        self.save()

    def end_run(self, *, source_ended: bool) -> None:
        """Note that capture is over. Raises SessionError."""
        self.record = self.record.with_run_ended(self.journal.last_t1, source_ended=source_ended)
        self.save()

    def name_parts(self, *, device: str = "", model: str = "") -> None:
        """Note the device or the model once it is known; nothing is written when nothing changed."""
        named = replace(self.record, device=device or self.record.device, model=model or self.record.model)
        if named != self.record:
            self.record = named
            self.save()

    def save(self) -> None:
        write_record(self.path / "session.json", self.record)

    def close(self, wall: float) -> None:
        """Note the end and close the journal. Raises SessionError."""
        self.record = self.record.with_end(wall)
        self.save()
        self.journal.close()
