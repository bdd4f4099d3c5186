"""The key goes into one header of one server, and nowhere else."""

from __future__ import annotations

import copy
import logging
import pickle
import traceback
from collections.abc import Callable

import pytest

from stt_daemon.errors import ErrorRecord, LlmError
from stt_daemon.llm import ChatRequest
from stt_daemon.llm.secret import Secret
from tests.fakes.llm_server import LlmServer, Reply, chunk, frame, json_reply, sse, stream, text_reply
from tests.unit.llm.conftest import MakeClient, ask

KEY = "sk-test-0123456789abcdef"


def test_no_log_record_of_a_good_call_holds_the_key(
    server: LlmServer, make_client: MakeClient, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("", "httpx", "httpcore"):
        caplog.set_level(logging.DEBUG, logger=name or None)
    server.llama().chat(sse("yes"))
    client = make_client(api_key=KEY)
    client.chat(ask())
    client.count_tokens("text")
    assert server.seen()[0].headers["authorization"] == f"Bearer {KEY}"
    assert caplog.records
    assert KEY not in everything_in(caplog)


REFUSALS: list[Callable[[], Reply]] = [
    lambda: json_reply({"error": {"code": 401, "message": f"Incorrect API key provided: {KEY}"}}, 401),
    lambda: json_reply({"error": {"code": 400, "message": f"odd header Bearer {KEY}"}}, 400),
    lambda: text_reply(f"crashed with {KEY}", 500),
    lambda: text_reply(f"welcome {KEY}"),
    lambda: json_reply({"nothing": KEY}),
    lambda: text_reply("", 302, location=f"http://elsewhere.example/?key={KEY}"),
    lambda: stream([frame(chunk(f"your key is {KEY} ")), frame({"error": KEY})]),
]


@pytest.mark.parametrize("reply", REFUSALS)
def test_no_log_record_and_no_exception_holds_the_key_when_the_server_quotes_it(
    server: LlmServer, make_client: MakeClient, caplog: pytest.LogCaptureFixture, reply: Callable[[], Reply]
) -> None:
    caplog.set_level(logging.DEBUG)
    server.on("/v1/chat/completions", lambda _: reply())
    with pytest.raises(LlmError) as caught:
        make_client(api_key=KEY).chat(ask())
    error = caught.value
    shown = (
        "".join(traceback.format_exception(error)) + f"{error!r} {error.args} {error.mend} {error.partial}"
    )
    assert KEY not in shown
    assert KEY not in repr(ErrorRecord.of(error))
    assert KEY not in everything_in(caplog)


@pytest.mark.parametrize("key", ["sk-\nhunter2", "sk- hunter2", "sk-é-hunter2", "sk-\x00hunter2"])
def test_a_key_that_fits_no_header_is_refused_without_showing_it(
    server: LlmServer, make_client: MakeClient, caplog: pytest.LogCaptureFixture, key: str
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(LlmError) as caught:
        make_client(api_key=key).chat(ask())
    assert caught.value.code == "auth"
    assert "hunter2" not in "".join(traceback.format_exception(caught.value)) + everything_in(caplog)
    assert server.all_seen() == []


def test_a_redirect_is_not_followed(server: LlmServer, make_client: MakeClient) -> None:
    with LlmServer() as elsewhere:
        elsewhere.chat(sse("caught"))
        server.chat(text_reply("", 307, location=f"{elsewhere.url}/chat/completions"))
        with pytest.raises(LlmError, match="redirects to") as caught:
            make_client(api_key=KEY).chat(ask())
        assert elsewhere.all_seen() == []
        assert "base_url" in caught.value.mend


def test_the_password_of_an_address_is_sent_as_such_and_never_logged(
    server: LlmServer, make_client: MakeClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.chat(sse("yes"))
    client = make_client(server.url.replace("http://", "http://user:passw0rd@"))
    assert client.chat(ask()).text == "yes"
    assert server.seen()[0].headers["authorization"].startswith("Basic ")
    assert "passw0rd" not in everything_in(caplog) + repr(client) + client.address


def test_the_client_and_its_request_show_no_key(make_client: MakeClient) -> None:
    client = make_client(api_key=KEY)
    request: ChatRequest = ask()
    assert KEY not in repr(client)
    assert KEY not in repr(vars(client))
    assert KEY not in str(client.request_body(request, client.facts()))


def test_a_secret_is_shown_and_pickled_by_nobody() -> None:
    secret = Secret(KEY)
    assert KEY not in f"{secret} {secret!r}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.deepcopy(secret)
    assert secret.redact(f"a {KEY} b") == "a *** b"
    assert Secret("").redact("text") == "text"


def everything_in(caplog: pytest.LogCaptureFixture) -> str:
    """All that any handler could write, tracebacks included."""
    formatter = logging.Formatter("%(name)s %(levelname)s %(message)s")
    return "\n".join(formatter.format(record) + repr(record.args) for record in caplog.records)
