"""`stt-daemon config init`, `show` and `check`."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from stt_daemon.cli import main
from stt_daemon.cli.doctor import _configuration
from stt_daemon.config import Config, load_config, render_example


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("arguments", "file"), [([], "config.toml"), (["x.toml"], "x.toml"), (["--config", "y.toml"], "y.toml")]
)
def test_init_writes_the_example_for_its_owner_alone(arguments: list[str], file: str) -> None:
    previous = os.umask(0)
    try:
        assert main(["config", "init", *arguments]) == 0
    finally:
        os.umask(previous)
    assert Path(file).read_text(encoding="utf-8") == render_example()
    assert _mode(Path(file)) == 0o600
    assert load_config(Path(file)).config == Config()


def test_init_does_not_overwrite_unless_told_to(capsys: pytest.CaptureFixture[str]) -> None:
    Path("config.toml").write_text("[vad]\n")
    Path("config.toml").chmod(0o644)
    assert main(["config", "init"]) == 2
    assert capsys.readouterr().err == "error: config.toml exists already (--force replaces it)\n"
    assert Path("config.toml").read_text() == "[vad]\n"
    assert main(["config", "init", "--force"]) == 0
    assert Path("config.toml").read_text(encoding="utf-8") == render_example()
    assert _mode(Path("config.toml")) == 0o600
    assert [path.name for path in Path().iterdir()] == ["config.toml"]


def test_init_with_force_writes_through_a_link() -> None:
    Path("real.toml").write_text("")
    Path("config.toml").symlink_to("real.toml")
    assert main(["config", "init", "--force"]) == 0
    assert Path("config.toml").is_symlink()
    assert Path("real.toml").read_text(encoding="utf-8") == render_example()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["no/such/folder.toml"],
            "error: no/such/folder.toml cannot be written: No such file or directory\n",
        ),
        (["."], "error: . cannot be written: it is a folder\n"),
        (["a", "--config", "b"], "error: config init takes PATH or --config PATH, not both\n"),
    ],
)
def test_init_says_why_it_cannot_write(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "init", *arguments]) == 2
    assert capsys.readouterr().err == said


SOME = """\
[vad]
threshold = 0.6
[llm]
api_key = "sk-very-secret"
base_url = "http://me:pw@host/v1"
[[commands]]
name = "lamp"
phrases = ["on"]
argv = ["lamp", "\\u001b"]
"""


def test_show_prints_every_value_with_its_origin_and_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    Path("config.toml").write_text(SOME)
    assert main(["config", "show"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert "threshold = 0.6  # config.toml:2" in lines
    assert "end_silence_ms = 700  # default" in lines
    assert 'api_key = "***"  # config.toml:4' in lines
    assert 'base_url = "http://***@host/v1"  # config.toml:5' in lines
    assert 'name = "lamp"  # config.toml:7' in lines
    assert "# chat_slot_id is unset  # default" in lines
    assert "sk-very-secret" not in out
    assert all(line.isprintable() for line in lines)


def test_show_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    Path("config.toml").write_text(SOME)
    assert main(["config", "show", "--json"]) == 0
    out = capsys.readouterr().out
    shown = json.loads(out)
    assert shown["path"] == "config.toml"
    settings = shown["settings"]
    assert settings["vad"]["threshold"] == {"value": 0.6, "origin": "config.toml:2"}
    assert settings["llm"]["api_key"] == {"value": "***", "origin": "config.toml:4"}
    assert settings["llm"]["chat_slot_id"] == {"value": None, "origin": "default"}
    assert settings["commands"][0]["name"] == {"value": "lamp", "origin": "config.toml:7"}
    assert "sk-very-secret" not in out


def test_show_without_a_file_shows_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "show"]) == 0
    out = capsys.readouterr().out
    assert 'api_key = ""  # default' in out


def test_check_names_the_file_it_found_good(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "check"]) == 0
    assert capsys.readouterr().out == "ok: no configuration file, the defaults hold\n"
    Path("config.toml").write_text("[vad]\nthreshold = 1e-1\n")
    assert main(["config", "check"]) == 0
    assert capsys.readouterr().out == "config.toml: ok\n"


def test_check_prints_warnings_and_problems_a_line_each_and_exits_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("bad.toml").write_text('[vad]\ntreshold = 1\nthreshold = "0.5"\nmin_speech_ms = true\n')
    assert main(["config", "check", "--config", "bad.toml"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(" is not ")[0] for line in err.splitlines()] == [
        "warning: bad.toml, line 2: [vad] treshold",
        'error: bad.toml, line 3: [vad] threshold = "0.5"',
        "error: bad.toml, line 4: [vad] min_speech_ms = true",
    ]


CLASHING = """\
[[commands]]
name = "mute"
phrases = ["lamp off"]
argv = ["lamp", "off"]

[[commands]]
name = "lamp"
phrases = ["lamp on", "search for {what}"]
argv = ["lamp", "{what}"]
params = { what = "text" }
"""


@pytest.mark.parametrize("arguments", [["config", "check"], ["up", "--source", "talk.wav"]])
def test_commands_that_clash_with_built_in_ones_are_refused_by_check_as_by_up(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("config.toml").write_text(CLASHING)
    Path("talk.wav").write_bytes(b"")
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "error: config.toml, line 2: [[commands]] entry 1 name cannot be used: "
        "the name 'mute' belongs to the built-in command 'mute'",
        "error: config.toml, line 8: [[commands]] entry 2 phrases cannot be used: "
        "the phrase 'search for WHAT' belongs to the built-in command 'find'",
    ]
    assert not Path("sessions").exists()


def test_doctor_finds_the_same_clash() -> None:
    Path("config.toml").write_text(CLASHING)
    loaded, configured = _configuration(None)
    assert len(loaded.commands) == 2
    assert configured.error is not None
    assert "the name 'mute' belongs to" in configured.error.message
