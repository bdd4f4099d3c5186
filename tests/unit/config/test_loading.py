"""Where the configuration is found, and what is said when it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stt_daemon.config import Config, InvalidConfigError, default_paths, load_config
from tests.unit.config.reading import error_lines, load, problems_of


@pytest.fixture
def user_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the user's own configuration lies in these tests."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / "cfg"))
    folder = default_paths()[1].parent
    folder.mkdir(parents=True)
    return folder


# Finding it


def test_without_a_file_the_defaults_hold(tmp_path: Path, user_folder: Path) -> None:
    loaded = load_config(None, cwd=tmp_path)
    assert (loaded.config, loaded.path, loaded.warnings) == (Config(), None, ())
    assert set(loaded.origins.values()) == {"default"}


def test_the_working_directory_comes_before_the_users_folder(tmp_path: Path, user_folder: Path) -> None:
    (user_folder / "config.toml").write_text("[vad]\nthreshold = 0.4\n")
    assert load_config(None, cwd=tmp_path).config.vad.threshold == 0.4
    (tmp_path / "config.toml").write_text("[vad]\nthreshold = 0.6\n")
    assert load_config(None, cwd=tmp_path).config.vad.threshold == 0.6


def test_without_a_folder_the_working_directory_is_meant(
    tmp_path: Path, user_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.toml").write_text("[vad]\nthreshold = 0.6\n")
    monkeypatch.chdir(tmp_path)
    loaded = load_config(None)
    assert loaded.path == Path("config.toml")
    assert loaded.origins["vad.threshold"] == "config.toml:2"


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfigError, match=r"nowhere\.toml: .* cannot be read: there is no such"):
        load_config(tmp_path / "nowhere.toml")


def test_a_folder_in_place_of_the_file_is_an_error(tmp_path: Path, user_folder: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(InvalidConfigError, match="cannot be read"):
        load_config(None, cwd=tmp_path)


def test_a_link_that_leads_nowhere_is_an_error_not_the_defaults(tmp_path: Path, user_folder: Path) -> None:
    (tmp_path / "config.toml").symlink_to(tmp_path / "gone.toml")
    with pytest.raises(InvalidConfigError, match="there is no such file"):
        load_config(None, cwd=tmp_path)


def test_omitted_keys_take_their_defaults(tmp_path: Path) -> None:
    config = load(tmp_path, "[vad]\nthreshold = 0.6\n").config
    assert config == Config(vad=config.vad)
    assert config.vad.end_silence_ms == 700


def test_every_setting_knows_its_origin(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        """
        [vad]
        threshold = 0.6

        [[commands]]
        name = "lamp"
        phrases = ["on"]
        argv = ["lamp"]
        """,
    )
    file = tmp_path / "config.toml"
    assert loaded.origins["vad.threshold"] == f"{file}:3"
    assert loaded.origins["vad.end_silence_ms"] == "default"
    assert loaded.origins["commands[0].argv"] == f"{file}:8"
    assert loaded.origins["commands[0].confirm"] == "default"


def test_a_tilde_means_the_home_folder(tmp_path: Path, user_folder: Path) -> None:
    assert load(tmp_path, '[sessions]\ndir = "~/notes"\n').config.sessions.dir == str(Path.home() / "notes")


# Encoding and syntax


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    loaded = load(tmp_path, b"\xef\xbb\xbf[vad]\r\nthreshold = 0.6\r\n")
    assert (loaded.config.vad.threshold, loaded.warnings) == (0.6, ())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_is_named(tmp_path: Path, encoding: str) -> None:
    assert error_lines(tmp_path, "[vad]\n".encode(encoding)) == [
        ": the file is in UTF-16 or UTF-32; save it as UTF-8"
    ]


def test_a_stray_byte_is_named_with_its_place(tmp_path: Path) -> None:
    assert error_lines(tmp_path, b'[audio]\ndevice = "\xc3\xa9\xe9"\n') == [
        ", line 2: byte 0xE9 in column 12 is not UTF-8; save the file as UTF-8"
    ]


def test_every_key_that_stands_twice_is_named(tmp_path: Path) -> None:
    text = "[vad]\nthreshold = 0.5\nthreshold = 0.6\n[audio]\n[vad]\n"
    assert error_lines(tmp_path, text) == [
        ", line 3: [vad] threshold stands twice, first on line 2: keep one",
        ", line 5: [vad] stands twice, first on line 1: keep one",
    ]


@pytest.mark.parametrize("path", [r"C:\Users\me", r"C:\models\x", "C:\\dir\\"])
def test_a_windows_path_in_double_quotes_is_explained(tmp_path: Path, path: str) -> None:
    (line,) = error_lines(tmp_path, f'[sessions]\n\ndir = "{path}"\n')
    assert line.startswith(", line 3: [sessions] dir has a backslash inside double quotes")
    assert "single quotes" in line


@pytest.mark.parametrize("path", [r"C:\temp", r"C:\new", r"C:\bin", r"C:\rec"])
def test_a_windows_path_that_happens_to_be_valid_is_caught_too(tmp_path: Path, path: str) -> None:
    (line,) = error_lines(tmp_path, f'[sessions]\ndir = "{path}"\n')
    assert line.startswith(", line 2: [sessions] dir = ")
    assert "single quotes" in line
    assert line.isprintable()


def test_a_windows_path_in_single_quotes_is_taken(tmp_path: Path) -> None:
    assert load(tmp_path, "[sessions]\ndir = 'C:\\temp'\n").config.sessions.dir == r"C:\temp"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[llm]\nmodel = small\n", ", line 2: [llm] model has a value that cannot be read"),
        ('[llm]\nmodel = "small\nmax_tokens = 3\n', ", line 2: [llm] model has a text that is not closed"),
        ('[llm]\nrole = """x\n\n\n', ", line 2: [llm] role has a text that is not closed"),
        ("[llm]\nmodel\n", ", line 2: this line must have the form key = value"),
        ("[llm]\nmodel = “small”\n", ", line 2: [llm] model has typographic quotes"),
        ("[vad]\nthreshold = 0,5\n", ", line 2: [vad] threshold has something behind its value"),
        ("[whisper]\nhotwords = [\n'a'\n'b'\n", ", line 4: [whisper] hotwords has a list that is not closed"),
        ("[vad\n", ", line 1: [vad] has a bracket that is not closed"),
        ("[vad]\n[[vad]]\n", ", line 2: [vad] conflicts with what stands above"),
        ("x = " + "[" * 5000, ": is nested too deeply"),
        ("x = 1" + "0" * 5000, ", line 1: x "),
    ],
)
def test_a_syntax_error_is_explained_at_its_place(tmp_path: Path, text: str, place: str) -> None:
    (line,) = error_lines(tmp_path, text)
    assert line.startswith(place)


def test_a_key_without_quotes_is_not_repeated_in_the_error(tmp_path: Path) -> None:
    (line,) = error_lines(tmp_path, "[llm]\napi_key = sk-secret\n")
    assert "[llm] api_key" in line
    assert "sk-secret" not in line


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60) | st.text("[]{}=.,\"'\\#\n\r\t abc019-é\0", max_size=60).map(str.encode))
def test_whatever_the_file_holds_it_loads_or_is_refused_in_one_printable_line_each(
    tmp_path: Path, data: bytes
) -> None:
    problems = problems_of(tmp_path, data)
    assert all(problem.text().isprintable() for problem in problems)
