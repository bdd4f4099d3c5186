"""The commented example file, written from the models so that it cannot drift from them. Pure; any thread."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from pydantic.fields import FieldInfo

from stt_daemon.config.fields import Section, accepted
from stt_daemon.config.model import COMMANDS, SECTIONS, heading
from stt_daemon.config.problems import shown
from stt_daemon.config.sections import CommandConfig

_WIDTH = 100

_HEAD = """\
# Configuration of stt-daemon. Every key shows its default and may be left out.
# Read from config.toml in the working directory, else from the user's configuration folder.
# `stt-daemon config check` checks it, `stt-daemon config show` tells what holds and where it comes from."""

_COMMAND = CommandConfig(
    name="reminder",
    phrases=("set a reminder", "remind me"),
    argv=("notify-send", "Reminder", "{text}"),
    params={"text": "text"},
)


def render_example() -> str:
    """The text of `config.example.toml`, which loads as the defaults. Ends with a newline."""
    parts = [_HEAD, *(_section(name, kind) for name, kind in SECTIONS.items()), _commands()]
    return "\n\n\n".join(parts) + "\n"


def _section(name: str, kind: type[Section]) -> str:
    defaults = kind()
    keys = [
        f"{_comment(key, field)}\n{_setting(key, getattr(defaults, key))}"
        for key, field in kind.model_fields.items()
    ]
    return "\n\n".join([f"{_wrapped(kind.__doc__ or '')}\n{heading(name)}", *keys])


def _commands() -> str:
    """As an example it must not define anything: all of it is commented out."""
    keys = "\n\n".join(
        f"{_comment(key, field)}\n# {key} = {toml_value(getattr(_COMMAND, key))}"
        for key, field in CommandConfig.model_fields.items()
    )
    return f"{_wrapped(CommandConfig.__doc__ or '')}\n# {heading(COMMANDS)}\n\n{keys}"


def _comment(key: str, field: FieldInfo) -> str:
    assert field.description, f"{key} needs a docstring"
    return f"{_wrapped(field.description)}\n{_wrapped(f'Accepts {accepted(field)}.')}"


def _wrapped(text: str) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _setting(key: str, value: Any) -> str:
    if value is None:
        return f"# {key} = 0"
    return f"{key} = {toml_value(value)}"


def toml_value(value: Any) -> str:
    """A value as TOML; a text of several lines between triple quotes."""
    if hasattr(value, "get_secret_value"):
        value = value.get_secret_value()
    if isinstance(value, str) and "\n" in value:
        return '"""\n' + "\n".join(_escaped(value)) + '"""'
    return shown(value)


def _escaped(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield line.replace("\\", "\\\\").replace('"""', '""\\"')
