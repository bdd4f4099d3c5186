"""What a command is, and the closed set of them: nothing outside it can ever run. Pure and immutable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from stt_daemon.commands.argv import PLACEHOLDER, Program, placeholders
from stt_daemon.commands.clock_time import read_time
from stt_daemon.commands.values import (
    Unreadable,
    Value,
    read_duration,
    read_number,
    read_one_of,
    read_text,
)
from stt_daemon.commands.words import forms
from stt_daemon.errors import ConfigError

ParamType = Literal["text", "number", "duration", "time", "choice"]
PARAM_TYPES: tuple[ParamType, ...] = ("text", "number", "duration", "time")
"""The types a user command may name."""

Confirm = Literal["never", "chosen", "spoken", "always"]
"""When a command asks first: never; when a model chose it; when it was not typed; always."""


@dataclass(frozen=True)
class Param:
    """An argument: `asks` is the question for it, `choices` maps each word that may be said to its value."""

    name: str
    type: ParamType
    asks: str
    minimum: int = 0
    maximum: int = 999_999
    choices: Mapping[str, str] = field(default_factory=dict)

    def read(self, text: str) -> Value | Unreadable:
        """The value a text stands for."""
        if self.type == "text":
            return read_text(text)
        if self.type == "duration":
            return read_duration(text)
        if self.type == "time":
            return read_time(text)
        if self.type == "choice":
            return read_one_of(text, self.choices)
        number = read_number(text)
        if isinstance(number, int) and not self.minimum <= number <= self.maximum:
            return Unreadable(f"{number} is not between {self.minimum} and {self.maximum}")
        return number


@dataclass(frozen=True)
class Pattern:
    """A phrase as its words and `{param}` places, and the arguments that it settles by itself."""

    parts: tuple[str, ...]
    preset: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, phrase: str, preset: Mapping[str, str] | None = None) -> Pattern:
        parts: list[str] = []
        for piece in re.split(rf"({PLACEHOLDER})", phrase):
            parts.extend([piece] if re.fullmatch(PLACEHOLDER, piece) else forms(piece))
        return cls(tuple(parts), preset or {})

    @cached_property
    def slots(self) -> tuple[str, ...]:
        return tuple(part[1:-1] for part in self.parts if part.startswith("{"))

    @cached_property
    def literals(self) -> tuple[str, ...]:
        return tuple(part for part in self.parts if not part.startswith("{"))

    def shown(self) -> str:
        return " ".join(part.strip("{}").upper() if part.startswith("{") else part for part in self.parts)


@dataclass(frozen=True)
class Command:
    """One entry. `title` completes "Do you want to ...?"; `names` are what may follow the slash.

    `typed` are the patterns after the slash name; `optional` parameters may be left out. `choosable` says
    whether a model may pick it. Only a user command has a `program`.
    """

    id: str
    title: str
    phrases: tuple[Pattern, ...]
    names: tuple[str, ...] = ()
    typed: tuple[Pattern, ...] = (Pattern(()),)
    params: tuple[Param, ...] = ()
    optional: frozenset[str] = frozenset()
    confirm: Confirm = "never"
    choosable: bool = True
    program: Program | None = None

    def param(self, name: str) -> Param | None:
        return next((param for param in self.params if param.name == name), None)

    def usage(self) -> str:
        """Its typed forms, for a person who mistyped it."""
        return " or ".join(f"/{self.names[0]} {pattern.shown()}".strip() for pattern in self.typed)


@dataclass(frozen=True)
class UserCommand:
    """A `[[commands]]` entry as configured; the fields are the keys of the file."""

    name: str
    phrases: Sequence[str]
    argv: Sequence[str]
    params: Mapping[str, str] = field(default_factory=dict)
    confirm: bool = True
    timeout_s: float = 20.0


@dataclass(frozen=True)
class EntryProblem:
    """Why a `[[commands]]` entry (counted from 0) cannot be used; `key` is the one to blame."""

    entry: int
    key: str
    text: str


class CommandsError(ConfigError):
    """The user's commands cannot be used: a line for each of `problems`."""

    def __init__(self, problems: Sequence[EntryProblem], user: Sequence[UserCommand]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            "\n".join(
                f"[[commands]] entry {p.entry + 1} ({user[p.entry].name!r}): {p.text}" for p in problems
            )
        )


