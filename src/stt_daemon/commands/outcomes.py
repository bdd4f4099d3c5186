"""What becomes of something typed or said in command mode: plain data for the core to act on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stt_daemon.commands.values import Duration, TimeOfDay, Value

Source = Literal["typed", "spoken", "chosen"]
"""How the command was found; `chosen` by a model, and then checked."""


@dataclass(frozen=True)
class Run:
    """Carry out `command` with `args`, which are complete and of the declared types."""

    command: str
    args: Mapping[str, Value] = field(default_factory=dict)
    source: Source = "typed"
    confirmed: bool = False

    def plain_args(self) -> dict[str, str | int]:
        """The arguments for an event or a record: durations in seconds, times as HH:MM."""
        return {name: _plain(value) for name, value in self.args.items()}


@dataclass(frozen=True)
class NeedsConfirmation:
    """`run` waits for a yes. `replaced` is a proposal that waited before and is dropped for this one."""

    run: Run
    question: str
    replaced: Run | None = None


@dataclass(frozen=True)
class Ask:
    """Nothing runs; the user is asked. `options` are things they could say; `command` is set if it is clear.

    With `waits`, the next spoken turn is tried as the answer.
    """

    question: str
    options: tuple[str, ...] = ()
    command: str = ""
    waits: bool = False


@dataclass(frozen=True)
class Refused:
    """Nothing runs, and that is the end of it: declined, out of date, or not possible."""

    reason: str
    command: str = ""


@dataclass(frozen=True)
class Unmatched:
    """No phrase fits; a model may be asked to choose, else `Commands.unsure` words the question."""

    text: str


Outcome = Run | NeedsConfirmation | Ask | Refused


def _plain(value: Value) -> str | int:
    if isinstance(value, Duration):
        return value.seconds
    return str(value) if isinstance(value, TimeOfDay) else value
