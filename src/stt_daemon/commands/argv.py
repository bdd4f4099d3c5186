"""From a user command's template and its arguments to the words of a process, without a shell. Pure.

Each element of the template becomes exactly one element of the result, whatever the arguments hold, and the
first, the program, never changes. An argument is put in once: what looks like a placeholder inside it stays
text. Refused are arguments with control characters or lone surrogates, and an element that an argument would
turn into an option: one that begins with "-" because of the argument, unless the template says "--" before
it (after which programs read no options) or fixed text of the same element comes first ("--text={text}").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from stt_daemon.commands.values import Duration, TimeOfDay, Value

PLACEHOLDER = r"\{[A-Za-z_][A-Za-z0-9_]*\}"
"""Where an argument goes, in a phrase as in a template."""

_PLACEHOLDER = re.compile(PLACEHOLDER)

_DASHES = "-‐‑‒–—―−－﹣"
"""Also the look-alikes, some of which programs take for the real one."""


@dataclass(frozen=True)
class Program:
    """`argv` as configured; the process is ended after `timeout_s` seconds."""

    argv: tuple[str, ...]
    timeout_s: float = 20.0


@dataclass(frozen=True)
class ArgvRefused:
    """The process is not started, and why."""

    reason: str


def placeholders(part: str) -> tuple[str, ...]:
    """The parameters an element of a template names."""
    return tuple(name[1:-1] for name in _PLACEHOLDER.findall(part))


def as_argument(value: Value) -> str:
    """How a value is handed over: text as said, numbers in digits, durations in seconds, times as HH:MM."""
    if isinstance(value, Duration):
        return str(value.seconds)
    if isinstance(value, TimeOfDay):
        return str(value)
    return str(value)


def build_argv(program: Program, args: Mapping[str, Value]) -> tuple[str, ...] | ArgvRefused:
    """The words of the process: as many as the template has, the program first."""
    words = {name: as_argument(value) for name, value in args.items()}
    for name, word in words.items():
        if any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in word):
            return ArgvRefused(f"“{name}” holds control characters")
    built = [program.argv[0]]
    options_ended = False
    for part in program.argv[1:]:
        names = placeholders(part)
        missing = [name for name in names if name not in words]
        if missing:
            return ArgvRefused(f"“{missing[0]}” is missing")
        element = _PLACEHOLDER.sub(lambda hit: words[hit[0][1:-1]], part)
        fixed_start = _PLACEHOLDER.match(part) is None
        if names and not fixed_start and not options_ended and element.lstrip()[:1] in tuple(_DASHES):
            return ArgvRefused(f"“{names[0]}” begins with a dash and would be read as an option")
        options_ended = options_ended or part == "--"
        built.append(element)
    return tuple(built)
