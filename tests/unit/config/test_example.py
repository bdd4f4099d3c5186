"""The example file is what the models say, and says what the models do."""

from __future__ import annotations

import re
from pathlib import Path

from stt_daemon.config import Config, load_config, render_example
from stt_daemon.config.model import COMMANDS, SECTIONS, fields_of

EXAMPLE = Path(__file__).parents[3] / "config.example.toml"


def test_the_file_in_the_repository_is_the_generated_one() -> None:
    assert EXAMPLE.read_text(encoding="utf-8") == render_example()


def test_the_example_loads_as_the_defaults_without_a_warning() -> None:
    loaded = load_config(EXAMPLE)
    assert loaded.config == Config()
    assert loaded.warnings == ()


def test_the_example_sets_every_key_that_has_a_value() -> None:
    origins = load_config(EXAMPLE).origins
    unset = {name for name, origin in origins.items() if origin == "default"}
    assert unset == {"llm.chat_slot_id", "triage.brief_slot_id"}


def test_every_key_stands_in_the_example_under_its_docstring() -> None:
    text = re.sub(r"\n# ", " ", EXAMPLE.read_text(encoding="utf-8"))
    for section in (*SECTIONS, COMMANDS):
        for key, field in fields_of(section).items():
            assert field.description in text, f"{section}.{key}"


def test_the_commented_command_is_valid_once_uncommented(tmp_path: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    block = text[text.index("# [[commands]]") :]
    active = "\n".join(re.findall(r"^# (\[\[commands\]\]|\w+ = .*)$", block, flags=re.MULTILINE))
    (tmp_path / "c.toml").write_text(active, encoding="utf-8")
    (command,) = load_config(tmp_path / "c.toml").config.commands
    assert command.argv[0] == "notify-send"
