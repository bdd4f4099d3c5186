"""Short questions to the server beside the chat: facts and token counts. Used by one thread at a time."""

from __future__ import annotations

import json
from typing import Any

from stt_daemon.llm.call import Call
from stt_daemon.llm.failures import Complaint, LlmUnreachableError, complaint_in, complaint_of
from stt_daemon.llm.transport import Broken, Ended, Exchange, Head, Line

# These calls need no model run; a server busy with a long prompt still answers them from another thread.
PROBE_TIMEOUT_S = 5.0
# The longest list of models in use is a few megabytes.
_BODY_LIMIT = 16_000_000


class Probe:
    """One round of questions. After it, `loading`, `silent` and `complaints` tell why an answer is
    missing.
    """

    def __init__(self, line: Line, call: Call) -> None:
        self._line = line
        self._call = call
        self.loading = False
        self.silent = False
        self.complaints: dict[str, Complaint] = {}

    def fetch(self, method: str, url: str, body: dict[str, Any] | None) -> Any:
        """The JSON answer of a 200, else None; raises LlmUnreachableError and what `Call.check` raises.

        After the server was found loading or silent, nothing more is asked in this round.
        """
        if self.loading or self.silent:
            return None
        raw = None if body is None else encode(body)
        answer = self._ask(method, url, raw, fresh=False)
        if isinstance(answer, Broken) and answer.kind == "dropped" and answer.reused:
            answer = self._ask(method, url, raw, fresh=True)
        if isinstance(answer, Broken):
            if answer.kind == "unreachable":
                raise unreachable(self._call.shown, answer)
            self.silent = answer.kind == "timeout"
            return None
        if answer is None:
            self.silent = True
            return None
        status, content = answer
        try:
            payload = json.loads(content) if status == 200 else None
        except ValueError:
            return None
        complaint = complaint_in(payload, status) if status == 200 else complaint_of(status, content)
        if complaint is None:
            return payload
        self.loading = complaint.loading
        self.complaints[url] = complaint
        return None

    def _ask(
        self, method: str, url: str, body: bytes | None, *, fresh: bool
    ) -> tuple[int, bytes] | Broken | None:
        limit = min(PROBE_TIMEOUT_S, self._call.remaining)
        exchange = self._line.send(method, url, body, timeout_s=limit, fresh=fresh)
        try:
            return self._collect(exchange, self._call.elapsed + limit)
        finally:
            exchange.abort()

    def _collect(self, exchange: Exchange, end: float) -> tuple[int, bytes] | Broken | None:
        status = 0
        content = bytearray()
        while len(content) <= _BODY_LIMIT:
            event = self._call.next(exchange, end - self._call.elapsed)
            if event is None or isinstance(event, Broken):
                return event
            if isinstance(event, Ended):
                break
            if isinstance(event, Head):
                status = event.status
            else:
                content += event
        return status, bytes(content)


def unreachable(shown: str, broken: Broken) -> LlmUnreachableError:
    """The error for a connection that could not be made, chained to what the network said."""
    detail = broken.detail
    mend = "is the server running? start it, or set [llm].base_url to where it is"
    if "CERTIFICATE" in detail.upper():
        mend = "its certificate is not trusted here; set SSL_CERT_FILE to the authority that signed it"
    elif "SSL" in detail.upper():
        mend = "does it speak TLS? an address on this computer usually starts with http://"
    elif "Name or service" in detail or "nodename" in detail or "getaddrinfo" in detail:
        mend = "is the host name in [llm].base_url right?"
    error = LlmUnreachableError(f"cannot reach {shown} ({detail})", mend=mend)
    error.__cause__ = broken.error
    return error


def encode(body: dict[str, Any]) -> bytes:
    """A JSON body as it travels; the text in it is well formed."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
