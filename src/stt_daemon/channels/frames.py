"""One message on the wire: a frame of topic and body, and how frames pass through a file descriptor.

A frame is relayed without being decoded; the message is made from the bytes, or the bytes from the
message, only when somebody asks. Frames may be shared between threads: both forms are values.
"""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

from stt_daemon.errors import ChannelError
from stt_daemon.messages import Message, decode, encode

_HEADER = struct.Struct(">IB")

MAX_BODY = 16 * 1024 * 1024
"""Bytes. A length beyond this is not a large message but a stream that lost its step."""


class Frame:
    """A topic with its body, in whichever of the two forms it was born with."""

    __slots__ = ("_body", "_message", "topic")

    def __init__(self, topic: str, body: bytes | None, message: Message | None = None) -> None:
        self.topic = topic
        self._body = body
        self._message = message

    @classmethod
    def of(cls, message: Message) -> Frame:
        return cls(message.topic, None, message)

    @property
    def body(self) -> bytes:
        """The encoded message. Two threads that ask at once do the same work twice, which is harmless."""
        if self._body is None:
            assert self._message is not None
            self._body = encode(self._message)
        return self._body

    def message(self) -> Message:
        """The decoded message. Raises ChannelError when the bytes are not one."""
        if self._message is None:
            assert self._body is not None
            self._message = decode(self.topic, self._body)
        return self._message

    def __repr__(self) -> str:
        return f"Frame({self.topic!r})"


def pack(frame: Frame) -> bytes:
    """4 bytes of body length (big-endian), 1 byte of topic length, the topic in ASCII, the body.

    Raises ChannelError for a frame no reader would accept.
    """
    topic, body = frame.topic.encode("ascii"), frame.body
    if len(topic) > 255 or len(body) > MAX_BODY:
        raise ChannelError(f"a {frame.topic!r} message of {len(body)} bytes does not fit a channel")
    return _HEADER.pack(len(body), len(topic)) + topic + body


def read_frame(stream: BinaryIO) -> Frame:
    """The next frame; blocks until it is whole.

    Raises EOFError when the stream ended (in the middle of a frame too: the writer was killed), OSError
    from the operating system, ChannelError for bytes that are not a frame.
    """
    body_length, topic_length = _HEADER.unpack(_exactly(stream, _HEADER.size))
    if body_length > MAX_BODY:
        raise ChannelError(f"a frame claims {body_length} bytes")
    try:
        topic = _exactly(stream, topic_length).decode("ascii")
    except UnicodeDecodeError as error:
        raise ChannelError("a frame has an unreadable topic") from error
    return Frame(topic, _exactly(stream, body_length))


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; blocks while the pipe is full. Raises OSError when the reader is gone."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
