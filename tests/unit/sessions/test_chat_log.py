from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stt_daemon.errors import SessionError
from stt_daemon.sessions import ChatLog, read_chat
from stt_daemon.sessions.json_lines import decode_object, encode_object
from tests.unit.sessions.disk import Chopped, FullDisk

any_text = st.text(st.characters(categories=None), max_size=30)  # type: ignore[arg-type]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chat.jsonl"


def written(path: Path, *records: dict[str, Any]) -> None:
    log = ChatLog.open(path)
    for record in records:
        log.append(record)
    log.close()


def test_records_come_back_as_they_were_written(path: Path) -> None:
    records = [{"type": "user", "n": 1, "text": "What?\n- a\n- b"}, {"type": "forget", "wall": "now"}]
    written(path, *records)
    assert read_chat(path) == records
    written(path, {"type": "user", "n": 2})
    assert [record.get("n") for record in read_chat(path)] == [1, None, 2]


def test_each_record_is_one_line_of_a_private_file(path: Path) -> None:
    written(path, {"text": "one\u2028two\r\nthree"})
    assert len(path.read_text(encoding="utf-8").splitlines()) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@given(st.dictionaries(st.text(), values, max_size=4))
def test_any_object_survives_its_line(body: dict[str, Any]) -> None:
    assert decode_object(encode_object(body)) == body


@given(any_text)
def test_no_line_holds_what_could_steer_a_terminal(text: str) -> None:
    line = encode_object({"text": text}).decode("utf-8")
    assert all(char.isprintable() or char.isspace() or ord(char) > 0xAC for char in line)
    assert not set(line) & set("\x1b\x9b\u202e\u2066\ufeff")


def test_a_torn_last_record_is_cut_off_and_said(path: Path) -> None:
    written(path, {"n": 1})
    with path.open("ab") as file:
        file.write(b'{"n": 2, "te')
    assert read_chat(path) == [{"n": 1}]
    log = ChatLog.open(path)
    assert log.repairs == ("chat.jsonl: the torn last line (12 bytes) was cut off",)
    log.append({"n": 3})
    log.close()
    assert read_chat(path) == [{"n": 1}, {"n": 3}]


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_rubbish_behind_the_records_loses_none_of_them(path: Path, rubbish: bytes) -> None:
    path.unlink(missing_ok=True)
    written(path, {"n": 1})
    with path.open("ab") as file:
        file.write(rubbish)
    written(path, {"n": 2})
    kept = read_chat(path)
    assert kept[0] == {"n": 1}
    assert kept[-1] == {"n": 2}


def test_a_record_is_written_whole_or_not_at_all(path: Path) -> None:
    disk = FullDisk(room=20)
    log = ChatLog.open(path, write=disk)
    log.append({"n": 1})
    with pytest.raises(SessionError) as caught:
        log.append({"text": "x" * 100})
    assert caught.value.code == "disk"
    assert path.read_bytes() == b'{"n": 1}\n'
    disk.room = 1000
    log.append({"n": 2})
    log.close()
    assert read_chat(path) == [{"n": 1}, {"n": 2}]


def test_short_writes_are_completed(path: Path) -> None:
    log = ChatLog.open(path, write=Chopped())
    log.append({"text": "longer than seven bytes"})
    log.close()
    assert read_chat(path) == [{"text": "longer than seven bytes"}]


def test_a_number_json_lacks_is_refused_and_leaves_no_trace(path: Path) -> None:
    log = ChatLog.open(path)
    with pytest.raises(ValueError, match="not JSON compliant"):
        log.append({"duration_s": float("nan")})
    log.close()
    assert path.read_bytes() == b""


def test_a_chat_that_does_not_exist_yet_is_empty(path: Path) -> None:
    assert read_chat(path) == []
