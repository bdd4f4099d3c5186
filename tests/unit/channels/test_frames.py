from __future__ import annotations

import io

import pytest

from stt_daemon.channels.frames import MAX_BODY, Frame, pack, read_frame
from stt_daemon.errors import ChannelError
from stt_daemon.messages import LagChanged, Warned


def test_a_message_passes_as_a_frame_unchanged() -> None:
    message = Warned(at=5.0, where="mic", code="x", message="Grüße \udcff")
    frame = read_frame(io.BytesIO(pack(Frame.of(message))))
    assert frame.topic == "warning"
    assert frame.message() == message


def test_a_relayed_frame_keeps_its_bytes_without_being_decoded() -> None:
    data = pack(Frame("nobody.knows.this", b"\x00not json"))
    assert pack(read_frame(io.BytesIO(data))) == data


def test_frames_follow_each_other() -> None:
    stream = io.BytesIO(pack(Frame.of(LagChanged(seconds=1))) + pack(Frame.of(LagChanged(seconds=2))))
    assert [read_frame(stream).message(), read_frame(stream).message()] == [
        LagChanged(seconds=1),
        LagChanged(seconds=2),
    ]


@pytest.mark.parametrize("cut", [0, 3, 6, 12])
def test_a_stream_that_ends_anywhere_is_an_end_of_file(cut: int) -> None:
    data = pack(Frame.of(LagChanged(seconds=1)))[:cut]
    with pytest.raises(EOFError):
        read_frame(io.BytesIO(data))


def test_an_absurd_length_is_an_error_not_an_allocation() -> None:
    with pytest.raises(ChannelError, match="claims"):
        read_frame(io.BytesIO(b"\xff\xff\xff\xff\x03lag"))


def test_an_unreadable_topic_is_an_error() -> None:
    with pytest.raises(ChannelError, match="topic"):
        read_frame(io.BytesIO(b"\0\0\0\0\x02\xff\xfe"))


def test_what_no_reader_would_accept_is_not_sent() -> None:
    with pytest.raises(ChannelError, match="does not fit"):
        pack(Frame("lag", bytes(MAX_BODY + 1)))


def test_a_body_that_is_no_message_of_its_topic_is_an_error_when_read() -> None:
    with pytest.raises(ChannelError, match="cannot be read"):
        Frame("lag", b'{"at": 0, "seconds": "many"}').message()
