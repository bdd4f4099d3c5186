"""Reading a configuration from a text, for the tests of what is said about it."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent

import pytest

from stt_daemon.config import InvalidConfigError, LoadedConfig, Problem, load_config


def load(folder: Path, text: str | bytes) -> LoadedConfig:
    data = dedent(text).encode() if isinstance(text, str) else text
    (folder / "config.toml").write_bytes(data)
    return load_config(folder / "config.toml")


def error_lines(folder: Path, text: str | bytes) -> list[str]:
    """The error's lines, without the folder's name."""
    with pytest.raises(InvalidConfigError) as raised:
        load(folder, text)
    lines = str(raised.value).splitlines()
    assert all(line.startswith(f"{folder}{os.sep}config.toml") for line in lines)
    return [line.removeprefix(f"{folder}{os.sep}config.toml") for line in lines]


def warning_lines(folder: Path, text: str) -> list[str]:
    warned = [problem.text() for problem in load(folder, text).warnings]
    return [line.removeprefix(f"{folder}{os.sep}config.toml, ") for line in warned]


def problems_of(folder: Path, data: bytes) -> tuple[Problem, ...]:
    """What is said about these bytes, whether they can be used or not."""
    try:
        return load(folder, data).warnings
    except InvalidConfigError as error:
        return (*error.problems, *error.warnings)
