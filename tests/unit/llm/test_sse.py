"""Frames come out of bytes the same however the bytes were cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.llm import sse
from stt_daemon.llm.sse import Frame, SseParser

STREAM = (
    b"\xef\xbb\xbf: a comment\r\n\r\n"
    b"data: one\n\n"
    b"event: error\r\ndata: two\r\ndata: lines\r\n\r\n"
    b"data:no blank\r\r"
    b"id: 7\nretry: 10\ndata\n\n" + "data: h\u00e9llo \U0001f600 \u4f60\n\n".encode()
)
FRAMES = [
    Frame("", "one"),
    Frame("error", "two\nlines"),
    Frame("", "no blank"),
    Frame("", ""),
    Frame("", "h\u00e9llo \U0001f600 \u4f60"),
]


def frames_of(pieces: list[bytes]) -> list[Frame]:
    parser = SseParser()
    found = [frame for piece in pieces for frame in parser.feed(piece)]
    rest = parser.close()
    return found if rest is None else [*found, rest]


def test_lines_end_in_lf_crlf_or_cr_and_comments_and_other_fields_are_skipped() -> None:
    assert frames_of([STREAM]) == FRAMES


def test_one_byte_at_a_time_gives_the_same_frames() -> None:
    assert frames_of([bytes([byte]) for byte in STREAM]) == FRAMES


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_frames_do_not_depend_on_where_the_bytes_are_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    assert frames_of([STREAM[a:b] for a, b in pairwise(edges)]) == FRAMES


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=6))
def test_any_bytes_give_the_same_frames_however_they_are_cut(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    assert frames_of([data[a:b] for a, b in pairwise(edges)]) == frames_of([data])


def test_what_the_stream_leaves_without_a_blank_line_is_given_at_its_end() -> None:
    parser = SseParser()
    assert parser.feed(b"data: [DO") == []
    assert parser.feed(b"NE]") == []
    assert parser.close() == Frame("", "[DONE]")


def test_an_old_error_field_is_an_error_frame() -> None:
    assert frames_of([b'error: {"code":500}\n\n']) == [Frame("error", '{"code":500}')]


def test_a_line_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "FRAME_LIMIT_BYTES", 100)
    parser = SseParser()
    with pytest.raises(sse.FrameTooLongError):
        parser.feed(b"data: " + b"x" * 200)
