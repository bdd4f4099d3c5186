"""Sending a chat request until it is answered: what is tried again, how often, and what is not."""

from __future__ import annotations

import re
from typing import Any

from stt_daemon.errors import LlmError
from stt_daemon.llm.call import Call
from stt_daemon.llm.failures import (
    Complaint,
    LlmBadReplyError,
    LlmInterruptedError,
    LlmTimeoutError,
    complaint_of,
    error_for,
)
from stt_daemon.llm.probe import encode, unreachable
from stt_daemon.llm.reply import Answer
from stt_daemon.llm.stream import AnswerReader, RefusedError
from stt_daemon.llm.transport import Broken, Ended, Exchange, Head, Line

# A server that fails with the same prompt three times fails with it always.
RETRIES = 2
FIRST_RETRY_S = 0.5
_ERROR_BODY_LIMIT = 64_000
_UNSUPPORTED = re.compile(r"unsupported|not supported|does not support|only the default", re.IGNORECASE)


def attempt(line: Line, call: Call, url: str, body: dict[str, Any], answer: Answer) -> float:
    """Fill the answer; returns seconds from the start of the call to its first token.

    A model that loads is waited for, a passing error (429, 5xx) retried twice, a dead connection from the
    pool once, a parameter the server does not know left out. Nothing is retried after the first token. Raises
    an LlmError.
    """
    tries = 0
    reconnect = False
    while True:
        call.check()
        try:
            return _once(line, call, url, body, answer, fresh=reconnect)
        except RefusedError as refusal:
            complaint = refusal.complaint
            if complaint.loading:
                call.wait_for_model()
                continue
            fewer = without_what_is_refused(body, complaint)
            if fewer is not None:
                body = fewer
                continue
            wait = refusal.retry_after_s or FIRST_RETRY_S * 4**tries
            if (
                complaint.context_exceeded
                or not complaint.passing
                or tries >= RETRIES
                or wait > call.remaining
            ):
                raise error_for(complaint, call.shown) from None
            tries += 1
            call.wait(wait)
        except _DeadConnectionError:
            reconnect = True
        except LlmError as error:
            error.partial = error.partial or answer.text
            raise


class _DeadConnectionError(Exception):
    """The connection came from the pool and was closed by the server before it could answer."""


def _once(line: Line, call: Call, url: str, body: dict[str, Any], answer: Answer, *, fresh: bool) -> float:
    exchange = line.send("POST", url, encode(body), timeout_s=call.remaining, fresh=fresh)
    whole = False
    try:
        head = call.next(exchange)
        if isinstance(head, Broken):
            raise _no_answer(call, head, fresh=fresh)
        if not isinstance(head, Head):
            raise LlmInterruptedError(f"{call.shown} closed the connection without an answer")
        if 300 <= head.status < 400:
            raise LlmBadReplyError(
                f"{call.shown} redirects to {head.location or 'nowhere'}, which is not followed",
                mend="put the final address into [llm].base_url if you trust it",
            )
        if head.status >= 400:
            raise RefusedError(complaint_of(head.status, _error_body(call, exchange)), head.retry_after_s)
        call.model_is_there()
        reader = AnswerReader(call, exchange, answer, int(body.get("max_tokens", 0)))
        reader.read()
        whole = reader.ended
        return call.elapsed if reader.first_token_s is None else reader.first_token_s
    finally:
        if not whole:
            exchange.abort()


def _no_answer(call: Call, broken: Broken, *, fresh: bool) -> Exception:
    error: LlmError
    if broken.kind == "unreachable":
        return unreachable(call.shown, broken)
    if broken.kind == "dropped":
        if broken.reused and not fresh:
            return _DeadConnectionError()
        error = LlmInterruptedError(
            f"{call.shown} closed the connection without an answer ({broken.detail})",
            mend="has the server crashed? see its log",
        )
    elif broken.kind == "timeout":
        error = LlmTimeoutError(f"{call.shown} never answered", mend="see the log of the LLM server")
    else:
        error = LlmBadReplyError(
            f"what {call.shown} sent could not be understood ({broken.detail})", mend="check [llm].base_url"
        )
    error.__cause__ = broken.error
    return error


def _error_body(call: Call, exchange: Exchange) -> bytes:
    body = bytearray()
    while len(body) < _ERROR_BODY_LIMIT:
        event = call.next(exchange, within_s=2.0)
        if event is None or isinstance(event, (Broken, Ended, Head)):
            break
        body += event
    return bytes(body)


def without_what_is_refused(body: dict[str, Any], complaint: Complaint) -> dict[str, Any] | None:
    """The body without the optional parameter the server names in its refusal, or None when it names none."""
    if complaint.status not in (400, 422) or complaint.context_exceeded:
        return None
    words = complaint.message
    if "stream_options" in body and "stream_options" in words:
        return {name: value for name, value in body.items() if name != "stream_options"}
    if "max_tokens" in body and "max_completion_tokens" in words:
        renamed = {name: value for name, value in body.items() if name != "max_tokens"}
        return {**renamed, "max_completion_tokens": body["max_tokens"]}
    if "temperature" in body and "temperature" in words and _UNSUPPORTED.search(words):
        return {name: value for name, value in body.items() if name != "temperature"}
    return None
