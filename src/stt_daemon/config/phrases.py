"""Spoken phrases and command names: each may mean one thing only. Pure; any thread."""

from __future__ import annotations

from collections.abc import Iterator

from stt_daemon.config.model import COMMANDS, Config
from stt_daemon.config.toml_lines import KeyPath

_MODE_KEYS = ("chat_phrases", "command_phrases", "end_phrases")


def clashes(config: Config) -> Iterator[tuple[KeyPath, str, str]]:
    """Path of the key to blame, the name or phrase that is taken, and what has it already."""
    names: dict[str, int] = {}
    for number, command in enumerate(config.commands):
        first = names.setdefault(_plain(command.name), number)
        if first != number:
            yield (COMMANDS, number, "name"), command.name, f"entry {first + 1}"
    taken: dict[str, KeyPath] = {}
    for path, phrase in _phrases(config):
        first_path = taken.setdefault(_plain(phrase), path)
        if first_path != path:
            yield path, phrase, _spot(first_path)


def _phrases(config: Config) -> Iterator[tuple[KeyPath, str]]:
    for key in _MODE_KEYS:
        for phrase in getattr(config.assistant, key):
            yield ("assistant", key), phrase
    for number, command in enumerate(config.commands):
        for phrase in command.phrases:
            yield (COMMANDS, number, "phrases"), phrase


def _plain(text: str) -> str:
    """Letters and words as speech compares them: neither case nor spacing counts."""
    return " ".join(text.casefold().split())


def _spot(path: KeyPath) -> str:
    if path[0] == COMMANDS:
        return f"[[{COMMANDS}]] entry {int(path[1]) + 1}"
    return f"[{path[0]}] {path[-1]}"
