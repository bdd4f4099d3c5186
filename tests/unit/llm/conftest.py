"""A scripted server, and clients of it that are closed in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stt_daemon.llm import ChatMessage, ChatRequest
from stt_daemon.llm.client import LlmClient
from tests.fakes.clock import FakeClock
from tests.fakes.llm_server import LlmServer

MakeClient = Callable[..., LlmClient]


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer() as running:
        yield running


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def make_client(server: LlmServer, clock: FakeClock) -> Iterator[MakeClient]:
    """A client of the scripted server on the fake clock; pausing moves that clock."""
    made: list[LlmClient] = []

    def make(base_url: str = "", **settings: Any) -> LlmClient:
        settings.setdefault("clock", clock)
        settings.setdefault("pause", clock.advance)
        client = LlmClient(base_url or server.url, **settings)
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(make_client: MakeClient) -> LlmClient:
    return make_client()


def ask(text: str = "hello", **changes: Any) -> ChatRequest:
    """A request with one user message."""
    settings: dict[str, Any] = {"temperature": 0.7, "max_tokens": 100, "timeout_s": 30.0, **changes}
    return ChatRequest((ChatMessage("user", text),), **settings)
