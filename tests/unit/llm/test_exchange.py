"""Each request and its response as a whoever keeps records hears of them."""

from __future__ import annotations

import pytest

from stt_daemon.errors import LlmError
from stt_daemon.llm import ChatExchange
from tests.fakes.llm_server import LlmServer, json_reply, sse
from tests.unit.llm.conftest import MakeClient, ask

KEY = "sk-test-0123456789abcdef"


def test_a_streamed_answer_is_told_as_one_envelope(server: LlmServer, make_client: MakeClient) -> None:
    server.llama().chat(sse("Hel", "lo."))
    told: list[ChatExchange] = []
    client = make_client(api_key=KEY)
    client.chat(ask(), on_exchange=told.append)
    (exchange,) = told
    assert exchange.url == f"{server.url}/chat/completions"
    assert exchange.body == server.seen()[0].body
    assert exchange.response is not None
    assert exchange.response["object"] == "chat.completion"
    assert exchange.response["choices"] == [
        {"index": 0, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}
    ]
    assert exchange.response["usage"]["completion_tokens"] == 5
    assert exchange.error == ""
    assert exchange.duration_s >= 0
    assert KEY not in repr(exchange)


def test_a_refusal_is_told_with_its_error_and_without_the_key(
    server: LlmServer, make_client: MakeClient
) -> None:
    server.llama().chat(json_reply({"error": {"code": 400, "message": f"odd {KEY}"}}, 400))
    told: list[ChatExchange] = []
    with pytest.raises(LlmError):
        make_client(api_key=KEY).chat(ask(), on_exchange=told.append)
    (exchange,) = told
    assert exchange.response is None
    assert "odd ***" in exchange.error


def test_a_key_that_the_answer_quotes_is_hidden_in_the_record(
    server: LlmServer, make_client: MakeClient
) -> None:
    server.llama().chat(sse(f"Your key is {KEY[:10]}", KEY[10:]))
    told: list[ChatExchange] = []
    make_client(api_key=KEY).chat(ask(), on_exchange=told.append)
    assert KEY not in repr(told)


def test_a_second_try_of_an_empty_answer_is_a_second_exchange(
    server: LlmServer, make_client: MakeClient
) -> None:
    server.llama().chat(sse(finish="length"), sse("Now."))
    told: list[ChatExchange] = []
    make_client().chat(ask(), on_exchange=told.append)
    assert len(told) == 2
