from __future__ import annotations

import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stt_daemon.errors import SessionError
from stt_daemon.sessions import Journal, MarkLog, SessionFolder, create_session
from stt_daemon.sessions.index import SessionIndex
from tests.unit.sessions.builders import WALL, say

START = 1_764_500_000.0

any_text = st.text(st.characters(categories=None), max_size=60)  # type: ignore[arg-type]
syntax = st.text("abc \"'*()^:+-{}.,\\~|&<>=%_;\0", max_size=40)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def index(root: Path) -> Iterator[SessionIndex]:
    index = SessionIndex.open(root)
    yield index
    index.close()


def session(root: Path, *texts: str, at: float = 0.0) -> SessionFolder:
    folder = create_session(root, START + at)
    add(folder, *texts)
    return folder


def add(folder: SessionFolder, *texts: str) -> None:
    journal = Journal.open(folder.transcript)
    for text in texts:
        number = journal.next_seq
        say(journal, text, wav=f"{number}.wav", t0=number, t1=number + 0.5)
    journal.close()


def found(index: SessionIndex, query: str, **how: Any) -> list[str]:
    return [hit.text for hit in index.search(query, **how)]


def refreshed(root: Path) -> SessionIndex:
    index = SessionIndex.open(root)
    index.refresh()
    return index


# --- what is found ---------------------------------------------------------------------------------------


def test_a_line_is_found_with_its_place(root: Path, index: SessionIndex) -> None:
    folder = session(root, "Good morning.", "The budget is forty thousand.")
    index.refresh()
    (hit,) = index.search("BUDGET")
    assert (hit.session, hit.kind, hit.utterance, hit.seq) == (folder.id, "utterance", "u2", 2)
    assert (hit.t0, hit.t1, hit.wall, hit.speaker) == (2.0, 2.5, WALL, "Speaker")
    assert hit.text == hit.snippet == "The budget is forty thousand."
    assert hit.score > 0


def test_all_words_must_be_in_a_line_unless_any_will_do(root: Path, index: SessionIndex) -> None:
    session(root, "the budget", "the deadline", "the budget and the deadline")
    index.refresh()
    assert found(index, "budget deadline") == ["the budget and the deadline"]
    assert found(index, "budget deadline", any_word=True)[0] == "the budget and the deadline"
    assert len(found(index, "budget deadline", any_word=True)) == 3


def test_longer_words_are_found_by_their_beginning_and_short_ones_are_not(
    root: Path, index: SessionIndex
) -> None:
    session(root, "we decided on budgets", "an index")
    index.refresh()
    assert found(index, "decide budget") == ["we decided on budgets"]
    assert found(index, "in") == []


def test_accents_and_case_do_not_matter(root: Path, index: SessionIndex) -> None:
    session(root, "Das Café in İzmir")
    index.refresh()
    assert found(index, "CAFE izmir") == ["Das Café in İzmir"]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("明日の会議は三時からです。", "会議"),
        ("พรุ่งนี้มีประชุมตอนบ่าย", "ประชุม"),
        ("我们下周五发布新版本", "发布"),
        ("내일 회의가 있습니다", "회의가"),
    ],
)
def test_words_are_found_in_scripts_that_write_no_spaces(
    root: Path, index: SessionIndex, said: str, asked: str
) -> None:
    session(root, said, "something else")
    index.refresh()
    (hit,) = index.search(asked)
    assert (hit.text, hit.snippet) == (said, said)


def test_a_long_line_is_shown_around_the_words(root: Path, index: SessionIndex) -> None:
    session(root, " ".join([*["before"] * 60, "needle", *["after"] * 60]))
    index.refresh()
    (hit,) = index.search("needle")
    assert "needle" in hit.snippet
    assert hit.snippet.startswith("…")
    assert len(hit.snippet.split()) < 40


def test_notes_are_found_too_and_marks_are_not(root: Path, index: SessionIndex) -> None:
    folder = session(root, "hello")
    marks = MarkLog.open(folder.path / "marks.jsonl")
    marks.append(7, WALL)
    marks.append(8.5, WALL, "ask Ana about the licence")
    marks.close()
    index.refresh()
    (hit,) = index.search("licence")
    assert (hit.session, hit.kind, hit.utterance, hit.t0) == (folder.id, "note", "", 8.5)


def test_a_search_may_keep_to_one_session_and_to_a_number_of_lines(root: Path, index: SessionIndex) -> None:
    first = session(root, "one budget", "two budget")
    session(root, "three budget", at=60)
    index.refresh()
    assert sorted(found(index, "budget", session=first.id)) == ["one budget", "two budget"]
    assert len(found(index, "budget", limit=2)) == 2
    assert found(index, "budget", limit=-1) == []
    assert found(index, "budget", session="\udcff") == []


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=any_text | syntax, any_word=st.booleans())
def test_any_text_is_a_safe_query(index: SessionIndex, query: str, any_word: bool) -> None:
    assert index.search(query, any_word=any_word) == []


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.lists(any_text | syntax, min_size=1, max_size=3))
def test_each_line_is_found_by_its_own_words(root: Path, said: list[str]) -> None:
    folder = session(root, *said)
    index = refreshed(root)
    lines = [line.decode() for line in folder.transcript.read_bytes().splitlines()]
    for text in said:
        assert index.search(text) or not any(char.isalnum() for char in text), lines
    index.close()
    shutil.rmtree(folder.path)


