"""session.json: what a session is, and which sources it has heard. The transcription worker alone writes it.

A *run* is one start of capture. Its `axis_start` says where the source's own second 0 lies on the session's
axis, so `source seconds = session seconds - axis_start`; it may be negative for a file that was taken up
in its middle after the axis had moved on less than the file.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from stt_daemon.domain.text import plain
from stt_daemon.errors import SessionError
from stt_daemon.sessions.files import disk_error, replace_file, set_aside
from stt_daemon.sessions.text import local_time

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SourceRun:
    """One start of capture.

    `source` is "mic", "mic:NAME", an absolute file path or "-"; `position` the source seconds up to which
    the run is known to be in the transcript (where it began, until it is settled); `ended` tells that
    the source itself came to its end.
    """

    source: str
    axis_start: float
    position: float = 0.0
    ended: bool = False

    @property
    def is_file(self) -> bool:
        return self.source != "-" and self.source != "mic" and not self.source.startswith("mic:")


@dataclass(frozen=True)
class SessionRecord:
    """A session's header. `start` and `end` are aware; `end` is None while it runs or after a crash."""

    id: str
    start: datetime
    version: str
    end: datetime | None = None
    device: str = ""
    model: str = ""
    runs: tuple[SourceRun, ...] = ()

    @classmethod
    def begun(cls, session_id: str, wall: float, version: str) -> SessionRecord:
        """The record of a session that starts at `wall` (epoch seconds)."""
        return cls(id=session_id, start=local_time(wall), version=version)

    def elapsed(self, wall: float) -> float:
        """Seconds since the session's start, never negative: the clock may have been set back."""
        return max(0.0, wall - self.start.timestamp())

    def with_end(self, wall: float) -> SessionRecord:
        return replace(self, end=local_time(wall))

    def with_run(self, source: str, *, axis_start: float, position: float, last_t1: float) -> SessionRecord:
        """A new run begins at source second `position`; the one before it is settled at `last_t1`.

        `last_t1` is the journal's: session seconds up to which audio is written down. `end` is cleared.
        """
        begun = SourceRun(source, axis_start, position)
        return replace(self, end=None, runs=(*self._settled(last_t1), begun))

    def with_run_ended(self, last_t1: float, *, source_ended: bool) -> SessionRecord:
        """The latest run is over; `source_ended` when the source itself had nothing more to give."""
        runs = self._settled(last_t1)
        if not runs:
            return self
        return replace(self, runs=(*runs[:-1], replace(runs[-1], ended=source_ended)))

    def resume_position(self, source: str, last_t1: float) -> float:
        """Source seconds at which `source` is to be taken up: 0 unless it is a file that had not ended.

        Only audio that is in the transcript counts: what was read but not yet written down is read again.
        """
        run = next((run for run in reversed(self.runs) if run.source == source), None)
        if run is None or run.ended or not run.is_file:
            return 0.0
        return max(run.position, last_t1 - run.axis_start) if run is self.runs[-1] else run.position

    def _settled(self, last_t1: float) -> tuple[SourceRun, ...]:
        if not self.runs:
            return ()
        last = self.runs[-1]
        return (*self.runs[:-1], replace(last, position=max(last.position, last_t1 - last.axis_start)))


def write_record(path: Path, record: SessionRecord) -> None:
    """Replace session.json in one step. Raises SessionError (code "disk" when there is no room)."""
    body: dict[str, Any] = {"id": record.id}
    body |= _moment("start", record.start) | _moment("end", record.end)
    body |= {"device": plain(record.device), "model": plain(record.model), "version": record.version}
    body["runs"] = [
        asdict(run) | {"axis_start": round(run.axis_start, 3), "position": round(run.position, 3)}
        for run in record.runs
    ]
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    # A path that is not UTF-8 holds lone surrogates. As JSON escapes they survive exactly, so the same
    # file is recognised again.
    replace_file(path, text.encode("utf-8", "backslashreplace"))


def read_record(path: Path) -> SessionRecord:
    """Read session.json. Raises SessionError: code "absent", "damaged", or "session" when unreadable."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise SessionError(plain(f"there is no {path}"), code="absent") from None
    except OSError as error:
        raise disk_error(path, error, doing="read") from error
    try:
        body = json.loads(raw)
        return SessionRecord(
            id=str(body["id"]),
            start=_read_moment("start", body),
            version=str(body.get("version", "")),
            end=_read_moment("end", body) if body.get("end_utc") else None,
            device=str(body.get("device", "")),
            model=str(body.get("model", "")),
            runs=tuple(_read_run(run) for run in body.get("runs", ())),
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise SessionError(plain(f"{path} is damaged: {type(error).__name__}"), code="damaged") from error


@dataclass(frozen=True)
class OpenedRecord:
    """What `open_record` found: `record` is None for a new or a damaged file, `problem` says which."""

    record: SessionRecord | None
    problem: str = ""


def open_record(path: Path) -> OpenedRecord:
    """For the writer: read session.json, and set a damaged one aside as `session.json.damaged`.

    Raises SessionError when the file can neither be read nor set aside.
    """
    try:
        return OpenedRecord(read_record(path))
    except SessionError as error:
        if error.code == "absent":
            return OpenedRecord(None)
        if error.code != "damaged":
            raise
        kept = set_aside(path)
        log.warning("%s; kept as %s", error, kept.name)
        return OpenedRecord(None, f"{error}; it is kept as {kept.name} and a new one is begun")


def _moment(name: str, when: datetime | None) -> dict[str, str | None]:
    """A moment as UTC, for programs, and the local offset then, for people."""
    if when is None:
        return {f"{name}_utc": None, f"{name}_offset": None}
    utc = when.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {f"{name}_utc": utc, f"{name}_offset": when.isoformat(timespec="minutes")[16:]}


def _read_moment(name: str, body: dict[str, Any]) -> datetime:
    # Python 3.10 does not read the Z, and reads an offset only as part of a time.
    utc = datetime.fromisoformat(str(body[f"{name}_utc"]).replace("Z", "+00:00"))
    return utc.astimezone(datetime.fromisoformat(f"2000-01-01T00:00{body[f'{name}_offset']}").tzinfo)


def _read_run(body: dict[str, Any]) -> SourceRun:
    return SourceRun(
        source=str(body["source"]),
        axis_start=float(body["axis_start"]),
        position=float(body["position"]),
        ended=bool(body["ended"]),
    )
