from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stt_daemon.domain import Gap, Utterance
from stt_daemon.errors import SessionError
from stt_daemon.sessions import Journal, PendingGap, read_transcript
from tests.unit.sessions.builders import WALL, say, segment
from tests.unit.sessions.disk import Chopped, FullDisk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "transcript.jsonl"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    journal = Journal.open(path)
    yield journal
    journal.close()


def texts(path: Path) -> list[str]:
    return [item.text for item in read_transcript(path) if isinstance(item, Utterance)]


def reopened(path: Path) -> Journal:
    journal = Journal.open(path)
    journal.close()
    return journal


# --- numbers ---------------------------------------------------------------------------------------------


def test_seq_counts_utterances_and_gaps_and_ids_only_utterances(journal: Journal, path: Path) -> None:
    first = say(journal, "one")
    gap = journal.append_gap(t0=1.0, t1=2.5, reason="device lost", wall=WALL)
    second = say(journal, "two", t0=3, t1=4)
    assert first is not None
    assert second is not None
    assert (first.id, first.seq, gap.seq, second.id, second.seq) == ("u1", 1, 2, "u2", 3)
    assert list(read_transcript(path)) == [first, gap, second]
    assert list(read_transcript(path, from_seq=3)) == [second]


def test_numbers_go_on_when_a_session_is_continued(journal: Journal, path: Path) -> None:
    say(journal, "one", t1=1.5)
    journal.append_gap(t0=1.5, t1=7.0, reason="restart", wall=WALL)
    journal.close()
    again = Journal.open(path)
    assert (again.next_seq, again.next_utterance, again.last_t1) == (3, 2, 7.0)
    late = say(again, "two", t0=8, t1=9)
    again.close()
    assert late is not None
    assert (late.id, late.seq) == ("u2", 3)


def test_what_is_returned_is_what_is_read_back(journal: Journal, path: Path) -> None:
    made = journal.append_utterance(
        t0=np.float32(1.23456), t1=np.float64(2.0000001), wall=WALL, speaker="S", source="mic", text="café ✓",
        language="en", wav="a.wav", avg_logprob=np.float32(-0.123456), no_speech_prob=1e-9, flags=["loop"],
    )  # fmt: skip
    assert made is not None
    assert list(read_transcript(path)) == [made]
    assert (made.t0, made.t1, made.avg_logprob, made.no_speech_prob) == (1.235, 2.0, -0.1235, 0.0)
    assert "café ✓" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_does_not_stop_the_line(journal: Journal, path: Path, odd: float) -> None:
    say(journal, "one", logprob=odd)
    (line,) = read_transcript(path)
    assert isinstance(line, Utterance)
    assert line.avg_logprob == -99.0


def test_no_length_is_negative(journal: Journal) -> None:
    made = say(journal, "one", t0=5.0, t1=4.0)
    assert made is not None
    assert made.t1 == made.t0


def test_last_t1_counts_what_waits(journal: Journal, path: Path) -> None:
    say(journal, "one", t1=2.0)
    journal.append_pending(segment("b.wav", 3.0, 9.0))
    assert journal.last_t1 == 9.0
    journal.append_pending_gap(t0=9.0, t1=11.0, reason="lost", wall=WALL)
    assert reopened(path).last_t1 == 11.0


def test_text_is_made_plain_on_its_way_in(journal: Journal, path: Path) -> None:
    made = say(journal, "bell\x07 \x9b2J \u202eevil\ud800\nline", wav="a.wav")
    assert made is not None
    assert made.text == "bell 2J evil\ufffd line"
    assert len(path.read_bytes().splitlines()) == 1


# --- what waits ------------------------------------------------------------------------------------------


def test_segments_wait_until_they_are_written_down_or_dropped(journal: Journal, path: Path) -> None:
    a, b, c = segment("a.wav"), segment("b.wav", 1, 2), segment("c.wav", 2, 3)
    for item in (a, b, c):
        assert journal.append_pending(item)
    say(journal, "bee", wav="b.wav")
    journal.append_dropped("a.wav", 0, 1, "no speech")
    assert journal.pending == (c,)
    assert reopened(path).pending == (c,)


def test_a_gap_waits_behind_segments_and_keeps_its_place(journal: Journal, path: Path) -> None:
    journal.append_pending(segment("a.wav", 0, 1))
    waiting = journal.append_pending_gap(t0=1.0, t1=3.0004, reason="device lost", wall=WALL)
    journal.append_pending(segment("b.wav", 3, 4))
    assert [type(item) for item in reopened(path).pending] == [
        type(segment("x")),
        PendingGap,
        type(segment("x")),
    ]
    say(journal, "a", wav="a.wav")
    gap = journal.append_gap(t0=waiting.t0, t1=waiting.t1, reason=waiting.reason, wall=waiting.wall)
    say(journal, "b", wav="b.wav", t0=3, t1=4)
    assert journal.pending == ()
    assert reopened(path).pending == ()
    assert gap == Gap(2, 1.0, 3.0, "device lost", WALL)
    assert [item.seq for item in read_transcript(path)] == [1, 2, 3]


