"""Reading one answer off an exchange: SSE or a single JSON body, to its end or to the reason why it has
none.
"""

from __future__ import annotations

import json
from typing import Any

from stt_daemon.errors import LlmError
from stt_daemon.llm.call import Call
from stt_daemon.llm.failures import (
    Complaint,
    LlmBadReplyError,
    LlmInterruptedError,
    LlmRepetitionError,
    LlmTimeoutError,
    complaint_in,
    error_for,
    one_line,
)
from stt_daemon.llm.reply import Answer
from stt_daemon.llm.sse import Frame, FrameTooLongError, SseParser
from stt_daemon.llm.transport import Broken, Ended, Exchange, Head

# After the finish reason only usage and the end mark follow; a server that keeps the stream open is not
# waited for.
FINISH_GRACE_S = 2.0
# The longest token of the vocabularies in use is far shorter on average; past this the server ignores
# max_tokens.
CHARS_PER_TOKEN = 40
SPARE_CHARS = 20_000
_JSON_LIMIT = 16_000_000


class RefusedError(Exception):
    """The server complained before the first token: the call may be worth another try."""

    def __init__(self, complaint: Complaint, retry_after_s: float | None = None) -> None:
        super().__init__(complaint.message)
        self.complaint = complaint
        self.retry_after_s = retry_after_s


class AnswerReader:
    """Reads the body of one 200 into an Answer."""

    def __init__(self, call: Call, exchange: Exchange, answer: Answer, max_tokens: int) -> None:
        self._call = call
        self._exchange = exchange
        self._answer = answer
        self._limit = max_tokens * CHARS_PER_TOKEN + SPARE_CHARS if max_tokens > 0 else 0
        self._parser = SseParser()
        self._start = b""
        self._parsing = False
        self._json: bytearray | None = None
        self._done = False
        self._unreadable = False
        self._grace_until: float | None = None
        self.first_token_s: float | None = None
        self.ended = False

    def read(self) -> None:
        """Until the answer is whole; raises RefusedError or an LlmError when it is none."""
        broken = self._read_body()
        if self._json is not None:
            self._take_whole(broken)
        elif not self._done:
            self._take_rest()
        if not self._done and not self._answer.finish_reason:
            if broken is not None and broken.kind == "timeout":
                raise LlmTimeoutError(f"{self._call.shown} fell silent in the middle of its answer")
            raise LlmInterruptedError(
                f"the answer of {self._call.shown} broke off ({broken.detail if broken else 'no end mark'})",
                mend="ask again; if it happens often, see the log of the LLM server",
            )
        self._answer.close()
        if not self.ended and broken is None:
            self._drain()

    def _read_body(self) -> Broken | None:
        while not self._done:
            within = None if self._grace_until is None else self._grace_until - self._call.elapsed
            event = self._call.next(self._exchange, within)
            if event is None:
                return None
            if isinstance(event, Broken):
                return event
            if isinstance(event, Ended):
                self.ended = True
                return None
            if not isinstance(event, Head):
                self._take_bytes(event)
        return None

    def _take_bytes(self, chunk: bytes) -> None:
        if self._json is None and not self._parsing:
            self._start += chunk
            begin = self._start.lstrip(b"\xef\xbb\xbf \t\r\n")
            if not begin:
                return
            if begin.startswith(b"<"):
                raise self._not_a_server(begin)
            if begin[:1] in b"{[":
                self._json = bytearray(self._start)
                return
            chunk, self._start = self._start, b""
            self._parsing = True
        if self._json is not None:
            self._json += chunk
            if len(self._json) > _JSON_LIMIT:
                raise self._not_a_server(bytes(self._json[:80]))
            return
        try:
            frames = self._parser.feed(chunk)
        except FrameTooLongError as error:
            raise LlmBadReplyError(f"{self._call.shown} sends no readable stream: {error}") from error
        for frame in frames:
            if self._done:
                return
            self._take_frame(frame)

    def _take_frame(self, frame: Frame) -> None:
        if frame.data.strip() == "[DONE]":
            self._done = True
            return
        if self._unreadable:
            raise LlmBadReplyError(
                f"{self._call.shown} sent a chunk that is no JSON in the middle of its answer"
            )
        try:
            payload = json.loads(frame.data)
        except ValueError:
            # Forgiven only as the last one, where it was cut off.
            self._unreadable = True
            return
        if frame.event == "error" and not (isinstance(payload, dict) and payload.get("error")):
            payload = {"error": payload}
        self._take_payload(payload)

    def _take_payload(self, payload: Any) -> None:
        if not isinstance(payload, dict):
            raise LlmBadReplyError(f"{self._call.shown} sent a chunk that is no JSON object")
        complaint = complaint_in(payload, 200)
        if complaint is not None:
            if self._answer.begun:
                raise error_for(complaint, self._call.shown)
            raise RefusedError(complaint)
        self._answer.take(payload)
        if self._answer.begun and self.first_token_s is None:
            self.first_token_s = self._call.elapsed
        if self._answer.looping:
            raise LlmRepetitionError(
                f"the model at {self._call.shown} repeated itself without end and was stopped",
                mend="ask differently, or raise the temperature",
            )
        if self._limit and self._answer.raw_chars > self._limit:
            raise LlmRepetitionError(
                f"the model at {self._call.shown} wrote far past its limit of tokens and was stopped"
            )
        if self._answer.finish_reason == "error":
            raise error_for(Complaint(500, "", "the answer ended with an error"), self._call.shown)
        if self._answer.finish_reason and self._grace_until is None:
            self._grace_until = self._call.elapsed + FINISH_GRACE_S

    def _take_rest(self) -> None:
        """The last frame, when the stream ended without the blank line behind it."""
        frame = self._parser.close()
        if frame is not None:
            self._take_frame(frame)

    def _take_whole(self, broken: Broken | None) -> None:
        """A server that does not stream answers with one JSON body."""
        assert self._json is not None
        try:
            payload = json.loads(self._json)
        except ValueError:
            if broken is not None:
                return
            raise self._not_a_server(bytes(self._json[:80])) from None
        self._take_payload(payload)
        if "choices" not in payload:
            raise self._not_a_server(bytes(self._json[:80]))
        self._done = True

    def _drain(self) -> None:
        """Take the end of the body, so that the connection can be used again; not worth any real waiting."""
        for _ in range(8):
            event = self._exchange.next(0.05)
            if event is None or isinstance(event, Broken):
                return
            if isinstance(event, Ended):
                self.ended = True
                return

    def _not_a_server(self, begin: bytes) -> LlmError:
        words = one_line(begin.decode("utf-8", errors="replace"), 60)
        return LlmBadReplyError(
            f"what answers at {self._call.shown} is no OpenAI-compatible server (it begins: {words})",
            mend="check [llm].base_url",
        )