def test_a_thousand_words_are_no_trouble(root: Path, index: SessionIndex) -> None:
    session(root, "word1 word2")
    index.refresh()
    long = " ".join(f"word{n}" for n in range(1000))
    assert found(index, long) == []
    assert found(index, long, any_word=True) == ["word1 word2"]


# --- keeping up ------------------------------------------------------------------------------------------


def test_what_a_session_gains_is_added_once(root: Path, index: SessionIndex) -> None:
    folder = session(root, "alpha one")
    index.refresh()
    add(folder, "alpha two")
    index.refresh()
    index.refresh()
    assert sorted(found(index, "alpha")) == ["alpha one", "alpha two"]


def test_a_line_still_being_written_is_taken_in_when_it_is_whole(root: Path, index: SessionIndex) -> None:
    folder = session(root, "alpha one", "alpha two")
    data = folder.transcript.read_bytes()
    folder.transcript.write_bytes(data[:-9])
    index.refresh()
    assert found(index, "alpha") == ["alpha one"]
    folder.transcript.write_bytes(data)
    index.refresh()
    assert sorted(found(index, "alpha")) == ["alpha one", "alpha two"]


def test_a_transcript_that_was_replaced_is_read_anew(root: Path, index: SessionIndex) -> None:
    folder = session(root, "alpha", "beta")
    other = session(root, "gamma", "delta", "epsilon", at=60)
    index.refresh()
    folder.transcript.write_bytes(other.transcript.read_bytes())
    shutil.rmtree(other.path)
    index.refresh()
    assert found(index, "alpha beta gamma delta epsilon", any_word=True).count("gamma") == 1
    assert found(index, "alpha") == []


def test_sessions_that_are_gone_or_renamed_are_followed(root: Path, index: SessionIndex) -> None:
    gone, renamed = session(root, "alpha"), session(root, "beta", at=60)
    (renamed.path / "session.json").write_text("{}")
    index.refresh()
    shutil.rmtree(gone.path)
    renamed.path.rename(root / "standup")
    index.refresh()
    assert found(index, "alpha") == []
    assert [hit.session for hit in index.search("beta")] == ["standup"]


def test_damaged_and_absurd_lines_hide_no_others(root: Path, index: SessionIndex) -> None:
    folder = session(root, "alpha")
    whole = folder.transcript.read_bytes()
    huge = whole.replace(b'"seq": 1,', b'"seq": 1' + b"0" * 30 + b",").replace(b"alpha", b"absurd")
    folder.transcript.write_bytes(b"rubbish\n" + huge + b"\xff\xfe\n" + whole)
    index.refresh()
    assert found(index, "alpha") == ["alpha"]
    assert found(index, "absurd") == []


def test_forgotten_words_are_nowhere_in_the_file(root: Path, index: SessionIndex) -> None:
    secret = session(root, "the password is xylophone")
    session(root, *(f"harmless {n}" for n in range(50)), at=60)
    index.refresh()
    assert b"xylophone" in (root / "index.sqlite").read_bytes()
    shutil.rmtree(secret.path)
    index.forget(secret.id)
    assert b"xylophone" not in (root / "index.sqlite").read_bytes()
    assert found(index, "password") == []
    assert len(found(index, "harmless", limit=100)) == 50


def test_the_file_is_private_also_when_it_was_not(root: Path) -> None:
    refreshed(root).close()
    assert stat.S_IMODE((root / "index.sqlite").stat().st_mode) == 0o600
    (root / "index.sqlite").chmod(0o644)
    refreshed(root).close()
    assert stat.S_IMODE((root / "index.sqlite").stat().st_mode) == 0o600


# --- damage ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"no database at all" * 100),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: path.write_bytes(path.read_bytes()[:100] + b"\xff" * (path.stat().st_size - 100)),
        lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\0" * (path.stat().st_size - 4096)),
        lambda path: path.unlink(),
    ],
    ids=["emptied", "other file", "cut", "overwritten", "zeroed", "removed"],
)
@pytest.mark.parametrize("while_open", [True, False])
def test_a_damaged_index_is_built_again(root: Path, damage: Any, while_open: bool) -> None:
    folder = session(root, *(f"alpha {n}" for n in range(40)))
    index = refreshed(root)
    if not while_open:
        index.close()
    damage(root / "index.sqlite")
    add(folder, "alpha last")
    index.refresh()
    assert len(found(index, "alpha", limit=100)) == 41
    index.close()


