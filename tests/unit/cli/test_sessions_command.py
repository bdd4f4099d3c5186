"""`stt-daemon sessions list`, `show`, `search`, `export` and `delete`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.cli import main
from stt_daemon.sessions import Journal, SessionFolder, create_session, list_sessions
from stt_daemon.supervisor.locks import hold_locks
from stt_daemon.supervisor.status import STATUS_FILE
from tests.unit.sessions.builders import say, segment

START = 1_764_500_000.0


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


@pytest.fixture
def folder(root: Path) -> SessionFolder:
    return session(root, "Good morning.", "The budget is \x1b[2J forty thousand.")


def session(root: Path, *texts: str, at: float = 0.0) -> SessionFolder:
    folder = create_session(root, START + at)
    journal = Journal.open(folder.transcript)
    for number, text in enumerate(texts, start=1):
        say(journal, text, wav=f"{number}.wav", t0=number, t1=number + 0.5)
    journal.close()
    return folder


@contextmanager
def running(root: Path, session_id: str | None) -> Iterator[None]:
    """As if an instance ran in this directory and wrote to this session."""
    with hold_locks(root):
        told = {"running": True, "pid": os.getpid(), "session": {"id": session_id, "dir": ""}}
        if session_id is not None:
            (root / STATUS_FILE).write_text(json.dumps(told))
        yield
    (root / STATUS_FILE).unlink(missing_ok=True)


def out_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["sessions", *arguments]) == 0
    return capsys.readouterr().out


def data_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(out_of(capsys, *arguments, "--json"))


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 1) -> str:
    assert main(["sessions", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    return line


def test_list_shows_each_session_on_a_line(
    folder: SessionFolder, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = session(root, "Second.", at=60)
    with running(root, other.id):
        first, second = out_of(capsys, "list").splitlines()
        listed = data_of(capsys, "list")
    assert first == f"  {folder.id}  00:00:02     2 lines  Good morning. The budget is [2J forty thousand."
    assert second == f"* {other.id}  00:00:01      1 line  Second."
    assert [(entry["id"], entry["running"]) for entry in listed] == [(folder.id, False), (other.id, True)]
    assert listed[0]["duration_s"] == 2.5


def test_without_sessions_the_list_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    assert data_of(capsys, "list") == []
    assert main(["sessions", "list"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "no session" in err


def test_show_prints_facts_and_lines(folder: SessionFolder, capsys: pytest.CaptureFixture[str]) -> None:
    facts, _, lines = out_of(capsys, "show", "latest").partition("\n\n")
    assert f"session  {folder.id}" in facts.splitlines()
    assert "length   00:00:02, 2 lines" in facts.splitlines()
    assert lines.splitlines()[0] == "00:00:01 Speaker: Good morning."
    assert "\x1b" not in lines


def test_show_as_json_is_the_whole_session(folder: SessionFolder, capsys: pytest.CaptureFixture[str]) -> None:
    shown = data_of(capsys, "show", folder.id)
    assert shown["id"] == folder.id
    assert [line["id"] for line in shown["transcript"]] == ["u1", "u2"]


def test_search_names_session_time_and_line(
    folder: SessionFolder, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session(root, "No money here.", at=60)
    line = out_of(capsys, "search", "BUDGET", "forty")
    assert line == f"{folder.id}  00:00:02  u2 Speaker: The budget is [2J forty thousand.\n"
    (hit,) = data_of(capsys, "search", "budget")
    assert (hit["session"], hit["utterance"], hit["seq"]) == (folder.id, "u2", 2)
    assert len(data_of(capsys, "search", "budget money", "--any")) == 2
    assert data_of(capsys, "search", "money", "--session", folder.id) == []
    assert len(data_of(capsys, "search", "the no", "--any", "--limit", "1")) == 1


def test_a_search_that_finds_nothing_says_so_beside_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "search", '"(', "AND"]) == 0
    assert capsys.readouterr() == ("", "nothing found\n")


def test_export_says_where_its_files_are(
    folder: SessionFolder, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert out_of(capsys, "export", folder.id) == f"{root / 'exports' / folder.id}.md\n"
    made = data_of(capsys, "export", "latest", "--format", "srt,vtt", "--out", str(tmp_path / "there"))
    assert made["session"] == folder.id
    assert [Path(path).name for path in made["files"]] == [f"{folder.id}.srt", f"{folder.id}.vtt"]
    assert all(Path(path).exists() for path in made["files"])


def test_export_refuses_an_unknown_format(folder: SessionFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert "docx" in error_of(capsys, "export", folder.id, "--format", "docx", code=2)


def test_delete_exports_first_and_says_where(
    folder: SessionFolder, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data_of(capsys, "search", "budget")
    done = data_of(capsys, "delete", folder.id)
    assert done["deleted"] == folder.id
    assert [Path(path).name for path in done["exports"]] == [f"{folder.id}.md", f"{folder.id}.json"]
    assert all("forty thousand" in Path(path).read_text() for path in done["exports"])
    assert list_sessions(root) == []
    assert data_of(capsys, "search", "budget") == []
    assert b"budget" not in (root / "index.sqlite").read_bytes()


def test_delete_keeps_nothing_when_told_so(
    folder: SessionFolder, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert out_of(capsys, "delete", folder.id, "--no-export") == f"deleted {folder.id}\n"
    assert list(root.iterdir()) == []


def test_delete_does_nothing_when_the_export_fails(
    folder: SessionFolder, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "exports").write_text("in the way")
    assert "exports" in error_of(capsys, "delete", folder.id)
    assert list_sessions(root) == [folder]


def test_delete_refuses_the_session_that_is_being_written(
    folder: SessionFolder, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(root, folder.id):
        assert "is being written" in error_of(capsys, "delete", folder.id)
    with running(root, None):
        assert "is being written" in error_of(capsys, "delete", folder.id)
    assert list_sessions(root) == [folder]


def test_delete_leaves_what_the_running_instance_may_still_transcribe(
    folder: SessionFolder, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = session(root, "Now.", at=60)
    journal = Journal.open(folder.transcript)
    journal.append_pending(segment("9.wav"))
    journal.close()
    with running(root, other.id):
        assert "may still transcribe" in error_of(capsys, "delete", folder.id)
    assert main(["sessions", "delete", folder.id]) == 0
    assert "1 segment of" in capsys.readouterr().err


def test_delete_of_another_session_goes_on_while_an_instance_runs(
    folder: SessionFolder, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = session(root, "Now.", at=60)
    with running(root, other.id):
        out_of(capsys, "delete", folder.id)
    assert list_sessions(root) == [other]


def test_delete_waits_for_no_orphans(
    folder: SessionFolder, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(root, None):
        (root / "instance.lock").rename(root / "kept")
        assert "may still write" in error_of(capsys, "delete", folder.id, code=3)
        (root / "kept").rename(root / "instance.lock")
    assert list_sessions(root) == [folder]


@pytest.mark.parametrize("action", ["show", "export", "delete"])
def test_an_absent_session_is_one_line_that_names_others(
    folder: SessionFolder, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = error_of(capsys, action, folder.id + "9")
    assert f"nearest: {folder.id}" in line
