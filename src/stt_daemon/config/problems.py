"""What is wrong with a configuration, as data, and how a value is shown. Pure; any thread."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stt_daemon.domain.text import printable
from stt_daemon.errors import ConfigError

_CREDENTIALS = re.compile(r"(//)[^/@\s\"]+@")
_LONGEST_VALUE = 60
_LONGEST_INT_BITS = 1024


@dataclass(frozen=True)
class Problem:
    """One thing the user should mend (or, as a warning, know).

    `section` is as written in the file (`[vad]`, `[[commands]] entry 2`) or "", `key` and `value` may be
    empty; `value` is what `shown` made of it. `message` goes on after them: "is not accepted: ...".
    """

    message: str
    file: str = ""
    line: int | None = None
    section: str = ""
    key: str = ""
    value: str = ""

    def text(self) -> str:
        """One line, without control characters: `config.toml, line 4: [vad] threshold = 7 is not ...`."""
        where = f"{self.file}, line {self.line}: " if self.line else f"{self.file}: "
        key = f"{self.key} = {self.value}" if self.value else self.key
        return printable(
            (where if self.file else "") + " ".join(filter(None, (self.section, key, self.message)))
        )


class InvalidConfigError(ConfigError):
    """A configuration with problems: one line each. `warnings` would not have stopped the start."""

    def __init__(self, problems: Sequence[Problem], warnings: Sequence[Problem] = ()) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line or 0))
        self.warnings = tuple(warnings)
        super().__init__("\n".join(problem.text() for problem in self.problems))


def shown(value: Any) -> str:
    """A value as one would write it in the file, on one line, without credentials in an address."""
    return without_credentials(printable(_written(value)))


def without_credentials(text: str) -> str:
    """The text with user name and password of an address in it hidden."""
    return _CREDENTIALS.sub(r"\1***@", text)


def shortened(text: str) -> str:
    """Enough of a shown value to recognise it in an error."""
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def _written(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_written(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_written(inner) for inner in value) + "]"
    if isinstance(value, int) and value.bit_length() > _LONGEST_INT_BITS:
        # Python refuses to write very long numbers in decimal.
        return hex(value)
    return str(value)
