"""A server's own words become one of our errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stt_daemon.llm.failures import complaint_in, complaint_of, error_for, one_line


def raised(status: int, payload: object) -> Any:
    return error_for(complaint_of(status, json.dumps(payload).encode()), "http://h/v1")


@pytest.mark.parametrize(
    ("payload", "n_ctx", "n_prompt"),
    [
        (
            {
                "error": {
                    "code": 400,
                    "type": "exceed_context_size_error",
                    "message": "too long",
                    "n_prompt_tokens": 19566,
                    "n_ctx": 16384,
                }
            },
            16384,
            19566,
        ),
        (
            {
                "error": {
                    "code": 400,
                    "message": "request (9412 tokens) exceeds the available context size (8192 tokens)",
                }
            },
            8192,
            9412,
        ),
        (
            {
                "error": {
                    "code": "context_length_exceeded",
                    "type": "invalid_request_error",
                    "message": "This model's maximum context length is 8192 tokens. However, your messages "
                    "resulted in 9000 tokens.",
                }
            },
            8192,
            None,
        ),
        (
            {
                "object": "error",
                "message": "This model's maximum context length is 4096 tokens. However, you requested "
                "5000 tokens (4000 in the messages, 1000 in the completion).",
            },
            4096,
            5000,
        ),
        (
            {"error": "The model is loaded with context length of only 4096 tokens, which is not enough."},
            4096,
            None,
        ),
    ],
)
def test_an_exceeded_context_is_recognised_with_its_sizes(
    payload: object, n_ctx: int, n_prompt: int | None
) -> None:
    error = raised(400, payload)
    assert (error.code, error.n_ctx) == ("context_exceeded", n_ctx)
    if n_prompt is not None:
        assert error.n_prompt == n_prompt


@pytest.mark.parametrize(
    ("status", "payload", "code", "words"),
    [
        (401, {"error": {"message": "Invalid API Key"}}, "auth", "api_key"),
        (403, {"detail": "Forbidden"}, "auth", "api_key"),
        (404, {"error": "model 'x' not found"}, "server", "[llm].model"),
        (503, {"error": {"code": 503, "message": "Loading model"}}, "loading", "loading"),
        (500, {"error": {"message": "boom"}}, "server", "boom"),
        (400, {"message": "odd"}, "server", "odd"),
        (422, {"detail": [{"msg": "bad"}]}, "server", "bad"),
        (500, ["odd"], "server", "odd"),
    ],
)
def test_each_kind_of_refusal_has_its_code_and_its_words(
    status: int, payload: object, code: str, words: str
) -> None:
    error = raised(status, payload)
    assert error.code == code
    assert words in f"{error} {error.mend}"
    assert "http://h/v1" in str(error)


def test_an_error_page_is_not_quoted() -> None:
    assert complaint_of(502, b"<html><body>Bad gateway</body></html>").message == "no further words"


def test_words_of_a_server_become_one_printable_line() -> None:
    assert one_line("a\x1b[31m\nb\t c" + "x" * 500) == "a [31m b c" + "x" * 289 + "…"


def test_a_whole_answer_is_no_complaint() -> None:
    assert complaint_in({"choices": [], "error": None}, 200) is None
    assert complaint_in({"choices": [], "detail": "x"}, 200) is None
    assert complaint_in("text", 200) is None
