"""One JSON object a line: encoding, decoding, reading a file of them. Any thread."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from stt_daemon.domain.text import whole
from stt_daemon.sessions.files import disk_error

T = TypeVar("T")

# JSON itself escapes what is below the space. These too can steer the terminal of whoever looks into a file.
_STEERING = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")


def encode_object(body: Mapping[str, Any]) -> bytes:
    """One line of JSON with its line end; what could steer a terminal is escaped, and nothing is lost but
    halves of surrogate pairs. Raises ValueError for a number JSON does not have."""
    text = whole(json.dumps(body, ensure_ascii=False, allow_nan=False))
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode() + b"\n"


def decode_object(raw: bytes) -> dict[str, Any]:
    """The object a line holds. Raises ValueError for anything else.

    A torn line never passes for a whole one: no proper beginning of a JSON object is a JSON object.
    """
    try:
        # A power loss leaves runs of zeros, also in front of a line that was written whole.
        line = raw.strip(b"\0 \t\r\n")
        body = _DECODER.decode(line.decode(json.detect_encoding(line), "surrogatepass"))
        if b"\\ud" in raw.lower():
            # Another program's escapes may name half of a pair, which no file could hold again.
            body = json.loads(whole(json.dumps(body, ensure_ascii=False)))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(body, dict):
        raise ValueError("not an object")  # noqa: TRY004 - a property of the line, not a wrong type in the program
    return body


def read_lines(path: Path, decode: Callable[[bytes], T]) -> Iterator[T]:
    """What each line of a file decodes to; nothing when there is no file.

    Safe while another process appends: a last line that is not whole yet is left for the next reading. Lines
    for which `decode` raises ValueError are skipped; whoever opens the file for writing reports them. Raises
    SessionError.
    """
    try:
        with path.open("rb") as stream:
            for raw in stream:
                try:
                    line = decode(raw)
                except ValueError:
                    if raw.endswith(b"\n"):
                        continue
                    # The end of the file as it was just now. More may have come since, beginning in the
                    # middle of this line: reading on would leave it out and take the ones behind it.
                    return
                yield line
    except FileNotFoundError:
        return
    except OSError as error:
        raise disk_error(path, error, doing="read") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits} is too large")
    return value


# Made once: `json.loads` would make one for each line, which doubles the time a long session takes to read.
_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