def test_damage_that_a_search_meets_is_repaired_before_it_answers(root: Path) -> None:
    session(root, *(f"alpha {n}" for n in range(400)))
    index = refreshed(root)
    index.close()
    path = root / "index.sqlite"
    path.write_bytes(path.read_bytes()[:4096] + b"\0" * (path.stat().st_size - 4096))
    assert len(found(index, "alpha", limit=1000)) == 400
    index.close()


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.lists(st.tuples(st.integers(0, 40_000), st.integers(0, 255)), min_size=1, max_size=30))
def test_flipped_bytes_never_break_a_search_and_a_rebuild_mends_them(
    tmp_path_factory: pytest.TempPathFactory, where: list[tuple[int, int]]
) -> None:
    root = tmp_path_factory.mktemp("sessions")
    session(root, "alpha one", "alpha two")
    index = refreshed(root)
    index.close()
    data = bytearray((root / "index.sqlite").read_bytes())
    for place, value in where:
        data[place % len(data)] = value
    (root / "index.sqlite").write_bytes(bytes(data))
    index.search("alpha", any_word=True)
    index.refresh()
    index.rebuild()
    assert sorted(found(index, "alpha")) == ["alpha one", "alpha two"]
    index.close()


def test_an_index_of_another_version_is_replaced(root: Path) -> None:
    session(root, "alpha")
    refreshed(root).close()
    db = sqlite3.connect(root / "index.sqlite")
    db.execute("PRAGMA user_version = 99")
    db.close()
    index = refreshed(root)
    assert found(index, "alpha") == ["alpha"]
    index.close()


def test_an_index_that_another_process_replaced_is_noticed(root: Path, index: SessionIndex) -> None:
    session(root, "alpha")
    index.refresh()
    (root / "index.sqlite").unlink()
    other = refreshed(root)
    session(root, "beta", at=60)
    other.refresh()
    assert found(index, "beta") == ["beta"]
    other.close()


# --- trouble ---------------------------------------------------------------------------------------------


class WithoutFts(sqlite3.Connection):
    """What a Python says whose SQLite was built without full-text search."""

    def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
        if "fts5" in sql:
            raise sqlite3.OperationalError("no such module: fts5")
        return super().execute(sql, *rest)


def test_an_sqlite_without_full_text_search_is_a_readable_error(root: Path) -> None:
    with pytest.raises(SessionError, match="FTS5") as caught:
        SessionIndex.open(
            root,
            connect=lambda path: sqlite3.connect(
                path, isolation_level=None, check_same_thread=False, factory=WithoutFts
            ),
        )
    assert caught.value.code == "no_search"
    assert caught.value.mend


def test_an_index_that_stays_locked_is_a_readable_error(root: Path) -> None:
    session(root, "alpha")
    refreshed(root).close()
    impatient = SessionIndex.open(
        root,
        connect=lambda path: sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False),
    )
    other = sqlite3.connect(root / "index.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(SessionError, match="in use by another process"):
        impatient.search("alpha")
    other.execute("ROLLBACK")
    assert found(impatient, "alpha") == ["alpha"]
    other.close()
    impatient.close()


def test_a_place_that_cannot_hold_the_index_is_a_readable_error(root: Path) -> None:
    (root / "index.sqlite").mkdir()
    with pytest.raises(SessionError, match=r"index\.sqlite"):
        SessionIndex.open(root)
    with pytest.raises(SessionError, match="No such file"):
        SessionIndex.open(root / "none")


def test_readers_see_whole_lines_in_order_while_others_write(root: Path) -> None:
    folder = session(root, "alpha 0")
    refreshed(root).close()
    done = threading.Event()
    troubles: list[BaseException] = []

    def write() -> None:
        try:
            for n in range(1, 40):
                add(folder, f"alpha {n}")
                with_own = refreshed(root)
                with_own.close()
        except BaseException as error:
            troubles.append(error)
            raise
        finally:
            done.set()

    writer = threading.Thread(target=write)
    writer.start()
    reader = SessionIndex.open(root)
    seen = 0
    while not done.is_set():
        reader.refresh()
        hits = sorted(hit.seq for hit in reader.search("alpha", limit=100))
        assert hits == list(range(1, len(hits) + 1))
        assert len(hits) >= seen
        seen = len(hits)
    writer.join()
    assert not troubles
    reader.refresh()
    assert len(reader.search("alpha", limit=100)) == 40
    reader.close()


def test_threads_may_share_an_index(root: Path, index: SessionIndex) -> None:
    session(root, *(f"alpha {n}" for n in range(20)))
    counts: list[int] = []

    def look() -> None:
        index.refresh()
        counts.append(len(index.search("alpha", limit=100)))

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [20] * 6
