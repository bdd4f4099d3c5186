"""Keys and sections nobody knows: a warning for a slip, an error where it would change who is spoken to.

A key of another section at the wrong level is an error, because the program would silently take the
default instead, and a default address could receive speech meant for another. Pure; any thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from stt_daemon.config.model import COMMANDS, SECTIONS, fields_of, heading, owners_of
from stt_daemon.config.problems import Problem
from stt_daemon.config.toml_lines import KeyPath
from stt_daemon.config.toml_source import TomlSource, section_name

_STALE_TRIAGE = {
    "socket": "the classifier runs inside the program and needs no socket; nothing took its place",
    "model": "the model is fixed by default_checkpoint; nothing took its place",
    "predict_timeout_s": "a classification has no time limit of its own; nothing took its place",
    "checkpoint": "default_checkpoint took its place",
    "subfolder": "the folder inside a checkpoint is found without it; nothing took its place",
    "max_len": "long documents are not classified; predict_max_tokens limits what is",
}


@dataclass
class KnownTables:
    """What is left to validate, and what was said about the rest."""

    sections: dict[str, dict[str, Any]] = field(default_factory=dict)
    commands: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


def sort_out(source: TomlSource) -> KnownTables:
    """Split a parsed file into its known sections; everything else becomes a problem or a warning."""
    known = KnownTables()
    for name, value in source.table.items():
        if name in SECTIONS:
            if isinstance(value, dict):
                known.sections[name] = _known_keys(source, known, name, (name,), value)
            else:
                _wrong_shape(source, known, name, f"is a section: write [{name}] once, and its keys below it")
        elif name == COMMANDS:
            if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
                known.commands = [
                    _known_keys(source, known, COMMANDS, (COMMANDS, number), entry)
                    for number, entry in enumerate(value)
                ]
            else:
                _wrong_shape(
                    source, known, name, "is a list: write [[commands]] above the keys of each command"
                )
        else:
            _report_unknown(source, known, "", (name,), value)
    return known


def _wrong_shape(source: TomlSource, known: KnownTables, name: str, message: str) -> None:
    known.problems.append(Problem(message, source.file, source.outline.line_of(name), key=name))


def _known_keys(
    source: TomlSource, known: KnownTables, section: str, path: KeyPath, table: dict[str, Any]
) -> dict[str, Any]:
    kept = {}
    for key, value in table.items():
        if key in fields_of(section):
            kept[key] = value
        elif section == "triage" and key in _STALE_TRIAGE:
            known.warnings.append(
                _about(source, (*path, key), f"is an old key without effect: {_STALE_TRIAGE[key]}; remove it")
            )
        else:
            _report_unknown(source, known, section, (*path, key), value)
    return kept


def _report_unknown(source: TomlSource, known: KnownTables, section: str, path: KeyPath, value: Any) -> None:
    """A warning for an unknown name, or errors for the keys at or below it that a section owns."""
    misplaced = list(_misplaced(path, value))
    for key_path, owners in misplaced:
        where = " or ".join(heading(owner) for owner in owners)
        known.problems.append(_about(source, key_path, f"belongs in {where}; it would have no effect here"))
    if misplaced:
        return
    name = str(path[-1])
    if not section and (written := _as_section(name, value)):
        guess = _nearest(name, (*SECTIONS, COMMANDS))
        hint = f"; did you mean {heading(guess)}?" if guess else ""
        message = f"is not a known section and has no effect{hint}"
        known.warnings.append(Problem(message, source.file, source.outline.line_of(name), section=written))
        return
    known.warnings.append(
        _about(source, path, f"is not a known key and has no effect{_key_hint(section, name)}")
    )


def _misplaced(path: KeyPath, value: Any) -> Iterator[tuple[KeyPath, tuple[str, ...]]]:
    owners = owners_of(str(path[-1])) if isinstance(path[-1], str) else ()
    if owners:
        yield path, owners
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _misplaced((*path, key), inner)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _misplaced((*path, number), inner)


def _as_section(name: str, value: Any) -> str:
    """How an unknown section is written in the file; "" when it is only a key with a value."""
    if isinstance(value, dict):
        return f"[{name}]"
    is_array = isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value)
    return f"[[{name}]]" if is_array else ""


def _about(source: TomlSource, path: KeyPath, message: str) -> Problem:
    return Problem(
        message,
        source.file,
        source.outline.line_of(*path),
        section=section_name(path[:-1]),
        key=str(path[-1]),
    )


def _key_hint(section: str, name: str) -> str:
    if section and (guess := _nearest(name, fields_of(section))):
        return f"; did you mean {guess}?"
    if section == "" and (guess := _nearest(name, (*SECTIONS, COMMANDS))):
        return f"; did you mean the section {heading(guess)}?"
    if guess := _nearest(name, {key for owner in (*SECTIONS, COMMANDS) for key in fields_of(owner)}):
        return f"; did you mean {guess} in {' or '.join(heading(owner) for owner in owners_of(guess))}?"
    return ""


def _nearest(name: str, known: Iterable[str]) -> str:
    """The known name that looks most like this one, or ""."""
    plain = name.lower().replace("-", "_")
    matches = get_close_matches(plain, sorted(known), n=1, cutoff=0.65)
    return matches[0] if matches else ""
