"""One update in the lane: which server is asked again, and what a failure tells."""

from __future__ import annotations

import threading

import pytest

from stt_daemon.errors import LlmError
from stt_daemon.llm import ChatMessage, LlmContextError, LlmUnreachableError, ServerFacts
from stt_daemon.triage.brief_engine import BriefRequest
from stt_daemon.wiring.brief_call import BriefCall
from tests.fakes.generator import FakeGenerator

GOOD, BAD = "good", "bad"


class Server(FakeGenerator):
    """A generator that says what it is, or does not."""

    def __init__(self, kind: str, *replies: str | LlmError) -> None:
        super().__init__()
        self.kind = kind
        self.say(*replies)

    def facts(self, *, timeout_s: float = 15.0, cancelled: threading.Event | None = None) -> ServerFacts:
        if self.kind == "silent":
            raise LlmUnreachableError("it is gone")
        return ServerFacts(self.kind, 4096, None, "scripted")  # type: ignore[arg-type]


def request(text: str) -> BriefRequest:
    return BriefRequest(
        messages=(ChatMessage("system", "Keep notes."), ChatMessage("user", text)),
        max_tokens=100,
        timeout_s=7.0,
        temperature=0.1,
        slot_id=2,
        grammar="root ::= x",
    )


def call(server: Server) -> tuple[str, list[int]]:
    told: list[int] = []

    def reask(asked: BriefRequest, reply: str, finish_reason: str) -> BriefRequest | None:
        return request("again") if reply == BAD else None

    job = BriefCall(request("first"), reask, lambda _: None, told.append)
    return job(server, threading.Event()).text, told


@pytest.mark.parametrize(
    ("kind", "asked", "result"),
    [
        ("llama.cpp", ["first"], BAD),
        ("other", ["first", "again"], GOOD),
        ("silent", ["first", "again"], GOOD),
    ],
)
def test_only_a_server_without_a_grammar_is_asked_once_more(kind: str, asked: list[str], result: str) -> None:
    server = Server(kind, BAD, GOOD)
    assert call(server)[0] == result
    assert [seen.messages[1].content for seen in server.requests] == asked


def test_it_is_asked_once_more_and_not_again() -> None:
    server = Server("other", BAD, BAD, GOOD)
    assert call(server)[0] == BAD
    assert len(server.requests) == 2


def test_the_request_goes_out_with_all_its_limits() -> None:
    server = Server("llama.cpp", GOOD)
    _, told = call(server)
    (seen,) = server.requests
    assert (seen.max_tokens, seen.timeout_s, seen.temperature, seen.slot_id) == (100, 7.0, 0.1, 2)
    assert (seen.grammar, seen.purpose) == ("root ::= x", "brief")
    assert told == [4096]


def test_a_context_that_is_too_small_is_told_for_the_next_request() -> None:
    server = Server("other", LlmContextError("too long", n_ctx=2048, n_prompt=3000))
    told: list[int] = []
    job = BriefCall(request("first"), lambda *_: None, lambda _: None, told.append)
    with pytest.raises(LlmContextError):
        job(server, threading.Event())
    assert told == [2048]