def test_nothing_is_written_down_twice(journal: Journal, path: Path) -> None:
    journal.append_pending(segment("a.wav"))
    assert say(journal, "one", wav="a.wav") is not None
    assert say(journal, "one again", wav="a.wav") is None
    assert not journal.append_dropped("a.wav", 0, 1, "no speech")
    assert not journal.append_pending(segment("a.wav"))
    again = Journal.open(path)
    assert say(again, "one after a restart", wav="a.wav") is None
    again.close()
    assert texts(path) == ["one"]
    assert journal.next_seq == 2


def test_a_segment_is_listed_once(journal: Journal, path: Path) -> None:
    assert journal.append_pending(segment("a.wav"))
    assert not journal.append_pending(segment("a.wav"))
    assert len(path.read_bytes().splitlines()) == 1


def test_a_dropped_segment_gets_no_utterance_later(journal: Journal) -> None:
    journal.append_dropped("a.wav", 0, 1, "no speech")
    assert journal.is_settled("a.wav")
    assert say(journal, "one", wav="a.wav") is None


def test_audio_that_is_not_kept_still_settles_its_segment(journal: Journal, path: Path) -> None:
    journal.append_pending(segment("a.wav"))
    made = say(journal, "one", wav="a.wav", keep_wav=False)
    assert made is not None
    assert made.wav == ""
    again = reopened(path)
    assert again.pending == ()
    assert again.is_settled("a.wav")


def test_segments_of_the_same_millisecond_are_both_kept(journal: Journal, path: Path) -> None:
    say(journal, "one", wav="120000-000-speech.wav")
    say(journal, "two", wav="120000-000-speech-1.wav")
    assert texts(path) == ["one", "two"]


# --- repair ----------------------------------------------------------------------------------------------


def lines(count: int = 4) -> list[bytes]:
    """Whole lines as another version might have written them: `wörd 1`, `wörd 2`, ..."""
    body = {"type": "utterance", "wall": WALL, "speaker": "S", "source": "mic", "language": "en"}
    body |= {"avg_logprob": -0.2, "no_speech_prob": 0.1}
    own = [{"id": f"u{n}", "seq": n, "t0": n, "t1": n + 0.5, "wav": f"{n}.wav"} for n in range(1, count + 1)]
    return [
        json.dumps(body | each | {"text": f"wörd {each['seq']}"}, ensure_ascii=False).encode() + b"\n"
        for each in own
    ]


def test_every_truncation_loses_at_most_the_torn_line_and_appends_cleanly(path: Path) -> None:
    whole = lines(3)
    data = b"".join(whole)
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        kept = sum(1 for n in range(1, 4) if len(b"".join(whole[:n])) - 1 <= cut)
        journal = Journal.open(path)
        made = say(journal, "new", wav="new.wav")
        journal.close()
        assert made is not None
        assert (made.id, made.seq) == (f"u{kept + 1}", kept + 1)
        assert texts(path) == [*(f"wörd {n}" for n in range(1, kept + 1)), "new"]
        assert bool(journal.repairs) == (data[:cut] != b"".join(whole[:kept]))
        assert path.read_bytes().startswith(b"".join(whole[:kept]))
        assert reopened(path).repairs == ()


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 4), st.binary(max_size=200))
def test_any_bytes_after_whole_lines_lose_nothing_before_them(path: Path, count: int, rubbish: bytes) -> None:
    data = b"".join(lines(count))
    path.write_bytes(data + rubbish)
    journal = Journal.open(path)
    made = say(journal, "new", wav="new.wav")
    journal.close()
    assert made is not None
    assert made.seq == count + 1
    assert texts(path) == [*(f"wörd {n}" for n in range(1, count + 1)), "new"]
    assert path.read_bytes().startswith(data)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2), st.binary(min_size=1, max_size=60))
def test_a_garbled_line_in_the_middle_is_skipped_reported_and_kept(
    path: Path, where: int, rubbish: bytes
) -> None:
    garbled = b"!" + rubbish.replace(b"\n", b"") + b"\n"
    whole = lines(3)
    data = b"".join([*whole[:where], garbled, *whole[where:]])
    path.write_bytes(data)
    journal = reopened(path)
    assert journal.repairs == (f"transcript.jsonl: line {where + 1} cannot be read and is skipped",)
    assert path.read_bytes() == data
    assert texts(path) == ["wörd 1", "wörd 2", "wörd 3"]
    assert journal.next_seq == 4


