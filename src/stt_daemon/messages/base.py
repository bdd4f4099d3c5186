"""What every message is: a frozen dataclass with a topic, and how it becomes bytes.

A subclass declares its `topic` (also the `type` of an event) and, by class variables, how it travels:

- `public`: it is written to `--events` and reaches the interface; the fields are then exactly the event's.
- `keep`: what a sender stores while the other side is slow: every one, or only the latest of a topic.
- `sticky`: fields whose values name a state's subject; the supervisor repeats the last one of each subject
  to a child that starts later. `None` means the message is not a state.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from pydantic import TypeAdapter, ValidationError

from stt_daemon.errors import ChannelError

Keep = Literal["all", "latest"]

_BY_TOPIC: dict[str, type[Message]] = {}


@dataclass(frozen=True, kw_only=True)
class Message:
    """Root of all messages. `at` is when it was published, in seconds since the epoch; 0 until then."""

    at: float = 0.0

    topic: ClassVar[str] = ""
    public: ClassVar[bool] = False
    keep: ClassVar[Keep] = "all"
    sticky: ClassVar[tuple[str, ...] | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.topic or cls.topic in _BY_TOPIC:
            raise TypeError(f"{cls.__name__} needs a topic of its own, not {cls.topic!r}")
        _BY_TOPIC[cls.topic] = cls

    def payload(self) -> dict[str, Any]:
        """The fields without `at`, as JSON-able values; what an event shows beside its own header."""
        body = _adapter(type(self)).dump_python(self, mode="json")
        assert isinstance(body, dict)
        body.pop("at")
        return body


_ADAPTERS: dict[type[Message], TypeAdapter[Any]] = {}


def _adapter(kind: type[Message]) -> TypeAdapter[Any]:
    """Built on first use: a process that never sees a message pays nothing for it."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def message_types() -> tuple[type[Message], ...]:
    """Every known message class, in order of definition."""
    return tuple(_BY_TOPIC.values())


def message_type(topic: str) -> type[Message]:
    """The class of a topic. Raises ChannelError for a topic nobody defined."""
    try:
        return _BY_TOPIC[topic]
    except KeyError:
        raise ChannelError(f"unknown message topic {topic!r}") from None


def encode(message: Message) -> bytes:
    """One JSON object in UTF-8, without its topic, which travels beside it.

    Lone surrogates (a name from the operating system may hold one) are escaped by JSON and survive.
    """
    return json.dumps({"at": message.at, **message.payload()}, ensure_ascii=True, allow_nan=False).encode()


def decode(topic: str, body: bytes) -> Message:
    """The message that `encode` made. Raises ChannelError when the bytes are not one of that topic."""
    kind = message_type(topic)
    try:
        decoded = _adapter(kind).validate_python(json.loads(body))
    except (ValidationError, ValueError) as error:
        raise ChannelError(f"a {topic!r} message cannot be read: {error}") from error
    assert isinstance(decoded, kind)
    return decoded


def sticky_key(message: Message) -> tuple[str, ...] | None:
    """Topic and subject of a state message; None for one that is not a state."""
    if message.sticky is None:
        return None
    return (message.topic, *(str(getattr(message, name)) for name in message.sticky))


def field_names(kind: type[Message]) -> tuple[str, ...]:
    """The fields of a message class without `at`."""
    return tuple(f.name for f in fields(kind) if f.name != "at")
