from __future__ import annotations

import json
import os
import stat
from datetime import datetime, timezone
from pathlib import Path

import pytest

from stt_daemon.errors import SessionError, UsageError
from stt_daemon.sessions import (
    ChatLog,
    Journal,
    Mark,
    MarkLog,
    SessionFolder,
    SessionRecord,
    create_session,
    list_sessions,
    write_record,
)
from stt_daemon.sessions.library import (
    clear_removed,
    export_session,
    find_session,
    read_items,
    remove_session,
    render_session,
    summaries,
    summarise,
)
from tests.unit.sessions.builders import WALL, say, segment

START = 1_764_500_000.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


@pytest.fixture
def folder(root: Path) -> SessionFolder:
    """Two lines, a gap, a segment that waits, a note, a mark, a chat, a brief."""
    folder = create_session(root, START)
    journal = Journal.open(folder.transcript)
    for wav in ("1.wav", "2.wav", "3.wav"):
        journal.append_pending(segment(wav))
    say(journal, "Good morning, everybody.", wav="1.wav", t0=1, t1=3)
    journal.append_gap(t0=3, t1=5, reason="device lost", wall=WALL)
    say(journal, "The budget is forty thousand.", wav="2.wav", t0=10, t1=12.5)
    journal.close()
    marks = MarkLog.open(folder.path / "marks.jsonl")
    for t, note in ((20, ""), (7, "later"), (6, "ask *Ana*")):
        marks.append(t, WALL, note)
    marks.close()
    chat = ChatLog.open(folder.path / "chat.jsonl")
    chat.append({"type": "user", "n": 1, "text": "from before", "carried": True})
    chat.append({"type": "assistant", "n": 2, "text": "- one\n- two \x9b2J"})
    chat.close()
    (folder.path / "brief.md").write_text("# Brief\n\nAll is well.\n")
    record = SessionRecord(folder.id, datetime(2026, 1, 31, 12, tzinfo=timezone.utc), "0.1.0", device="Mic")
    write_record(folder.record, record)
    return folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_summary_says_how_long_how_much_and_how_it_began(folder: SessionFolder) -> None:
    found = summarise(folder)
    assert (found.id, found.path, found.device) == (folder.id, folder.path, "Mic")
    assert (found.duration_s, found.utterances, found.pending) == (12.5, 2, 1)
    assert found.title == "Good morning, everybody. The budget is forty thousand."
    assert found.data()["start"] == "2026-01-31T12:00:00+00:00"
    json.dumps(found.data())


def test_a_long_opening_is_cut_between_words(root: Path) -> None:
    folder = create_session(root, START)
    journal = Journal.open(folder.transcript)
    say(journal, " ".join(["considerable"] * 20))
    journal.close()
    assert summarise(folder).title == "considerable considerable considerable considerable…"


def test_a_session_with_nothing_in_it_is_listed(root: Path) -> None:
    folder = create_session(root, START)
    (found,) = summaries(root)
    assert (found.id, found.duration_s, found.utterances, found.title, found.start) == (
        folder.id,
        0,
        0,
        "",
        None,
    )


def test_odd_lines_do_not_spoil_a_summary(folder: SessionFolder) -> None:
    odd = [{"type": "utterance", "t1": "late"}, {"type": "gap", "t1": 10**400}, {"type": 7}, {"wav": []}]
    with folder.transcript.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in odd) + "rubbish\n")
    assert summarise(folder).duration_s == 12.5


def test_one_unreadable_session_hides_no_others(folder: SessionFolder, root: Path) -> None:
    broken = create_session(root, START + 60)
    broken.transcript.mkdir()
    good, bad = summaries(root)
    assert (good.id, bad.id) == (folder.id, broken.id)
    assert "Is a directory" in bad.title


def test_marks_stand_where_they_were_made(folder: SessionFolder) -> None:
    shown = [item.note or "mark" if isinstance(item, Mark) else f"{item.t0:g}" for item in read_items(folder)]
    assert shown == ["1", "3", "ask *Ana*", "later", "10", "mark"]


def test_every_form_can_be_rendered(folder: SessionFolder) -> None:
    assert render_session(folder, "txt").splitlines() == [
        "00:00:01 Speaker: Good morning, everybody.",
        "00:00:03 [2.0 s missing: device lost]",
        "00:00:06 [note: ask *Ana*]",
        "00:00:07 [note: later]",
        "00:00:10 Speaker: The budget is forty thousand.",
        "00:00:20 [marked]",
    ]
    assert r"*00:00:06 \[note: ask \*Ana\*\]*" in render_session(folder, "md")
    assert render_session(folder, "md").startswith("# Session ")
    assert render_session(folder, "srt").count("-->") == render_session(folder, "vtt").count("-->") == 2


