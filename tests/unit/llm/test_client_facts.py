"""What the client knows about its server, what it counts, and what it sends to which kind."""

from __future__ import annotations

import pytest

from stt_daemon.llm import (
    ChatMessage,
    LlmAuthError,
    LlmContextError,
    LlmServerError,
    LlmUnreachableError,
    ServerFacts,
    estimate_tokens,
)
from stt_daemon.llm.client import LlmClient
from tests.fakes.clock import FakeClock
from tests.fakes.llm_server import DONE, LlmServer, chunk, frame, json_reply, sse, stream
from tests.unit.llm.conftest import MakeClient, ask


def test_facts_are_asked_for_once(server: LlmServer, client: LlmClient) -> None:
    server.llama()
    assert client.facts() == ServerFacts("llama.cpp", 8192, 2, "tiny")
    assert client.facts() == client.facts()
    assert len(server.seen("/props")) == 1


def test_facts_are_asked_for_again_after_an_error(server: LlmServer, client: LlmClient) -> None:
    server.llama()
    client.facts()
    server.chat(json_reply({"error": {"code": 400, "message": "odd"}}, 400))
    with pytest.raises(LlmServerError):
        client.chat(ask())
    server.llama(default_generation_settings={"n_ctx": 4096})
    assert client.facts().context_tokens == 4096


def test_facts_of_a_server_that_is_not_there_are_an_error(make_client: MakeClient) -> None:
    with LlmServer() as gone:
        url = gone.url
    with pytest.raises(LlmUnreachableError):
        make_client(url).facts()


def test_a_server_that_refuses_the_key_says_so_when_asked_for_facts(
    server: LlmServer, make_client: MakeClient
) -> None:
    server.on("/v1/models", json_reply({"error": {"code": 401, "message": "Invalid API Key"}}, 401))
    with pytest.raises(LlmAuthError):
        make_client(api_key="sk-wrong").facts()


def test_a_server_that_tells_nothing_is_still_asked(server: LlmServer, client: LlmClient) -> None:
    server.chat(sse("yes"))
    assert client.facts() == ServerFacts("other", None, None, "")
    assert client.chat(ask()).text == "yes"


@pytest.mark.parametrize(("configured", "context"), [(0, 8192), (4096, 4096), (32768, 8192)])
def test_the_configured_context_caps_what_the_server_tells(
    server: LlmServer, make_client: MakeClient, configured: int, context: int
) -> None:
    server.llama()
    assert make_client(context_tokens=configured).facts().context_tokens == context


def test_the_configured_context_stands_in_for_an_unknown_or_guessed_one(
    server: LlmServer, make_client: MakeClient
) -> None:
    assert make_client(context_tokens=6000).facts().context_tokens == 6000
    server.on("/v1/models", json_reply({"data": [{"id": "m"}]})).on("/api/ps", json_reply({"models": []}))
    server.on("/api/show", json_reply({"model_info": {"q.context_length": 32768}}))
    assert make_client(context_tokens=16000).facts() == ServerFacts("ollama", 16000, None, "m")
    assert make_client().facts().context_tokens == 4096


def test_a_guessed_context_is_asked_for_again_once_the_model_is_in_memory(
    server: LlmServer, client: LlmClient
) -> None:
    server.on("/v1/models", json_reply({"data": [{"id": "m"}]})).on("/api/ps", json_reply({"models": []}))
    assert client.facts().context_tokens == 4096
    server.on("/api/ps", json_reply({"models": [{"name": "m", "context_length": 16384}]})).chat(sse("yes"))
    client.chat(ask())
    assert client.facts().context_tokens == 16384


def test_a_context_learned_from_an_error_holds_until_the_server_was_away(
    server: LlmServer, client: LlmClient
) -> None:
    server.chat(json_reply({"error": {"type": "exceed_context_size_error", "n_ctx": 2048}}, 400))
    with pytest.raises(LlmContextError):
        client.chat(ask())
    assert client.facts().context_tokens == 2048


def test_a_llama_cpp_server_gets_its_own_fields_and_no_other_server_does(
    server: LlmServer, make_client: MakeClient
) -> None:
    server.chat(sse("one"), sse("two"))
    make_client(model="m").chat(ask(grammar='root ::= "a"'))
    server.llama()
    make_client(model="m").chat(ask(grammar='root ::= "a"', cache_prompt=False))
    other, llama = (seen.body for seen in server.seen())
    assert not {"grammar", "cache_prompt", "id_slot"} & other.keys()
    assert (llama["grammar"], llama["cache_prompt"]) == ('root ::= "a"', False)
    assert other["model"] == "m"
    assert (other["stream"], other["max_tokens"], other["temperature"]) == (True, 100, 0.7)


def test_a_llama_cpp_server_counts_each_text_once(server: LlmServer, client: LlmClient) -> None:
    server.llama()
    for _ in range(3):
        count = client.count_tokens("one two three")
        assert (count.count, count.estimated) == (3, False)
    assert len(server.seen("/tokenize")) == 1
    assert client.count_tokens("").count == 0


def test_a_vllm_server_counts_too(server: LlmServer, client: LlmClient) -> None:
    server.on("/v1/models", json_reply({"data": [{"id": "m", "max_model_len": 4096}]}))
    server.on("/tokenize", json_reply({"count": 5, "tokens": [1, 2, 3, 4, 5]}))
    count = client.count_tokens("some text")
    assert (count.count, count.estimated) == (5, False)
    assert server.seen("/tokenize")[0].body["model"] == "m"


def test_any_other_server_gives_an_estimate_marked_as_one(server: LlmServer, client: LlmClient) -> None:
    count = client.count_tokens("some text of a few words")
    assert (count.count, count.estimated) == (estimate_tokens("some text of a few words"), True)
    assert server.seen("/tokenize") == []


def test_a_server_that_is_not_there_gives_an_estimate_and_is_left_alone_for_a_while(
    make_client: MakeClient, clock: FakeClock
) -> None:
    with LlmServer() as gone:
        url = gone.url
    client = make_client(url)
    assert client.count_tokens("one").estimated
    assert client.count_tokens("two").estimated


def test_a_failed_count_is_tried_again_later(server: LlmServer, client: LlmClient, clock: FakeClock) -> None:
    server.llama().next("/tokenize", json_reply({"error": "busy"}, 500))
    assert client.count_tokens("one two").estimated
    assert client.count_tokens("three").estimated
    clock.advance(31)
    assert not client.count_tokens("one two").estimated
    assert len(server.seen("/tokenize")) == 2


def test_a_whole_prompt_is_counted_with_room_for_the_template(server: LlmServer, client: LlmClient) -> None:
    server.llama()
    count = client.count_messages([ChatMessage("system", "be brief"), ChatMessage("user", "one two three")])
    assert not count.estimated
    assert 5 + 2 * 5 <= count.count <= 5 + 50


def test_a_prompt_that_fits_by_its_bytes_is_not_counted(server: LlmServer, client: LlmClient) -> None:
    server.llama().chat(sse("yes"))
    client.chat(ask("a short question"))
    assert server.seen("/tokenize") == []


def test_an_estimate_refuses_only_what_certainly_does_not_fit(
    server: LlmServer, make_client: MakeClient
) -> None:
    client = make_client(context_tokens=1000)
    server.chat(stream([frame(chunk("yes", finish="stop")), DONE]))
    assert client.chat(ask("word " * 900)).text == "yes"
    with pytest.raises(LlmContextError):
        client.chat(ask("word " * 2000))
    assert len(server.seen()) == 1
