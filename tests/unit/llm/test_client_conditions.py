"""The conditions people met with model servers, each with the behaviour that is right."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from stt_daemon.errors import LlmError
from stt_daemon.llm import (
    LlmBadReplyError,
    LlmContextError,
    LlmEmptyError,
    LlmInterruptedError,
    LlmLoadingError,
    LlmRepetitionError,
    LlmServerError,
    LlmShortenedError,
    LlmUnreachableError,
)
from stt_daemon.llm.client import LlmClient
from tests.fakes.clock import FakeClock
from tests.fakes.llm_server import (
    DONE,
    DROP,
    LlmServer,
    Reply,
    chunk,
    frame,
    json_reply,
    sse,
    stream,
    text_reply,
    usage,
)
from tests.unit.llm.conftest import MakeClient, ask

LOADING = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}


# --- 67 -------------------------------------------------------------------------------------------


def test_67_a_loading_model_is_waited_for_with_growing_patience(
    server: LlmServer, make_client: MakeClient, clock: FakeClock
) -> None:
    progress: list[str] = []
    times: list[float] = []
    loading = [Reply(503, {}, [json.dumps(LOADING).encode()]) for _ in range(5)]
    for reply in loading:
        reply.before = [lambda: times.append(clock.monotonic())]
    server.chat(*loading, sse("there"))
    client = make_client(on_progress=progress.append)
    assert client.chat(ask()).text == "there"
    waits = [round(later - earlier, 6) for earlier, later in itertools.pairwise(times)]
    assert waits == [0.5, 1.0, 2.0, 4.0]
    assert progress == ["loading model", ""]


def test_67_a_server_that_loads_for_ever_ends_with_the_deadline_as_loading(
    server: LlmServer, make_client: MakeClient
) -> None:
    progress: list[str] = []
    server.on("/v1/chat/completions", json_reply(LOADING, 503))
    with pytest.raises(LlmLoadingError) as caught:
        make_client(on_progress=progress.append).chat(ask(timeout_s=20))
    assert "20 s" in str(caught.value)
    assert progress == ["loading model", ""]


def test_67_every_path_of_a_loading_server_says_so_and_the_facts_wait_too(
    server: LlmServer, make_client: MakeClient
) -> None:
    server.llama()
    server.next("/props", json_reply(LOADING, 503), json_reply(LOADING, 503))
    progress: list[str] = []
    client = make_client(on_progress=progress.append)
    assert client.facts().context_tokens == 8192
    assert progress == ["loading model", ""]


# --- 69, 70 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [None, ""])
def test_69_reasoning_that_used_up_all_tokens_gets_one_larger_try(
    server: LlmServer, client: LlmClient, content: str | None
) -> None:
    used_up = [
        frame(chunk(content, reasoning_content="secret thought")),
        frame(chunk(content, finish="length")),
        DONE,
    ]
    server.chat(stream(used_up), sse("answer"))
    heard: list[str] = []
    reply = client.chat(ask(max_tokens=100), on_delta=heard.append)
    assert reply.text == "answer"
    assert "".join(heard) == "answer"
    first, second = (seen.body["max_tokens"] for seen in server.seen())
    assert (first, second) == (100, 2148)


def test_69_a_second_answer_of_reasoning_only_is_empty_and_keeps_the_reasoning_to_itself(
    server: LlmServer, client: LlmClient
) -> None:
    thought = stream([frame(chunk("<think>secret thought")), frame(chunk(finish="length")), DONE])
    server.chat(thought, thought, sse("never asked for"))
    with pytest.raises(LlmEmptyError) as caught:
        client.chat(ask())
    assert len(server.seen()) == 2
    assert "secret" not in f"{caught.value} {caught.value.partial}"


def test_69_the_larger_try_stays_within_the_context(server: LlmServer, client: LlmClient) -> None:
    server.llama(default_generation_settings={"n_ctx": 1000})
    used_up = [frame(chunk(reasoning="hm")), frame(chunk(finish="length")), frame(usage(prompt=300)), DONE]
    server.chat(stream(used_up), sse("answer"))
    client.chat(ask(max_tokens=200))
    assert server.seen()[1].body["max_tokens"] <= 700


def test_an_empty_answer_that_simply_stopped_is_not_asked_for_again(
    server: LlmServer, client: LlmClient
) -> None:
    server.chat(sse())
    with pytest.raises(LlmEmptyError):
        client.chat(ask())
    assert len(server.seen()) == 1


def test_70_null_content_null_tool_calls_and_lists_of_parts_are_read(
    server: LlmServer, client: LlmClient
) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "list "},
    ]
    server.chat(
        stream(
            [
                frame(chunk(None, tool_calls=None, role="assistant")),
                frame(chunk(parts)),
                frame(chunk("string")),
                frame({"choices": [{"delta": None, "finish_reason": None}]}),
                frame(chunk(None, finish="stop", tool_calls=None)),
                DONE,
            ]
        )
    )
    assert client.chat(ask()).text == "list string"


def test_70_a_tool_call_nobody_asked_for_is_no_answer(server: LlmServer, client: LlmClient) -> None:
    call = [{"index": 0, "function": {"name": "x", "arguments": "{}"}}]
    server.chat(stream([frame(chunk(None, tool_calls=call)), frame(chunk(finish="tool_calls")), DONE]))
    with pytest.raises(LlmEmptyError, match="tool call"):
        client.chat(ask())


def test_a_server_that_does_not_stream_is_understood(server: LlmServer, client: LlmClient) -> None:
    server.chat(
        json_reply(
            {
                "model": "/models/whole.gguf",
                "choices": [{"message": {"content": "<think>hm</think>yes"}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 7, "completion_tokens": 3},
            }
        )
    )
    reply = client.chat(ask())
    assert (reply.text, reply.model, reply.usage.prompt_tokens) == ("yes", "whole.gguf", 7)


# --- 73, 74, 75 -----------------------------------------------------------------------------------


def test_73_an_end_without_mark_and_finish_reason_is_an_interruption(
    server: LlmServer, client: LlmClient
) -> None:
    server.chat(sse("half an ", "answer", finish=None, done=False))
    with pytest.raises(LlmInterruptedError) as caught:
        client.chat(ask())
    assert caught.value.partial == "half an answer"


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_a_finish_reason_makes_the_mark_unnecessary(
    server: LlmServer, client: LlmClient, framing: str
) -> None:
    server.chat(sse("whole", finish="stop", done=False, framing=framing))
    assert client.chat(ask()).text == "whole"


def test_the_mark_makes_the_finish_reason_unnecessary(server: LlmServer, client: LlmClient) -> None:
    server.chat(sse("whole", finish=None))
    reply = client.chat(ask())
    assert (reply.text, reply.finish_reason) == ("whole", "")


def test_a_mark_without_its_blank_line_still_counts(server: LlmServer, client: LlmClient) -> None:
    server.chat(stream([frame(chunk("whole")), b"data: [DONE]"]))
    assert client.chat(ask()).text == "whole"


def test_a_connection_that_breaks_in_the_middle_is_an_interruption(
    server: LlmServer, client: LlmClient
) -> None:
    server.chat(stream([frame(chunk("half")), DROP]))
    with pytest.raises(LlmInterruptedError) as caught:
        client.chat(ask())
    assert caught.value.partial == "half"


def test_a_connection_that_breaks_after_the_finish_reason_does_no_harm(
    server: LlmServer, client: LlmClient
) -> None:
    server.chat(stream([frame(chunk("whole")), frame(chunk(finish="stop")), DROP]))
    assert client.chat(ask()).text == "whole"


@pytest.mark.parametrize("blank_line", [b"", b"\n\n"])
def test_74_a_last_frame_cut_in_its_json_is_discarded(
    server: LlmServer, client: LlmClient, blank_line: bytes
) -> None:
    server.chat(stream([frame(chunk("half")), frame(chunk(" an answer"), end="")[:-20] + blank_line]))
    with pytest.raises(LlmInterruptedError) as caught:
        client.chat(ask())
    assert caught.value.partial == "half"


def test_74_a_cut_usage_frame_after_the_finish_reason_does_no_harm(
    server: LlmServer, client: LlmClient
) -> None:
    server.chat(stream([frame(chunk("whole", finish="stop")), b'data: {"choices": [], "usa']))
    reply = client.chat(ask())
    assert (reply.text, reply.usage.estimated) == ("whole", True)


def test_an_unreadable_frame_in_the_middle_is_not_skipped(server: LlmServer, client: LlmClient) -> None:
    server.chat(stream([frame(chunk("a")), frame("{cut"), frame(chunk("b")), DONE]))
    with pytest.raises(LlmBadReplyError):
        client.chat(ask())


def test_75_chunks_without_choices_are_skipped(server: LlmServer, client: LlmClient) -> None:
    server.chat(
        stream(
            [
                frame({"choices": []}),
                frame({"id": "x"}),
                frame(chunk("yes", finish="stop")),
                frame(usage()),
                DONE,
            ]
        )
    )
    assert client.chat(ask()).text == "yes"


@pytest.mark.parametrize("split", [1, 2, 3, 7])
def test_a_stream_cut_anywhere_gives_the_same_answer(
    server: LlmServer, client: LlmClient, split: int
) -> None:
    server.chat(
        stream(
            [
                b": keep-alive\r\n\r\n",
                'data: {"choices":[{"delta":\r\ndata: {"content":"h\u00e9 \U0001f600 "}}]}\r\n\r\n'.encode(),
                frame(chunk("<thi")),
                frame(chunk("nk>hm</th")),
                frame(chunk("ink>\u4f60<|im_")),
                frame(chunk("end|>", finish="stop")),
                DONE,
            ],
            split=split,
        )
    )
    heard: list[str] = []
    assert client.chat(ask(), on_delta=heard.append).text == "h\u00e9 \U0001f600 \u4f60"
    assert "".join(heard) == "h\u00e9 \U0001f600 \u4f60"


# --- 76 -------------------------------------------------------------------------------------------

EXCEEDED = {
    "error": {
        "code": 400,
        "message": "the request exceeds the available context size",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 19566,
        "n_ctx": 16384,
    }
}


@pytest.mark.parametrize(
    "reply",
    [
        json_reply(EXCEEDED, 400),
        json_reply(EXCEEDED),
        stream([frame(EXCEEDED)]),
        stream([frame(EXCEEDED), DONE]),
    ],
)
def test_76_an_exceeded_context_carries_its_size_whatever_the_status(
    server: LlmServer, client: LlmClient, reply: Reply
) -> None:
    server.chat(reply)
    with pytest.raises(LlmContextError) as caught:
        client.chat(ask())
    assert (caught.value.code, caught.value.n_ctx, caught.value.n_prompt) == (
        "context_exceeded",
        16384,
        19566,
    )
    assert len(server.seen()) == 1
    assert client.facts().context_tokens == 16384


def test_76_an_error_body_in_a_200_is_an_error(server: LlmServer, client: LlmClient) -> None:
    server.chat(json_reply({"error": {"code": 400, "message": "odd grammar"}}))
    with pytest.raises(LlmServerError, match="odd grammar"):
        client.chat(ask())


def test_an_error_in_the_middle_of_a_stream_is_an_error(server: LlmServer, client: LlmClient) -> None:
    server.chat(stream([frame(chunk("half")), frame({"error": {"code": 500, "message": "slot died"}}), DONE]))
    with pytest.raises(LlmServerError, match="slot died") as caught:
        client.chat(ask())
    assert caught.value.partial == "half"
    assert len(server.seen()) == 1


def test_an_error_field_of_an_old_server_is_an_error(server: LlmServer, client: LlmClient) -> None:
    server.chat(stream([b'error: {"code": 400, "message": "odd request"}\n\n']))
    with pytest.raises(LlmServerError, match="odd request"):
        client.chat(ask())


def test_a_request_known_to_be_too_long_is_never_sent(server: LlmServer, client: LlmClient) -> None:
    server.llama(default_generation_settings={"n_ctx": 500})
    with pytest.raises(LlmContextError) as caught:
        client.chat(ask("word " * 600))
    assert (caught.value.n_ctx, caught.value.n_prompt) == (500, 600)
    assert server.seen() == []


# --- 79 is in test_client_time.py, 80 -------------------------------------------------------------


def test_80_loopback_is_reached_past_proxy_variables(
    server: LlmServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "socks://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    server.chat(sse("direct"))
    assert make_client().chat(ask()).text == "direct"


def test_80_a_socks_proxy_before_another_host_is_named_in_the_message(make_client: MakeClient) -> None:
    client = make_client("http://llm.example:8080", proxies={"all": "socks://127.0.0.1:9"})
    with pytest.raises(LlmUnreachableError) as caught:
        client.chat(ask())
    assert "ALL_PROXY" in str(caught.value)
    assert "llm.example" in str(caught.value)
    assert "NO_PROXY" in caught.value.mend


def test_another_host_is_reached_through_an_http_proxy(server: LlmServer, make_client: MakeClient) -> None:
    server.next("http://llm.example/v1/chat/completions", sse("through"))
    client = make_client("http://llm.example", proxies={"http": server.root})
    assert client.chat(ask()).text == "through"


# --- 81, 82, 83 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/"])
def test_81_every_form_of_the_address_reaches_the_chat(
    server: LlmServer, make_client: MakeClient, tail: str
) -> None:
    server.chat(sse("yes"))
    assert make_client(server.root + tail).chat(ask()).text == "yes"


def test_81_another_version_stays(server: LlmServer, make_client: MakeClient) -> None:
    server.next("/v1beta/chat/completions", sse("yes"))
    assert make_client(f"{server.root}/v1beta").chat(ask()).text == "yes"


@pytest.mark.parametrize("key", ["", "  "])
def test_82_an_empty_key_sends_no_header(server: LlmServer, make_client: MakeClient, key: str) -> None:
    server.chat(sse("yes"))
    make_client(api_key=key).chat(ask())
    assert all("authorization" not in seen.headers for seen in server.all_seen())


def test_82_a_key_is_sent_as_a_bearer(server: LlmServer, make_client: MakeClient) -> None:
    server.chat(sse("yes"))
    make_client(api_key="sk-1").chat(ask())
    assert {seen.headers["authorization"] for seen in server.all_seen()} == {"Bearer sk-1"}


@pytest.mark.parametrize(
    "tail", ["<|im_end|>", "</s>", "<|eot_id|>", "<end_of_turn>\n", " <|im_end|>\n<|im_end|>"]
)
def test_83_a_trailing_special_token_is_removed(server: LlmServer, client: LlmClient, tail: str) -> None:
    server.chat(sse("yes", *tail))
    heard: list[str] = []
    assert client.chat(ask(), on_delta=heard.append).text == "yes"
    assert "".join(heard) == "yes"


# --- 84 -------------------------------------------------------------------------------------------


def for_ever(payload: dict[str, Any]) -> Iterator[bytes]:
    while True:
        yield frame(payload)


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
def test_84_the_same_line_for_ever_is_stopped_and_the_stream_closed(
    server: LlmServer, client: LlmClient, field: str
) -> None:
    endless = stream(for_ever({"choices": [{"delta": {field: "The report is due on Friday.\n"}}]}))
    server.chat(endless)
    with pytest.raises(LlmRepetitionError):
        client.chat(ask(max_tokens=100_000))
    assert endless.peer_closed.wait(5)


def test_84_a_server_that_ignores_the_cap_is_stopped(server: LlmServer, client: LlmClient) -> None:
    numbers = itertools.count()
    endless = stream(frame(chunk(f"{n} is followed by {n * n % 9973}\n")) for n in numbers)
    server.chat(endless)
    with pytest.raises(LlmRepetitionError, match="limit"):
        client.chat(ask(max_tokens=10))
    assert endless.peer_closed.wait(5)


# --- 85, 86, 87 -----------------------------------------------------------------------------------


def test_85_a_lone_surrogate_is_replaced_in_both_directions(server: LlmServer, client: LlmClient) -> None:
    raw = b'data: {"choices":[{"delta":{"content":"a\\ud800b \\ud83d"}}]}\n\n'
    rest = b'data: {"choices":[{"delta":{"content":"\\ude00"},"finish_reason":"stop"}]}\n\n'
    server.chat(stream([raw, rest, DONE]))
    assert client.chat(ask("x\ud800y \ud83d\ude00")).text == "a\ufffdb \U0001f600"
    assert server.seen()[0].body["messages"][0]["content"] == "x\ufffdy \U0001f600"


def test_86_a_slot_beyond_the_servers_gives_one_warning_and_the_call_completes(
    server: LlmServer, make_client: MakeClient
) -> None:
    warnings: list[tuple[str, str]] = []
    server.llama(total_slots=2).chat(sse("one"), sse("two"))
    client = make_client(on_warning=lambda code, message: warnings.append((code, message)))
    assert client.chat(ask(slot_id=2)).text == "one"
    assert client.chat(ask(slot_id=2)).text == "two"
    assert all("id_slot" not in seen.body for seen in server.seen())
    assert len(warnings) == 1
    assert "-np 3" in warnings[0][1]


def test_a_slot_is_sent_only_when_configured(server: LlmServer, client: LlmClient) -> None:
    server.llama().chat(sse("one"), sse("two"))
    client.chat(ask(slot_id=1))
    client.chat(ask())
    first, second = server.seen()
    assert first.body["id_slot"] == 1
    assert "id_slot" not in second.body


def test_a_slot_for_a_server_without_slots_is_left_out_with_a_warning(
    server: LlmServer, make_client: MakeClient
) -> None:
    warnings: list[str] = []
    server.chat(sse("yes"))
    client = make_client(on_warning=lambda _, message: warnings.append(message))
    assert client.chat(ask(slot_id=0)).text == "yes"
    assert "id_slot" not in server.seen()[0].body
    assert len(warnings) == 1


def test_87_a_500_is_tried_a_limited_number_of_times(server: LlmServer, client: LlmClient) -> None:
    server.on("/v1/chat/completions", json_reply({"error": {"code": 500, "message": "boom"}}, 500))
    with pytest.raises(LlmServerError, match="boom"):
        client.chat(ask())
    assert len(server.seen()) == 3


def test_87_a_500_that_passes_does_no_harm(server: LlmServer, client: LlmClient) -> None:
    server.chat(json_reply({"error": "boom"}, 500), text_reply("bad gateway", 502), sse("there"))
    assert client.chat(ask()).text == "there"


def test_too_many_requests_are_repeated_when_the_server_says(
    server: LlmServer, client: LlmClient, clock: FakeClock
) -> None:
    before = clock.monotonic()
    server.chat(json_reply({"error": "slow down"}, 429, retry_after="7"), sse("there"))
    assert client.chat(ask()).text == "there"
    assert clock.monotonic() - before == pytest.approx(7)


def test_a_wait_beyond_the_deadline_is_not_begun(
    server: LlmServer, client: LlmClient, clock: FakeClock
) -> None:
    before = clock.monotonic()
    server.chat(json_reply({"error": "slow down"}, 429, retry_after="3600"))
    with pytest.raises(LlmServerError):
        client.chat(ask())
    assert clock.monotonic() == before


# --- prompts shortened silently, connections, other trouble ---------------------------------------


def test_a_prompt_shortened_silently_is_a_failure(server: LlmServer, client: LlmClient) -> None:
    server.chat(stream([frame(chunk("nonsense", finish="stop")), frame(usage(prompt=1024)), DONE]))
    with pytest.raises(LlmShortenedError) as caught:
        client.chat(ask("some words of a long prompt " * 500))
    assert "1024" in str(caught.value)


@pytest.mark.parametrize("prompt", [3000, 0])
def test_an_honest_or_absent_count_is_not_taken_for_a_shortened_prompt(
    server: LlmServer, client: LlmClient, prompt: int
) -> None:
    server.chat(stream([frame(chunk("fine", finish="stop")), frame(usage(prompt=prompt)), DONE]))
    assert client.chat(ask("some words of a long prompt " * 500)).text == "fine"


def test_a_dead_pooled_connection_is_replaced_once(server: LlmServer, client: LlmClient) -> None:
    server.chat(sse("one"), Reply(before=[DROP]), sse("two"))
    assert client.chat(ask()).text == "one"
    assert client.chat(ask()).text == "two"
    connections = [seen.connection for seen in server.seen()]
    assert connections[0] == connections[1] != connections[2]


def test_a_new_connection_that_is_dropped_is_an_interruption(server: LlmServer, client: LlmClient) -> None:
    server.chat(sse("one"), Reply(before=[DROP]), Reply(before=[DROP]), sse("never"))
    client.chat(ask())
    with pytest.raises(LlmInterruptedError, match="without an answer"):
        client.chat(ask())
    assert len(server.seen()) == 3


def test_one_connection_serves_call_after_call(server: LlmServer, client: LlmClient) -> None:
    server.llama().chat(*(sse(str(n)) for n in range(5)))
    for _ in range(5):
        client.chat(ask())
    assert server.connections == 1


def test_a_server_that_is_not_there_is_named_with_a_mend(make_client: MakeClient) -> None:
    with LlmServer() as gone:
        url = gone.url
    with pytest.raises(LlmUnreachableError) as caught:
        make_client(url).chat(ask())
    assert url in str(caught.value)
    assert "is the server running?" in caught.value.mend
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        text_reply("<html>Welcome</html>"),
        text_reply("<html>Welcome</html>", content_type="text/html"),
        json_reply({"hello": "world"}),
        json_reply([1, 2]),
        json_reply({"choices": "none"}),
    ],
)
def test_what_is_no_model_server_is_a_bad_reply(server: LlmServer, client: LlmClient, reply: Reply) -> None:
    server.chat(reply)
    with pytest.raises((LlmBadReplyError, LlmEmptyError)):
        client.chat(ask())


class FailingTransport(httpx.BaseTransport):
    """A network on which every request ends with the same exception."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        raise self.error


