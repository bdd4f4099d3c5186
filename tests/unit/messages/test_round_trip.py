"""Every message survives the way through a pipe; one that nobody covered fails here."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from typing import Any

import pytest

from stt_daemon.errors import ChannelError
from stt_daemon.messages import Message, SessionChanged, Warned, decode, encode, message_types, sticky_key

EVENT_FIELDS = {
    "session": {"state", "id", "dir"},
    "child": {"name", "state", "reason"},
    "lane": {"name", "state", "depth", "reason"},
    "capture": {"state", "device", "rate", "reason"},
    "level": {"db", "clipping"},
    "speech": {"state", "t"},
    "partial": {"utterance", "committed", "tentative", "t0", "t1"},
    "lag": {"seconds"},
    "turn": {"utterances"},
    "mode": {"mode", "why"},
    "toggle": {"name", "on"},
    "mark": {"t", "note"},
    "chat": {"role", "exchange", "text", "delta", "final", "usage", "finish_reason", "cites"},
    "command": {"id", "state", "args", "reason"},
    "triage": {"stage", "ts", "order", "items", "escalated", "input_tokens", "brief"},
    "fact": {"op", "id", "text", "evidence", "verified"},
    "coverage": {"through", "pending", "set_aside", "uncovered", "unread_facts"},
    "summary": {"summary", "recent"},
    "value": {"field", "status", "value", "span", "utterance", "why"},
    "warning": {"where", "code", "message"},
    "error": {"where", "code", "message"},
}


def example(kind: Any) -> Any:
    """A value that differs from any default, made from the type alone."""
    origin = typing.get_origin(kind)
    if origin is typing.Literal:
        return typing.get_args(kind)[-1]
    if origin in (typing.Union, types.UnionType):
        return example(typing.get_args(kind)[0])
    if origin is tuple:
        return (example(typing.get_args(kind)[0]),)
    if origin is dict:
        return {"key": example(typing.get_args(kind)[1])}
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return typing.cast(Any, kind)(**{f.name: example(hints[f.name]) for f in dataclasses.fields(kind)})
    return {str: 'a "b" \u2713\x1b[0m \ud800', int: 7, float: 2.5, bool: True, Any: [1, "x"]}[kind]


@pytest.mark.parametrize("kind", message_types(), ids=lambda kind: kind.__name__)
def test_a_message_equals_what_comes_out_of_the_pipe(kind: type[Message]) -> None:
    message = example(kind)
    assert decode(kind.topic, encode(message)) == message


@pytest.mark.parametrize("kind", [k for k in message_types() if k.public], ids=lambda kind: kind.topic)
def test_an_event_has_the_documented_fields(kind: type[Message]) -> None:
    names = set(example(kind).payload())
    if kind.topic in EVENT_FIELDS:
        assert names == EVENT_FIELDS[kind.topic]
    elif kind.topic == "gap":
        assert names >= {"t0", "t1", "reason"}
    else:
        assert kind.topic == "utterance"
        assert names >= {"id", "seq", "t0", "t1", "wall", "speaker", "source", "text", "language", "wav"}
        assert names >= {"avg_logprob", "no_speech_prob", "flags", "latency_s"}


def test_the_bytes_are_ascii_json_so_that_no_byte_disturbs_a_terminal_or_a_line() -> None:
    body = encode(Warned(where="x", code="y", message="line\nbreak \x1b]52;c;aGk=\x07 \u2028"))
    assert b"\n" not in body
    assert b"\x1b" not in body
    assert json.loads(body)["message"].startswith("line\nbreak")


@pytest.mark.parametrize(
    ("topic", "body"),
    [("nonsense", b"{}"), ("warning", b"not json"), ("warning", b'{"at": 0}'), ("level", b'{"db": "x"}')],
)
def test_bytes_that_are_no_message_raise_a_channel_error(topic: str, body: bytes) -> None:
    with pytest.raises(ChannelError):
        decode(topic, body)


def test_a_state_is_keyed_by_its_subject_and_a_notice_by_nothing() -> None:
    assert sticky_key(SessionChanged(state="opened", id="a", dir="b")) == ("session",)
    assert sticky_key(Warned(where="x", code="y", message="z")) is None
