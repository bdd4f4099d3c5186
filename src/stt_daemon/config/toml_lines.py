"""Where each key of a TOML text stands, which the standard parser does not tell. Pure; any thread.

The scanner only follows the outline (headings, keys, where a value ends); it judges nothing. On a text that
the parser refuses it goes on at the next line, so that a problem can still be located.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KeyPath = tuple[str | int, ...]
"""Names from the outside in; the number after the name of an array of tables counts its entries from 0."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY_PART = re.compile(r"""[ \t]*([A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')[ \t]*""")
_STRINGS = re.compile(r'"""|\'\'\'|"(?:\\.|[^"\\\n])*"?|\'[^\'\n]*\'?')


@dataclass(frozen=True)
class Place:
    """One key or heading and the line (from 1) it stands on."""

    path: KeyPath
    line: int
    is_heading: bool = False


class Outline:
    """The places of one text, in order."""

    def __init__(self, text: str) -> None:
        self.places: tuple[Place, ...] = tuple(_Scanner(text.replace("\r\n", "\n")).places())
        self._lines: dict[KeyPath, int] = {}
        for place in self.places:
            for depth in range(1, len(place.path)):
                self._lines.setdefault(place.path[:depth], place.line)
            self._lines.setdefault(place.path, place.line)

    def line_of(self, *path: str | int) -> int | None:
        """The line of a key, or of the innermost thing around it that has one."""
        for depth in range(len(path), 0, -1):
            if path[:depth] in self._lines:
                return self._lines[path[:depth]]
        return None

    def at_line(self, line: int) -> Place | None:
        """The last key or heading that starts on this line or before it."""
        return next((place for place in reversed(self.places) if place.line <= line), None)

    def repeated(self) -> list[tuple[Place, Place]]:
        """Each key or heading that was written before, after its first place."""
        first: dict[KeyPath, Place] = {}
        pairs = []
        for place in self.places:
            if first.setdefault(place.path, place) is not place:
                pairs.append((first[place.path], place))
        return pairs


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.counts: dict[KeyPath, int] = {}

    def places(self) -> list[Place]:
        found: list[Place] = []
        inside: KeyPath = ()
        while True:
            self.at = _end(_BLANK.match(self.text, self.at), self.at)
            if self.at >= len(self.text):
                return found
            line = self.text.count("\n", 0, self.at) + 1
            repeats = self.text.startswith("[[", self.at)
            if self.text.startswith("[", self.at):
                self.at += 2 if repeats else 1
                inside = self._in_arrays(self._key(), repeats)
                found.append(Place(inside, line, is_heading=True))
                self._to_next_line()
                continue
            key = self._key()
            if key and self.text.startswith("=", self.at):
                found.append(Place((*inside, *key), line))
                self.at += 1
                self._past_value()
            else:
                self._to_next_line()

    def _key(self) -> tuple[str, ...]:
        """The dotted key here, moving past it; empty when there is none."""
        parts: list[str] = []
        while match := _KEY_PART.match(self.text, self.at):
            parts.append(_bare(match.group(1)))
            self.at = match.end()
            if not self.text.startswith(".", self.at):
                break
            self.at += 1
        return tuple(parts)

    def _in_arrays(self, names: tuple[str, ...], repeats: bool) -> KeyPath:
        """A heading's path with the number of the entry it belongs to after each array of tables."""
        path: KeyPath = ()
        for depth, name in enumerate(names, 1):
            path = (*path, name)
            if repeats and depth == len(names):
                self.counts[path] = self.counts.get(path, 0) + 1
            if path in self.counts:
                path = (*path, self.counts[path] - 1)
        return path

    def _past_value(self) -> None:
        """Move to the end of the line on which the value ends."""
        depth = 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in "\"'":
                self._past_string()
                continue
            if char == "#":
                self._to_next_line()
                continue
            if char == "\n" and depth <= 0:
                return
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(char, 0)
            self.at += 1

    def _past_string(self) -> None:
        match = _STRINGS.match(self.text, self.at)
        assert match is not None
        quote = match.group()
        self.at = match.end()
        if quote not in ('"""', "'''"):
            return
        while self.at < len(self.text):
            if self.text.startswith(quote, self.at):
                self.at += 3
                # Up to two more quotes belong to the text itself.
                while self.text.startswith(quote[0], self.at):
                    self.at += 1
                return
            self.at += 2 if quote == '"""' and self.text[self.at] == "\\" else 1

    def _to_next_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end


def _end(match: re.Match[str] | None, otherwise: int) -> int:
    return match.end() if match else otherwise


def _bare(key: str) -> str:
    """A key without its quotes and escapes."""
    if key[0] not in "\"'":
        return key
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except tomllib.TOMLDecodeError:
        return key