def test_markdown_ends_with_the_chat(folder: SessionFolder) -> None:
    made = render_session(folder, "md")
    assert made.endswith("## Chat\n\nAssistant: - one\\\n&#45; two 2J\n")
    assert "from before" not in made


def test_an_empty_session_has_its_id_for_a_title(root: Path) -> None:
    folder = create_session(root, START)
    assert json.loads(render_session(folder, "json"))["title"] == f"Session {folder.id}"
    assert render_session(folder, "md") == f"# Session {folder.id}\n"


def test_json_holds_what_was_said_about_the_session_too(folder: SessionFolder) -> None:
    made = json.loads(render_session(folder, "json"))
    assert made["brief"] == "# Brief\n\nAll is well.\n"
    assert [record["text"] for record in made["chat"]] == ["- one\n- two 2J"]
    assert [line["type"] for line in made["transcript"]] == [
        "utterance", "gap", "note", "note", "utterance", "mark",
    ]  # fmt: skip
    assert (made["id"], made["utterances"], made["device"]) == (folder.id, 2, "Mic")
    assert "dir" not in made
    assert "ledger" not in made


def test_an_export_overwrites_nothing(folder: SessionFolder, tmp_path: Path) -> None:
    first = export_session(folder, ["md", "txt"], tmp_path / "out")
    again = export_session(folder, ["txt"], tmp_path / "out")
    assert [path.name for path in (*first, *again)] == [
        f"{folder.id}.md",
        f"{folder.id}.txt",
        f"{folder.id}-1.txt",
    ]


def test_private_exports_are_private_whatever_the_umask(folder: SessionFolder, root: Path) -> None:
    before = os.umask(0)
    try:
        (path,) = export_session(folder, ["md"], root / "exports", private=True)
    finally:
        os.umask(before)
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_an_unknown_form_writes_nothing(folder: SessionFolder, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        export_session(folder, ["md", "docx"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_removed_session_leaves_its_words(folder: SessionFolder, root: Path) -> None:
    removed = remove_session(folder, exports=root / "exports")
    assert list_sessions(root) == []
    clear_removed(root)
    assert sorted(path.name for path in root.iterdir()) == ["exports"]
    words = [path.read_text("utf-8") for path in removed.exports]
    assert all("The budget is forty thousand." in text for text in words)
    assert all("ask" in text and "two 2J" in text for text in words)  # its notes and its chat
    assert [path.suffix for path in removed.exports] == [".md", ".json"]


def test_a_session_may_be_removed_without_a_trace(folder: SessionFolder, root: Path) -> None:
    assert remove_session(folder, exports=None).exports == ()
    clear_removed(root)
    assert list(root.iterdir()) == []


def test_when_the_export_fails_nothing_is_removed(folder: SessionFolder, root: Path) -> None:
    (root / "exports").write_text("in the way")
    with pytest.raises(SessionError, match="exports"):
        remove_session(folder, exports=root / "exports")
    assert list_sessions(root) == [folder]
    assert summarise(folder).utterances == 2


def test_when_the_transcript_cannot_be_read_nothing_is_removed(folder: SessionFolder, root: Path) -> None:
    folder.transcript.unlink()
    folder.transcript.mkdir()
    with pytest.raises(SessionError, match="Is a directory"):
        remove_session(folder, exports=root / "exports")
    assert list_sessions(root) == [folder]


def test_a_removal_that_was_interrupted_is_finished_by_the_next(folder: SessionFolder, root: Path) -> None:
    other = create_session(root, START + 60)
    remove_session(folder, exports=None)
    assert list_sessions(root) == [other]
    remove_session(other, exports=None)
    clear_removed(root)
    assert list(root.iterdir()) == []


def test_a_link_is_removed_and_not_what_it_leads_to(
    folder: SessionFolder, root: Path, tmp_path: Path
) -> None:
    folder.path.rename(tmp_path / "elsewhere")
    folder.path.symlink_to(tmp_path / "elsewhere")
    remove_session(folder, exports=None)
    clear_removed(root)
    assert (tmp_path / "elsewhere" / "transcript.jsonl").exists()
    assert list(root.iterdir()) == []


def test_latest_is_the_newest_session(folder: SessionFolder, root: Path) -> None:
    newest = create_session(root, START + 60)
    (root / "standup").mkdir()
    (root / "standup" / "session.json").write_text("{}")
    assert find_session(root, "latest") == newest
    assert find_session(root, folder.id) == folder
    assert find_session(root, "standup").id == "standup"


@pytest.mark.parametrize("name", ["logs", "exports", "20000101-000000", "../sessions", ""])
def test_what_is_no_session_is_not_found(folder: SessionFolder, root: Path, name: str) -> None:
    for other in ("logs", "exports"):
        (root / other).mkdir()
    with pytest.raises(SessionError):
        find_session(root, name)


def test_without_sessions_there_is_no_latest(root: Path) -> None:
    with pytest.raises(SessionError, match="no session"):
        find_session(root, "latest")
