"""The lines of transcript.jsonl: how each kind becomes one JSON line, and how they are read. Any thread.

- `{"type": "utterance", ...Utterance}`; "segment" names the audio when "wav" is "" because it was deleted
- `{"type": "gap", ...Gap}`
- `{"type": "pending", ...Segment}` waits for an utterance or a dropped line of the same wav
- `{"type": "pending", "kind": "gap", ...}`: a gap whose turn comes after the pending segments before it
- `{"type": "dropped", "wav", "t0", "t1", "reason"}`: the segment held nothing to write down
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from stt_daemon.domain import Gap, Segment, Utterance
from stt_daemon.sessions.json_lines import decode_object, encode_object, read_lines


@dataclass(frozen=True)
class PendingGap:
    """A gap that waits so that it gets its `seq` after the segments before it."""

    t0: float
    t1: float
    reason: str
    wall: str


@dataclass(frozen=True)
class Dropped:
    """A segment that was transcribed and held nothing worth a line."""

    wav: str
    t0: float
    t1: float
    reason: str


@dataclass(frozen=True)
class Written:
    """An utterance and the segment it settles: they differ when the audio is not kept."""

    utterance: Utterance
    segment: str


Line = Written | Gap | Segment | PendingGap | Dropped

_UTTERANCE = TypeAdapter(Utterance)
_GAP = TypeAdapter(Gap)
_SEGMENT = TypeAdapter(Segment)
_PENDING_GAP = TypeAdapter(PendingGap)
_DROPPED = TypeAdapter(Dropped)


def encode_line(line: Line) -> bytes:
    """One line of JSON with its line end."""
    body: dict[str, Any]
    if isinstance(line, Written):
        body = {"type": "utterance", **asdict(line.utterance)}
        if line.segment != line.utterance.wav:
            body["segment"] = line.segment
    elif isinstance(line, Gap):
        body = {"type": "gap", **asdict(line)}
    elif isinstance(line, Segment):
        body = {"type": "pending", **asdict(line)}
    elif isinstance(line, PendingGap):
        body = {"type": "pending", "kind": "gap", "wav": "", **asdict(line)}
    else:
        body = {"type": "dropped", **asdict(line)}
    return encode_object(body)


def decode_line(raw: bytes) -> Line | None:
    """What a line says; None for a type this version does not know. Raises ValueError for what is no line."""
    body = decode_object(raw)
    kind = body.get("type")
    if kind == "utterance":
        utterance = _UTTERANCE.validate_python(body)
        return Written(utterance, str(body.get("segment", utterance.wav)))
    if kind == "gap":
        return _GAP.validate_python(body)
    if kind == "pending":
        return (_PENDING_GAP if body.get("kind") == "gap" else _SEGMENT).validate_python(body)
    if kind == "dropped":
        return _DROPPED.validate_python(body)
    return None


def read_transcript(path: Path, from_seq: int = 1) -> Iterator[Utterance | Gap]:
    """The utterances and gaps from a sequence number on, in order of `seq`; none when there is no file.

    Safe while another process appends: a last line that is not whole yet is left for the next reading.
    Lines that cannot be read are skipped; `Journal.open` reports them. Raises SessionError.
    """
    found = (line.utterance if isinstance(line, Written) else line for line in read_lines(path, decode_line))
    wanted = [item for item in found if isinstance(item, Utterance | Gap) and item.seq >= from_seq]
    yield from sorted(wanted, key=lambda item: item.seq)
