"""The core with its real client and lane, against a scripted server on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.messages import ChatSaid, LaneChanged, TurnEnded, UtteranceFinished, Warned
from tests.fakes.core import RunningCore
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


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer() as scripted:
        yield scripted.llama()


def says(*pieces: str, prompt: int = 2000, split: int = 0) -> Reply:
    """A proper reply of a server that read the whole prompt."""
    contents = [frame(chunk(piece)) for piece in pieces]
    end = [frame(chunk(finish="stop")), frame(usage(prompt, 5)), DONE]
    return stream([frame(chunk("", role="assistant")), *contents, *end], split=split)


def core_on(server: LlmServer, root: Path, **llm: Any) -> RunningCore:
    config = {"llm": {"base_url": server.url, "timeout_s": 20, **llm}}
    return RunningCore(root, config=config, real_llm=True)


def test_a_reply_streams_from_a_real_server_and_is_checked(server: LlmServer, tmp_path: Path) -> None:
    server.chat(says("They said ", "hello [u1]", " and [u9", "9] bye.", split=5))
    with core_on(server, tmp_path) as core:
        core.hears("Hello everybody.")
        core.types("What did they say?")
        reply = core.replied()
        assert reply.text == "They said hello [u1] bye."
        assert reply.cites == ("u1",)
        assert reply.usage is not None
        assert reply.usage["prompt_tokens"] == 2000
    body = server.seen()[0].body
    assert "id_slot" not in body
    assert "[u1] " in body["messages"][-1]["content"]


def test_the_configured_slot_and_key_reach_the_server_and_the_key_nobody_else(
    server: LlmServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    server.chat(says("Hi."), json_reply({"error": {"message": "no: sk-very-secret"}}, 400))
    with core_on(server, tmp_path, chat_slot_id=1, api_key_env="MY_KEY") as core:
        core.types("Hello", "Again")
        core.replied(1)
        core.noticed()
    assert server.seen()[0].body["id_slot"] == 1
    assert server.seen()[0].headers["authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in str(core.outbox.messages)
    assert "sk-very-secret" not in caplog.text


def test_a_named_but_unset_key_variable_is_a_warning(server: LlmServer, tmp_path: Path) -> None:
    server.chat(says("Hi."))
    with core_on(server, tmp_path, api_key_env="STT_DAEMON_TEST_UNSET") as core:
        core.outbox.wait_for(Warned, lambda w: w.code == "api_key")
        core.types("Hello")
        core.replied()
    assert "authorization" not in server.seen()[0].headers


def test_the_key_in_the_file_wins(server: LlmServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "from-environment")
    server.chat(says("Hi."))
    with core_on(server, tmp_path, api_key="from-file", api_key_env="MY_KEY") as core:
        core.types("Hello")
        core.replied()
    assert server.seen()[0].headers["authorization"] == "Bearer from-file"


def test_a_model_that_loads_is_shown_and_waited_for(server: LlmServer, tmp_path: Path) -> None:
    loading = json_reply({"error": {"code": 503, "message": "Loading model"}}, 503)
    server.chat(loading, says("Ready now."))
    with core_on(server, tmp_path) as core:
        core.types("Hello")
        core.outbox.wait_for(LaneChanged, lambda lane: lane.reason == "loading model")
        assert core.replied().text == "Ready now."
        core.outbox.wait_for(LaneChanged, lambda lane: (lane.state, lane.reason) == ("ready", server.url))


def test_a_stalled_server_holds_up_no_turn_and_a_cut_stream_is_no_reply(
    server: LlmServer, tmp_path: Path
) -> None:
    gate = threading.Event()
    server.chat(stream([frame(chunk("I begin ")), gate, DROP]))
    with core_on(server, tmp_path) as core:
        core.types("Hello")
        core.outbox.wait_for(ChatSaid, lambda c: c.delta == "I begin")
        for number in range(4):
            core.hears(f"Turn {number} goes on.")
        assert len(core.outbox.of(TurnEnded)) == 4
        assert not [c for c in core.outbox.of(ChatSaid) if c.role == "notice"]
        gate.set()
        core.noticed()
        core.stop()
    closed = [c for c in core.outbox.of(ChatSaid) if c.role == "assistant" and c.final]
    assert [(c.text, c.finish_reason) for c in closed] == [("", "interrupted")]
    assert core.lines()[-1]["text"] == ""
    assert core.outbox.of(UtteranceFinished) == []


@pytest.mark.parametrize(
    "lie",
    [
        json_reply({"error": {"code": 500, "message": "boom"}}),
        sse(),
        text_reply("<html>It works!</html>"),
        sse("same line\n" * 400),
    ],
    ids=["an error in a 200", "nothing", "a web page", "a loop"],
)
def test_a_lying_server_gives_one_notice_and_no_reply(server: LlmServer, tmp_path: Path, lie: Any) -> None:
    server.on("/v1/chat/completions", lie)
    with core_on(server, tmp_path, timeout_s=5) as core:
        core.types("Hello")
        core.noticed()
        core.hears("All the same, speech goes on.")
        core.stop()
    assert len([c for c in core.outbox.of(ChatSaid) if c.role == "notice"]) == 1
    assert not [c for c in core.outbox.of(ChatSaid) if c.role == "assistant" and c.text]


def test_a_context_error_in_a_200_makes_the_request_smaller(server: LlmServer, tmp_path: Path) -> None:
    error = {
        "code": 400,
        "type": "exceed_context_size_error",
        "message": "the request exceeds the available context size",
        "n_prompt_tokens": 5000,
        "n_ctx": 2048,
    }
    server.chat(json_reply({"error": error}), says("Short."))
    with core_on(server, tmp_path) as core:
        core.hears(*[f"Line {n} " + "word " * 60 for n in range(60)])
        core.types("What?")
        assert core.replied().text == "Short."
    first, second = (len(str(seen.body["messages"]).split()) for seen in server.seen())
    assert second < 1200 < first


def test_72_a_reply_wrapped_in_a_fence_is_read_without_it(server: LlmServer, tmp_path: Path) -> None:
    server.chat(says("```markdown\n", "Hello [u1], [u99].\n\n```py\nx[u7]\n```\n", "Bye.\n```"))
    with core_on(server, tmp_path) as core:
        core.hears("Hello everybody.")
        core.types("What did they say?")
        reply = core.replied()
    assert reply.text == "Hello [u1].\n\n```py\nx[u7]\n```\nBye."
    assert reply.cites == ("u1",)


def test_what_turns_out_to_be_reasoning_is_replaced_by_the_reply(server: LlmServer, tmp_path: Path) -> None:
    server.chat(says("let me see, what was it", "</think>", "\n\nBlue, ", "I think."))
    with core_on(server, tmp_path) as core:
        core.types("Which colour?")
        reply = core.replied()
        core.stop()
    shown = ""
    for piece in core.outbox.of(ChatSaid):
        if piece.role == "assistant" and not piece.final:
            shown = piece.text or shown + piece.delta
    assert shown == reply.text == "Blue, I think."
    assert "let me see" not in str(core.lines())


def test_85_a_lone_surrogate_typed_or_answered_spoils_neither_request_nor_file(
    server: LlmServer, tmp_path: Path
) -> None:
    answer = b'data: {"choices":[{"delta":{"content":"a\\ud800b"},"finish_reason":"stop"}]}\n\n'
    server.chat(stream([answer, frame(usage(2000, 3)), DONE]))
    with core_on(server, tmp_path) as core:
        core.types("x\ud800y")
        assert core.replied().text == "a\ufffdb"
        core.stop()
    assert [line["text"] for line in core.lines()] == ["x\ufffdy", "a\ufffdb"]


def test_a_stop_ends_a_call_to_a_server_that_never_answers(server: LlmServer, tmp_path: Path) -> None:
    gate = threading.Event()
    hanging = stream([gate])
    server.chat(hanging)
    with core_on(server, tmp_path, timeout_s=600) as core:
        core.types("Hello")
        assert hanging.started.wait(20)
        assert core.stop(0.0) == 0
    assert core.lines()[-1]["text"] == ""
    gate.set()