def test_zeros_from_a_power_loss_hide_no_line_behind_them(path: Path) -> None:
    one, two = lines(2)
    path.write_bytes(one + b"\0" * 512 + two + b"\0" * 512)
    assert [*reopened(path).repairs] == ["transcript.jsonl: the torn last line (512 bytes) was cut off"]
    assert texts(path) == ["wörd 1", "wörd 2"]


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"7",
        b"null",
        b'{"type":"gap"}',
        b'{"type":"gap","seq":1,"t0":0,"t1":NaN,"reason":"","wall":""}',
        b'{"type":"gap","seq":1,"t0":0,"t1":1e999,"reason":"","wall":""}',
        b'{"type":"gap","seq":' + b"9" * 5000 + b',"t0":0,"t1":1,"reason":"","wall":""}',
        b'{"type":"gap","seq":1,"t0":0,"t1":' + b"9" * 400 + b',"reason":"","wall":""}',
        b"[" * 100_000,
        b"\xff\xfe\x00",
    ],
)
def test_lines_that_only_look_right_do_no_harm(path: Path, line: bytes) -> None:
    path.write_bytes(line + b"\n" + lines(1)[0])
    journal = reopened(path)
    assert len(journal.repairs) == 1
    assert (journal.next_seq, journal.last_t1) == (2, 1.5)
    assert texts(path) == ["wörd 1"]


def test_an_absurd_id_does_not_stop_a_session(path: Path) -> None:
    path.write_bytes(lines(1)[0].replace(b'"u1"', b'"u' + b"9" * 5000 + b'"'))
    assert reopened(path).next_utterance == 1


def test_a_line_of_an_unknown_kind_is_left_in_peace(path: Path) -> None:
    path.write_bytes(b'{"type":"chapter","title":"x"}\n' + lines(1)[0])
    assert reopened(path).repairs == ()
    assert texts(path) == ["wörd 1"]


def test_half_a_surrogate_pair_written_by_others_is_replaced(path: Path) -> None:
    path.write_bytes(lines(1)[0].replace("ö".encode(), b"\\uD800"))
    assert reopened(path).repairs == ()
    assert texts(path) == ["w\ufffdrd 1"]


def test_the_file_is_private_also_when_it_was_not(path: Path) -> None:
    path.write_bytes(b"")
    path.chmod(0o644)
    reopened(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_file_is_private_and_writable_whatever_the_umask(path: Path) -> None:
    before = os.umask(0o777)
    try:
        reopened(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_journal_that_cannot_be_opened_is_a_readable_error(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="Is a directory"):
        Journal.open(tmp_path)


# --- a full disk -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [0, 1, 40, 200])
def test_a_full_disk_alarms_and_the_same_append_works_later(path: Path, room: int) -> None:
    reopened(path)
    disk = FullDisk(10_000)
    journal = Journal.open(path, write=disk)
    say(journal, "before")
    disk.room = room
    with pytest.raises(SessionError) as caught:
        say(journal, "during", t0=1, t1=2)
    assert caught.value.code == "disk"
    assert "No space left" in str(caught.value)
    assert texts(path) == ["before"]
    assert path.read_bytes().endswith(b"\n")
    assert journal.last_t1 == 1.0
    disk.room = 10_000
    late = say(journal, "during", t0=1, t1=2)
    journal.close()
    assert late is not None
    assert (late.id, late.seq) == ("u2", 2)
    assert texts(path) == ["before", "during"]
    assert reopened(path).repairs == ()


def test_a_line_written_in_pieces_is_whole(path: Path) -> None:
    journal = Journal.open(path, write=Chopped())
    say(journal, "one")
    say(journal, "two")
    journal.close()
    assert texts(path) == ["one", "two"]


def test_a_closed_journal_refuses(path: Path) -> None:
    journal = reopened(path)
    with pytest.raises(SessionError, match="closed"):
        say(journal, "late")


# --- reading beside a writer -----------------------------------------------------------------------------


def test_a_half_written_last_line_is_left_for_the_next_reading(path: Path) -> None:
    one, two = lines(2)
    path.write_bytes(one + two[:-20])
    assert texts(path) == ["wörd 1"]
    with path.open("ab") as stream:
        stream.write(two[-20:])
    assert texts(path) == ["wörd 1", "wörd 2"]


def test_reading_never_sees_a_torn_or_missing_line_while_another_thread_appends(path: Path) -> None:
    import threading

    def write() -> None:
        journal = Journal.open(path, write=Chopped())
        for n in range(150):
            say(journal, f"{n}")
        journal.close()

    writer = threading.Thread(target=write)
    writer.start()
    seen = 0
    while writer.is_alive():
        found = list(read_transcript(path))
        assert [item.seq for item in found] == list(range(1, len(found) + 1))
        assert len(found) >= seen
        seen = len(found)
    writer.join()
    assert len(list(read_transcript(path))) == 150


def test_order_is_seq_and_not_the_place_in_the_file(path: Path) -> None:
    one, two, three = lines(3)
    path.write_bytes(three + one + two)
    assert texts(path) == ["wörd 1", "wörd 2", "wörd 3"]


def test_a_transcript_that_does_not_exist_yet_is_empty(path: Path) -> None:
    assert list(read_transcript(path)) == []
