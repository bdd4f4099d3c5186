"""Server-sent events from bytes, however they are cut. Pure; one thread at a time.

Lines end in LF, CRLF or CR; a frame ends at a blank line. Bytes become text per whole line, so that a
character cut between two reads is never damaged.
"""

from __future__ import annotations

from dataclasses import dataclass

# A frame carries a few tokens; a model never comes near this, a server gone wrong would fill the memory.
FRAME_LIMIT_BYTES = 8_000_000
_BOM = b"\xef\xbb\xbf"


class FrameTooLongError(ValueError):
    """A frame passed the limit without ending."""


@dataclass(frozen=True)
class Frame:
    """One event: its name ("" when the server gave none) and its data lines joined by newlines."""

    event: str
    data: str


class SseParser:
    """Feed bytes, take frames. After `close` nothing more may be fed."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._skip_lf = False
        self._at_start = True
        self._event = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that ended within these bytes."""
        self._pending += chunk
        if self._at_start:
            if len(self._pending) < len(_BOM) and _BOM.startswith(self._pending):
                return []
            if self._pending.startswith(_BOM):
                del self._pending[: len(_BOM)]
            self._at_start = False
        frames = []
        while (line := self._take_line()) is not None:
            frame = self._take_in(line)
            if frame is not None:
                frames.append(frame)
        if self._size + len(self._pending) > FRAME_LIMIT_BYTES:
            raise FrameTooLongError(f"one frame is longer than {FRAME_LIMIT_BYTES} bytes")
        return frames

    def close(self) -> Frame | None:
        """What the end of the stream left without a blank line: whole or cut, the caller has to tell."""
        if self._pending:
            self._take_in(bytes(self._pending))
            self._pending.clear()
        return self._dispatch()

    def _take_line(self) -> bytes | None:
        if self._skip_lf and self._pending:
            if self._pending[0] == 0x0A:
                del self._pending[0]
            self._skip_lf = False
        ends = [at for at in (self._pending.find(b"\n"), self._pending.find(b"\r")) if at >= 0]
        if not ends:
            return None
        end = min(ends)
        line = bytes(self._pending[:end])
        # The LF of a CRLF may still be on its way.
        self._skip_lf = self._pending[end] == 0x0D
        del self._pending[: end + 1]
        return line

    def _take_in(self, raw: bytes) -> Frame | None:
        if not raw:
            return self._dispatch()
        line = raw.decode("utf-8", errors="replace")
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
            self._size += len(raw)
        elif name == "event":
            self._event = value
        elif name == "error":
            # Old llama.cpp servers name the field itself "error".
            self._event = "error"
            self._data.append(value)
            self._size += len(raw)
        return None

    def _dispatch(self) -> Frame | None:
        event, data = self._event, self._data
        self._event, self._data, self._size = "", [], 0
        return Frame(event, "\n".join(data)) if data else None
