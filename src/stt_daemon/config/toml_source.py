"""From a file's bytes to a TOML table, with readable problems on the way. Pure; any thread.

Only one syntax error can be found at a time, since nothing is certain after it; repeated keys are the
exception and are all named.
"""

from __future__ import annotations

import codecs
import re
import sys
from dataclasses import dataclass
from typing import Any

from stt_daemon.config.problems import InvalidConfigError, Problem
from stt_daemon.config.toml_lines import KeyPath, Outline, Place

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)$")
_BACKSLASH_IN_DOUBLE_QUOTES = re.compile(r'"[^"\n]*\\')
_TYPOGRAPHIC_QUOTES = re.compile("[\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb]")

# What the parser says, by the beginning of its words, and what it means to the person who wrote the file.
_OPEN_TEXT = ("Unterminated string", "Expected \"'")
_NOT_CLOSED = "has a text that is not closed: a quote is missing at its end"
_MEANINGS = (
    ("Invalid value", "has a value that cannot be read: text needs quotes, true and false are written small"),
    ("Invalid statement", "is neither a [section] nor of the form key = value"),
    ("Illegal character '\\n'", _NOT_CLOSED),
    *((beginning, _NOT_CLOSED) for beginning in _OPEN_TEXT),
    ("Expected '='", "must have the form key = value"),
    ("Expected ']'", "has a bracket that is not closed"),
    ("Expected newline", "has something behind its value: only a comment may follow on the same line"),
    ("Unclosed array", "has a list that is not closed, or lacks a comma in it"),
    ("Unclosed inline table", "has a table in braces that is not closed, or lacks a comma in it"),
    ("Duplicate inline table key", "has a table in braces in which a key stands twice"),
    ("Cannot", "conflicts with what stands above under the same name"),
    ("Illegal character", "has a control character in it"),
)


@dataclass(frozen=True)
class TomlSource:
    """A parsed file and where its keys stand."""

    file: str
    table: dict[str, Any]
    outline: Outline

    def holds(self, path: KeyPath) -> bool:
        """Whether the file sets this key."""
        inner: Any = self.table
        for part in path:
            try:
                inner = inner[part]
            except (KeyError, IndexError, TypeError):
                return False
        return True


def parse(data: bytes, file: str) -> TomlSource:
    """Read a file's bytes. Raises InvalidConfigError naming `file`, the line and, where known, the key."""
    text = _decoded(data, file)
    outline = Outline(text)
    try:
        return TomlSource(file, tomllib.loads(text), outline)
    except ValueError as error:
        # TOMLDecodeError, or what Python says of a number with thousands of digits.
        raise InvalidConfigError(_syntax_problems(str(error), text, outline, file)) from None
    except RecursionError:
        raise InvalidConfigError([Problem("is nested too deeply to be read", file)]) from None


def place_names(place: Place) -> tuple[str, str]:
    """Section and key of a place as a problem names them."""
    if place.is_heading:
        return f"[{_dotted(place.path)}]", ""
    return section_name(place.path[:-1]), str(place.path[-1])


def section_name(path: KeyPath) -> str:
    """A table as it is written in the file; "" for the top level."""
    if not path:
        return ""
    if isinstance(path[-1], int):
        return f"[[{_dotted(path)}]] entry {path[-1] + 1}"
    return f"[{_dotted(path)}]"


def _dotted(path: KeyPath) -> str:
    return ".".join(part for part in path if isinstance(part, str))


def _decoded(data: bytes, file: str) -> str:
    utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if utf_16 or b"\0" in data[:4]:
        raise InvalidConfigError([Problem("the file is in UTF-16 or UTF-32; save it as UTF-8", file)])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        message = f"byte 0x{data[error.start]:02X} in column {column} is not UTF-8; save the file as UTF-8"
        raise InvalidConfigError([Problem(message, file, line)]) from None


def _syntax_problems(said: str, text: str, outline: Outline, file: str) -> list[Problem]:
    if said.startswith(("Cannot overwrite", "Cannot declare", "Cannot mutate")) and outline.repeated():
        return [
            Problem(
                f"stands twice, first on line {first.line}: keep one", file, again.line, *place_names(again)
            )
            for first, again in outline.repeated()
        ]
    lines = text.split("\n")
    match = _AT_LINE.search(said)
    line = int(match.group(1)) if match else text.rstrip().count("\n") + 1
    place = outline.at_line(line)
    if place and said.startswith(_OPEN_TEXT):
        # The parser tells where it gave an open text up, not where it began.
        line = place.line
    meaning = _meaning(said, lines[line - 1])
    # On a line without a key of its own only an open list or text can still belong to the key before.
    if place and (place.line == line or meaning.startswith("has ")):
        return [Problem(meaning, file, line, *place_names(place))]
    return [Problem(f"this line {meaning}", file, line)]


def _meaning(said: str, line: str) -> str:
    in_a_text = "character" in said or "Unterminated" in said
    if said.startswith(("Unescaped", "Invalid hex", "Escaped character")) or (
        in_a_text and _BACKSLASH_IN_DOUBLE_QUOTES.search(line)
    ):
        return (
            "has a backslash inside double quotes, where it starts an escape: "
            "write a Windows path in single quotes, such as 'C:\\Users\\me'"
        )
    if said.startswith("Invalid value") and _TYPOGRAPHIC_QUOTES.search(line):
        return "has typographic quotes: use plain ones"
    for beginning, meaning in _MEANINGS:
        if said.startswith(beginning):
            return meaning
    return f"cannot be read as TOML: {_AT_LINE.sub('', said).strip()}"