class Registry:
    """All commands of this run. Raises CommandsError if they are not usable or cannot live together."""

    def __init__(self, builtin: Iterable[Command], user: Sequence[UserCommand] = ()) -> None:
        own = tuple(builtin)
        found = [
            EntryProblem(number, key, text)
            for number, entry in enumerate(user)
            for key, text in _problems(entry)
        ]
        bad = {problem.entry for problem in found}
        usable = {number: user_command(entry) for number, entry in enumerate(user) if number not in bad}
        found += _clashes(own, usable)
        if found:
            raise CommandsError(sorted(found, key=lambda problem: problem.entry), user)
        self.commands = (*own, *usable.values())
        self._by_id = {command.id: command for command in self.commands}
        self._by_name = {name: command for command in self.commands for name in command.names}

    def get(self, command_id: str) -> Command | None:
        return self._by_id.get(command_id)

    def named(self, name: str) -> Command | None:
        """The command of a slash name, in any case."""
        return self._by_name.get(name.casefold())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)


def user_command(entry: UserCommand) -> Command:
    """The registry's form of a configured command that has no problems."""
    params = tuple(
        Param(name, kind, f"What should “{name}” be?")  # type: ignore[arg-type]
        for name, kind in entry.params.items()
    )
    return Command(
        id=slug(entry.name),
        title=f"run “{entry.name}”",
        names=(slug(entry.name),),
        typed=(Pattern(tuple(f"{{{param.name}}}" for param in params)),) if len(params) < 2 else (),
        phrases=tuple(Pattern.of(phrase) for phrase in entry.phrases),
        params=params,
        confirm="always" if entry.confirm else "never",
        program=Program(tuple(entry.argv), entry.timeout_s),
    )


def slug(name: str) -> str:
    """A name as it is typed after the slash: lower case, hyphens between its words."""
    return "-".join(forms(name))


def _problems(entry: UserCommand) -> Iterator[tuple[str, str]]:
    """The key to blame, and what is wrong."""
    if not slug(entry.name):
        yield "name", "the name holds no letter or digit"
    for name, kind in entry.params.items():
        if kind not in PARAM_TYPES:
            types = ", ".join(PARAM_TYPES)
            yield "params", f"parameter {name!r} has the type {kind!r}; types are {types}"
    if not entry.phrases:
        yield "phrases", "it has no phrase"
    for phrase in entry.phrases:
        pattern = Pattern.of(phrase)
        if not pattern.literals:
            yield "phrases", f"phrase {phrase!r} holds no word of its own and would fit everything"
        for slot in pattern.slots:
            if slot not in entry.params:
                yield "phrases", f"phrase {phrase!r} names {{{slot}}}, which is no parameter"
        if len(set(pattern.slots)) != len(pattern.slots):
            yield "phrases", f"phrase {phrase!r} names a parameter twice"
        if any(a[0] == b[0] == "{" for a, b in zip(pattern.parts, pattern.parts[1:], strict=False)):
            yield "phrases", f"phrase {phrase!r} has two parameters without a word between them"
    if not entry.argv or not entry.argv[0].strip():
        yield "argv", "argv names no program"
    elif placeholders(entry.argv[0]):
        yield "argv", "what was said can become an argument, never the program: argv starts with a parameter"
    used = {name for part in entry.argv for name in placeholders(part)}
    for name in sorted(used - set(entry.params)):
        yield "argv", f"argv names {{{name}}}, which is no parameter"
    if any("\0" in part for part in entry.argv):
        yield "argv", "argv holds a NUL character"


def _clashes(builtin: Sequence[Command], user: Mapping[int, Command]) -> Iterator[EntryProblem]:
    """Names and phrases that are taken: by a command of this program, or by an earlier entry."""
    names: dict[str, str] = {}
    phrases: dict[tuple[str, ...], str] = {}
    for command in builtin:
        owner = f"the built-in command {command.id!r}"
        names.update(dict.fromkeys((command.id, *command.names), owner))
        phrases.update(dict.fromkeys(map(_shape, command.phrases), owner))
    for number, command in user.items():
        owner = f"entry {number + 1}"
        if names.setdefault(command.id, owner) != owner:
            yield EntryProblem(number, "name", f"the name {command.id!r} belongs to {names[command.id]}")
        for pattern in command.phrases:
            first = phrases.setdefault(_shape(pattern), owner)
            if first != owner:
                yield EntryProblem(number, "phrases", f"the phrase {pattern.shown()!r} belongs to {first}")


def _shape(pattern: Pattern) -> tuple[str, ...]:
    """A phrase whatever its places are called."""
    return tuple("{}" if part.startswith("{") else part for part in pattern.parts)
