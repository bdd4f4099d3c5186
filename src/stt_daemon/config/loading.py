"""Find, read and check the configuration file; report everything that is wrong with it at once.

Reads the disk once, before anything is started; any thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import ValidationError

from stt_daemon.config.fields import Section, accepted
from stt_daemon.config.model import COMMANDS, SECRET_KEYS, SECTIONS, Config, fields_of
from stt_daemon.config.pairs import PAIRS
from stt_daemon.config.phrases import clashes
from stt_daemon.config.problems import InvalidConfigError, Problem, shortened, shown
from stt_daemon.config.sections import CommandConfig
from stt_daemon.config.toml_lines import KeyPath
from stt_daemon.config.toml_source import TomlSource, parse, section_name
from stt_daemon.config.unknown import sort_out

FILE_NAME = "config.toml"
DEFAULT_ORIGIN = "default"


@dataclass(frozen=True)
class LoadedConfig:
    """A valid configuration, the file it came from (None: defaults alone), and what to warn about.

    `origins` tells for every setting (`vad.threshold`, `commands[0].name`) where its value came from:
    `default`, or file and line (`config.toml:12`).
    """

    config: Config
    path: Path | None
    warnings: tuple[Problem, ...]
    origins: Mapping[str, str]


def load_config(path: Path | None = None, *, cwd: Path | None = None) -> LoadedConfig:
    """Load `path`, else `config.toml` in `cwd` (the working directory), else in the user's config folder.

    Raises InvalidConfigError (a ConfigError) with one line for each problem.
    """
    found = (path, _read_named(path)) if path else _first_found(cwd)
    if found is None:
        return LoadedConfig(Config(), None, (), _origins(Config(), None))
    source = parse(found[1], str(found[0]))
    config, warnings = _checked(source)
    return LoadedConfig(config, found[0], warnings, _origins(config, source))


def default_paths(cwd: Path | None = None) -> tuple[Path, ...]:
    """Where a configuration is looked for, best first."""
    user = platformdirs.user_config_path("stt-daemon", appauthor=False) / FILE_NAME
    return (cwd / FILE_NAME if cwd else Path(FILE_NAME)), user


def _read_named(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error


def _first_found(cwd: Path | None) -> tuple[Path, bytes] | None:
    for path in default_paths(cwd):
        try:
            return path, path.read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            # A link that leads nowhere was meant to be a configuration: the defaults are not what was wanted.
            if path.is_symlink():
                raise _unreadable(path, error) from error
        except OSError as error:
            raise _unreadable(path, error) from error
    return None


def _unreadable(path: Path, error: OSError) -> InvalidConfigError:
    reason = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
    return InvalidConfigError([Problem(f"the configuration cannot be read: {reason}", str(path))])


def _checked(source: TomlSource) -> tuple[Config, tuple[Problem, ...]]:
    known = sort_out(source)
    report = _Report(source, list(known.problems))
    sections = {
        name: section
        for name, table in known.sections.items()
        if (section := report.section((name,), SECTIONS[name], table))
    }
    commands = [
        command
        for number, table in enumerate(known.commands)
        if (command := report.section((COMMANDS, number), CommandConfig, table))
    ]
    config = Config.model_validate({**sections, COMMANDS: commands})
    report.impossible_pairs(config)
    if len(commands) == len(known.commands):
        report.clashes(config)
    if report.problems:
        raise InvalidConfigError(report.problems, known.warnings)
    return config, tuple(known.warnings)


class _Report:
    """Collects the problems of one file; `refused` holds the keys that cannot be judged further."""

    def __init__(self, source: TomlSource, problems: list[Problem]) -> None:
        self.source = source
        self.problems = problems
        self.refused: set[KeyPath] = set()

    def section(self, path: KeyPath, kind: type[Section], table: dict[str, Any]) -> Section | None:
        """The section made of what is valid in `table`; None when too little is."""
        try:
            return kind.model_validate(table)
        except ValidationError as error:
            details = error.errors(include_url=False, include_input=False)
        for detail in details:
            spot = (*path, *detail["loc"][:1])
            if spot not in self.refused:
                self.refused.add(spot)
                self._add(spot, _complaint(kind, detail, table.get(str(spot[-1]))), table)
        try:
            return kind.model_validate({key: table[key] for key in table if (*path, key) not in self.refused})
        except ValidationError:
            # A required key is what was refused: its problem is already listed.
            return None

    def impossible_pairs(self, config: Config) -> None:
        for pair in PAIRS:
            if self.refused.isdisjoint(pair.keys) and pair.impossible(config):
                blamed = next((key for key in pair.keys if self.source.holds(key)), pair.keys[0])
                others = " and ".join(
                    f"[{section}] {key} = {shortened(shown(getattr(getattr(config, section), key)))}"
                    for section, key in pair.keys
                    if (section, key) != blamed
                )
                value = getattr(getattr(config, blamed[0]), blamed[1])
                self._add(blamed, f"does not go with {others}: {pair.reason}", {blamed[1]: value})

    def clashes(self, config: Config) -> None:
        for path, text, owner in clashes(config):
            self._add(path, f"repeats {shortened(shown(text))}, which {owner} has already")

    def _add(self, path: KeyPath, message: str, table: Mapping[str, Any] | None = None) -> None:
        """A problem of the key at `path`; its value is shown from `table` unless it may be a secret."""
        is_key = len(path) > 1 and isinstance(path[-1], str)
        section, key = (path[:-1], str(path[-1])) if is_key else (path, "")
        value = _recognisable(key, table[key]) if table and key in table else ""
        line = self.source.outline.line_of(*path)
        self.problems.append(Problem(message, self.source.file, line, section_name(section), key, value))


def _recognisable(key: str, value: Any) -> str:
    """Enough of a value to find it in the file, and nothing that could be a secret."""
    if key in SECRET_KEYS:
        return '"***"'
    if isinstance(value, dict) and key != "params":
        return "{...}"
    return shortened(shown(value))


def _complaint(kind: type[Section], detail: Any, value: Any) -> str:
    """What is wrong with one value and what is accepted, without the validator's own words."""
    ours = str(detail["ctx"]["error"]) if detail["type"] == "value_error" else ""
    if not detail["loc"]:
        return f"cannot be used: {ours}"
    key, *inner = detail["loc"]
    use = f"use {accepted(kind.model_fields[key])}"
    if detail["type"] == "missing":
        return f"is missing: {use}"
    if isinstance(value, str) and use.startswith(("use a number", "use a whole number", "use true")):
        use += ", without quotes"
    where = f"item {inner[0] + 1}: " if inner and isinstance(inner[0], int) else ""
    return f"is not accepted: {where}{ours}{'; ' if ours else ''}{use}"


def _origins(config: Config, source: TomlSource | None) -> dict[str, str]:
    paths: list[KeyPath] = [(section, key) for section in SECTIONS for key in fields_of(section)]
    paths += [(COMMANDS, n, key) for n in range(len(config.commands)) for key in fields_of(COMMANDS)]
    return {
        _dotted(path): f"{source.file}:{source.outline.line_of(*path)}"
        if source and source.holds(path)
        else DEFAULT_ORIGIN
        for path in paths
    }


def _dotted(path: KeyPath) -> str:
    """`vad.threshold`, `commands[0].name`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)[1:]
