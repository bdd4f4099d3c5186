"""Deadlines, cancellation and what is measured; time stands still until the script moves it."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from stt_daemon.domain.clock import SystemClock
from stt_daemon.llm import ChatReply, ChatRequest, LlmCancelledError, LlmInterruptedError, LlmTimeoutError
from stt_daemon.llm.client import LlmClient
from tests.fakes.clock import FakeClock
from tests.fakes.llm_server import DONE, LlmServer, Reply, Step, chunk, frame, sse, stream, usage
from tests.unit.llm.conftest import MakeClient, ask

PATIENCE_S = 20


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as running:
        yield running


def begun(
    pool: ThreadPoolExecutor, client: LlmClient, request: ChatRequest, reply: Reply
) -> Future[ChatReply]:
    """A call in another thread whose answer has been begun by the server."""
    future = pool.submit(client.chat, request)
    assert reply.started.wait(PATIENCE_S)
    return future


def test_79_a_server_that_never_answers_ends_at_the_deadline(
    server: LlmServer, client: LlmClient, clock: FakeClock, pool: ThreadPoolExecutor
) -> None:
    silent = Reply(before=[threading.Event()])
    server.chat(silent)
    future = begun(pool, client, ask(timeout_s=120), silent)
    clock.advance(119)
    assert not future.done()
    clock.advance(2)
    with pytest.raises(LlmTimeoutError, match="120 s"):
        future.result(PATIENCE_S)


def test_79_a_server_whose_own_questions_hang_still_gets_the_chat(
    server: LlmServer, client: LlmClient, clock: FakeClock, pool: ThreadPoolExecutor
) -> None:
    hanging = Reply(before=[threading.Event()])
    server.on("/props", hanging).chat(sse("answer"))
    future = begun(pool, client, ask(timeout_s=120), hanging)
    clock.advance(6)
    assert future.result(PATIENCE_S).text == "answer"
    assert server.seen("/v1/models") == []


def test_a_trickle_does_not_move_the_deadline(server: LlmServer, client: LlmClient, clock: FakeClock) -> None:
    reply = stream(b": keep-alive\n\n" + frame(chunk(f"{number} ")) for number in itertools.count())
    server.chat(reply)
    with pytest.raises(LlmTimeoutError) as caught:
        client.chat(ask(timeout_s=30, max_tokens=0), on_delta=lambda _: clock.advance(1))
    assert caught.value.partial.startswith("0 1 2 3")
    assert reply.peer_closed.wait(PATIENCE_S)


def test_a_trickle_of_nothing_does_not_move_the_deadline_either(
    server: LlmServer, client: LlmClient, clock: FakeClock
) -> None:
    steps: Iterator[Step] = itertools.cycle([lambda: clock.advance(1), b": keep-alive\n\n"])
    reply = stream(steps)
    server.chat(reply)
    with pytest.raises(LlmTimeoutError):
        client.chat(ask(timeout_s=30))
    assert reply.peer_closed.wait(PATIENCE_S)


def test_the_deadline_holds_in_real_time_too(server: LlmServer, make_client: MakeClient) -> None:
    server.chat(Reply(before=[threading.Event()]))
    client = make_client(clock=SystemClock())
    with pytest.raises(LlmTimeoutError):
        client.chat(ask(timeout_s=0.3))


def test_a_stalled_error_body_does_not_hold_the_call(
    server: LlmServer, client: LlmClient, clock: FakeClock, pool: ThreadPoolExecutor
) -> None:
    stalled = Reply(400, {"content-length": "10"}, [threading.Event()], framing="raw")
    server.chat(stalled)
    future = begun(pool, client, ask(timeout_s=30), stalled)
    clock.advance(31)
    with pytest.raises(LlmTimeoutError):
        future.result(PATIENCE_S)


def test_a_cancelled_call_ends_at_once_and_closes_the_stream(
    server: LlmServer, client: LlmClient, pool: ThreadPoolExecutor
) -> None:
    wanted_no_more, heard = threading.Event(), threading.Event()
    endless = stream(frame(chunk(f"{n} ")) for n in itertools.count())
    server.chat(endless)
    future = pool.submit(
        client.chat, ask(max_tokens=0), on_delta=lambda _: heard.set(), cancelled=wanted_no_more
    )
    assert heard.wait(PATIENCE_S)
    wanted_no_more.set()
    with pytest.raises(LlmCancelledError) as caught:
        future.result(PATIENCE_S)
    assert caught.value.partial.startswith("0 1")
    assert endless.peer_closed.wait(PATIENCE_S)


def test_a_call_can_be_cancelled_before_the_first_byte(
    server: LlmServer, client: LlmClient, pool: ThreadPoolExecutor
) -> None:
    wanted_no_more = threading.Event()
    silent = Reply(before=[threading.Event()])
    server.chat(silent)
    future = pool.submit(client.chat, ask(timeout_s=3600), cancelled=wanted_no_more)
    assert silent.started.wait(PATIENCE_S)
    wanted_no_more.set()
    with pytest.raises(LlmCancelledError):
        future.result(PATIENCE_S)
    # The connection is closed at once, although its reader was blocked: the server can stop working.
    for reader in [thread for thread in threading.enumerate() if thread.name == "llm-exchange"]:
        reader.join(PATIENCE_S)
        assert not reader.is_alive()


def test_a_call_cancelled_before_it_began_asks_nothing(server: LlmServer, client: LlmClient) -> None:
    wanted_no_more = threading.Event()
    wanted_no_more.set()
    with pytest.raises(LlmCancelledError):
        client.chat(ask(), cancelled=wanted_no_more)
    assert server.seen() == []


def test_the_next_call_after_a_cancelled_one_works(
    server: LlmServer, client: LlmClient, pool: ThreadPoolExecutor
) -> None:
    wanted_no_more = threading.Event()
    silent = Reply(before=[threading.Event()])
    server.chat(silent, sse("next"))
    future = pool.submit(client.chat, ask(), cancelled=wanted_no_more)
    assert silent.started.wait(PATIENCE_S)
    wanted_no_more.set()
    assert isinstance(future.exception(PATIENCE_S), LlmCancelledError)
    assert client.chat(ask()).text == "next"


def test_closing_the_client_ends_a_call(
    server: LlmServer, client: LlmClient, pool: ThreadPoolExecutor
) -> None:
    silent = Reply(before=[threading.Event()])
    server.chat(silent)
    future = begun(pool, client, ask(), silent)
    client.close()
    with pytest.raises((LlmCancelledError, LlmInterruptedError)):
        future.result(PATIENCE_S)


def test_a_closed_client_asks_nothing(server: LlmServer, client: LlmClient) -> None:
    client.close()
    with pytest.raises(LlmCancelledError):
        client.chat(ask())
    assert server.all_seen() == []


class TickingClock(FakeClock):
    """Moves on a little whenever it is read."""

    def monotonic(self) -> float:
        self.advance(0.1)
        return super().monotonic()


def test_an_answer_is_not_held_up_by_a_stream_that_stays_open_behind_it(
    server: LlmServer, make_client: MakeClient
) -> None:
    clock = TickingClock()
    steps: list[Step] = [frame(chunk("whole")), frame(chunk(finish="stop")), threading.Event()]
    server.chat(stream(steps))
    reply = make_client(clock=clock).chat(ask(timeout_s=120))
    assert reply.text == "whole"
    assert reply.duration_s < 60


def test_time_to_the_first_token_and_duration_follow_the_injected_clock(
    server: LlmServer, client: LlmClient, clock: FakeClock
) -> None:
    steps: list[Step] = [
        frame(chunk("", role="assistant")),
        lambda: clock.advance(3),
        frame(chunk("yes")),
    ]
    # The second token is written only when the first was read, or the clock would run ahead of the reader.
    read = threading.Event()
    steps += [read, lambda: clock.advance(4), frame(chunk(finish="stop")), frame(usage(12, 1)), DONE]
    server.chat(stream(steps))
    reply = client.chat(ask(), on_delta=lambda _: read.set())
    assert (reply.first_token_s, reply.duration_s) == (3, 7)
    assert (reply.finish_reason, reply.model) == ("stop", "scripted")


def test_usage_is_the_servers_or_marked_as_estimated(server: LlmServer, client: LlmClient) -> None:
    server.chat(
        stream(
            [
                frame(chunk("yes", finish="stop")),
                frame(usage(12, 1, prompt_tokens_details={"cached_tokens": 8})),
                DONE,
            ]
        ),
        stream(
            [frame({**chunk("yes", finish="stop"), "timings": {"cache_n": 9}}), frame(usage(12, 1)), DONE]
        ),
        stream([frame(chunk("yes", finish="stop")), DONE]),
    )
    first, second, third = (client.chat(ask()).usage for _ in range(3))
    assert (first.prompt_tokens, first.completion_tokens, first.cached_tokens, first.estimated) == (
        12,
        1,
        8,
        False,
    )
    assert second.cached_tokens == 9
    assert third.estimated
    assert third.prompt_tokens > 0
    assert third.completion_tokens > 0
    assert third.cached_tokens is None