@pytest.mark.parametrize(
    "error",
    [
        httpx.ConnectTimeout("timed out"),
        httpx.ConnectError("[Errno -2] Name or service not known"),
        httpx.ProxyError("407 Proxy Authentication Required"),
    ],
)
def test_a_network_that_leads_nowhere_makes_the_server_unreachable(
    make_client: MakeClient, error: Exception
) -> None:
    with pytest.raises(LlmUnreachableError) as caught:
        make_client(transport=FailingTransport(error)).chat(ask())
    assert caught.value.__cause__ is error
    assert caught.value.mend


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (httpx.ReadTimeout("slow"), "timeout"),
        (httpx.ReadError("reset"), "interrupted"),
        (httpx.RemoteProtocolError("illegal status line"), "bad_reply"),
        (ValueError("unforeseen"), "bad_reply"),
    ],
)
def test_every_other_trouble_of_the_network_has_a_code(
    make_client: MakeClient, error: Exception, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(LlmError) as caught:
        make_client(transport=FailingTransport(error)).chat(ask())
    assert caught.value.code == code
    assert ("unexpectedly" in caplog.text) == isinstance(error, ValueError)


def test_a_refused_key_names_the_setting(server: LlmServer, make_client: MakeClient) -> None:
    server.chat(json_reply({"error": {"message": "Invalid API Key", "code": 401}}, 401))
    with pytest.raises(Exception, match="Invalid API Key") as caught:
        make_client(api_key="sk-1").chat(ask())
    assert getattr(caught.value, "code", "") == "auth"
    assert "api_key" in getattr(caught.value, "mend", "")


@pytest.mark.parametrize(
    ("refusal", "gone", "there"),
    [
        ("unknown field stream_options", "stream_options", ""),
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.",
            "max_tokens",
            "max_completion_tokens",
        ),
        ("'temperature' does not support 0.7, only the default (1)", "temperature", ""),
    ],
)
def test_a_parameter_the_server_does_not_know_is_left_out(
    server: LlmServer, client: LlmClient, refusal: str, gone: str, there: str
) -> None:
    server.chat(json_reply({"error": {"message": refusal}}, 400), sse("yes"))
    assert client.chat(ask()).text == "yes"
    body = server.seen()[1].body
    assert gone not in body
    assert not there or there in body


def test_a_lone_closing_tag_takes_back_what_was_heard(server: LlmServer, client: LlmClient) -> None:
    server.chat(sse("let me see", "</think>", "\n\nyes"))
    screen: list[str] = []
    assert client.chat(ask(), on_delta=screen.append, on_reset=screen.clear).text == "yes"
    assert screen == ["yes"]


def test_an_exception_of_the_listener_ends_the_call_and_closes_the_stream(
    server: LlmServer, client: LlmClient
) -> None:
    endless = stream(frame(chunk(f"{n} ")) for n in itertools.count())
    server.chat(endless)

    def fail(_: str) -> None:
        raise RuntimeError("the screen is gone")

    with pytest.raises(RuntimeError):
        client.chat(ask(max_tokens=0), on_delta=fail)
    assert endless.peer_closed.wait(5)


def test_two_threads_may_ask_at_once(server: LlmServer, client: LlmClient) -> None:
    server.on("/v1/chat/completions", lambda seen: sse(seen.body["messages"][0]["content"]))
    answers: dict[str, str] = {}

    def run(name: str) -> None:
        answers[name] = client.chat(ask(name)).text

    threads = [threading.Thread(target=run, args=(f"call {n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert answers == {f"call {n}": f"call {n}" for n in range(6)}
