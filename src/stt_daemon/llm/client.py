"""The client of the one language model server: asks it, streams its answer, and turns all trouble into an
LlmError.

`chat` is synchronous and meant for the worker thread of the LLM lane; every method may be called from any
thread. Importing this module loads httpx.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stt_daemon.domain.clock import Clock, SystemClock
from stt_daemon.errors import LlmError
from stt_daemon.llm.address import Address, read_address
from stt_daemon.llm.attempt import attempt
from stt_daemon.llm.call import Call
from stt_daemon.llm.chat import ChatExchange, ChatMessage, ChatReply, ChatRequest, ServerFacts, TokenCount
from stt_daemon.llm.cleaning import well_formed
from stt_daemon.llm.counting import TokenCounter
from stt_daemon.llm.facts import Findings, find_out, without_folder
from stt_daemon.llm.failures import (
    LlmCancelledError,
    LlmContextError,
    LlmInterruptedError,
    LlmRepetitionError,
    LlmServerError,
    LlmUnreachableError,
    error_for,
)
from stt_daemon.llm.probe import Probe
from stt_daemon.llm.reply import Answer
from stt_daemon.llm.secret import Secret
from stt_daemon.llm.tokens import MESSAGE_OVERHEAD, PROMPT_OVERHEAD
from stt_daemon.llm.transport import Line
from stt_daemon.llm.verdict import fewest_in, refuse_empty, refuse_shortened, usage_of

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

_COUNT_TIMEOUT_S = 5.0
_FACTS_TIMEOUT_S = 15.0


class LlmClient:
    """Speaks to the server at `base_url`.

    `context_tokens` (0: ask the server) caps what the server tells, and stands in when it tells nothing.
    `on_progress` hears "loading model" when a call begins to wait for the server and "" when it goes on;
    `on_warning(code, message)` hears each kind of odd configuration once. Both come on the calling thread.
    `proxies` replaces the environment's proxy settings, `transport` the network, `pause` sleeping: seams for
    tests. A `base_url` that is no address is reported by the calls, not here.
    """

    def __init__(
        self,
        base_url: str,
        *,
        model: str = "",
        api_key: str = "",
        context_tokens: int = 0,
        clock: Clock | None = None,
        on_progress: Callable[[str], None] | None = None,
        on_warning: Callable[[str, str], None] | None = None,
        proxies: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._model = model
        self._key = Secret(api_key)
        self._configured_context = context_tokens
        self._clock = clock or SystemClock()
        self._on_progress = on_progress
        self._on_warning = on_warning
        self._pause = pause
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._findings: Findings | None = None
        self._learned_context: int | None = None
        self._warned: set[str] = set()
        self._counter = TokenCounter(self._ask_count, self._clock)
        self._line: Line | None = None
        self._bad_address: LlmUnreachableError | None = None
        self._address = Address("http", "", "[llm].base_url", "", loopback=False)
        try:
            self._address = read_address(base_url)
            self._line = Line(self._address, self._key, proxies=proxies, transport=transport)
        except LlmUnreachableError as error:
            self._bad_address = error

    def __repr__(self) -> str:
        return f"LlmClient({self._address.shown!r})"

    @property
    def address(self) -> str:
        """The address of the API as it is shown to people; never holds a password."""
        return self._address.shown

    def close(self) -> None:
        """End every call (they raise LlmCancelledError) and every connection."""
        self._closed.set()
        if self._line is not None:
            self._line.close()

    def facts(
        self, *, timeout_s: float = _FACTS_TIMEOUT_S, cancelled: threading.Event | None = None
    ) -> ServerFacts:
        """What the server tells about itself: remembered, asked again after an error.

        Waits for a model that loads. Raises LlmUnreachableError, LlmAuthError, LlmLoadingError,
        LlmTimeoutError, LlmCancelledError.
        """
        call = self._begin(timeout_s, cancelled)
        try:
            return self._facts(self._found(call, strict=True))
        except LlmError as error:
            raise self._safe(error) from error.__cause__
        finally:
            call.model_is_there()

    def count_tokens(self, text: str) -> TokenCount:
        """Tokens of a text by the server's own tokenizer, else a careful estimate. Raises no LlmError.

        Asks the server the first time a text is seen, so it belongs on the lane's thread.
        """
        return self._counter.count(text)

    def count_messages(self, messages: Iterable[ChatMessage]) -> TokenCount:
        """Tokens of a whole prompt with generous room for the chat template; otherwise as `count_tokens`."""
        return self._counter.count_messages(messages)

    def request_body(self, request: ChatRequest, facts: ServerFacts) -> dict[str, Any]:
        """The JSON body of a request to a server of this kind; the key is not part of it."""
        body: dict[str, Any] = {
            "messages": [
                {"role": message.role, "content": well_formed(message.content)}
                for message in request.messages
            ],
            "temperature": request.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.max_tokens > 0:
            body["max_tokens"] = request.max_tokens
        if model := self._model or facts.model:
            body["model"] = model
        if facts.kind == "llama.cpp":
            body["cache_prompt"] = request.cache_prompt
            if request.grammar:
                body["grammar"] = well_formed(request.grammar)
        if request.slot_id is not None and self._slot_exists(request.slot_id, facts):
            body["id_slot"] = request.slot_id
        return body

    def chat(
        self,
        request: ChatRequest,
        *,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
        on_exchange: Callable[[ChatExchange], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> ChatReply:
        """Ask and wait for the whole answer, at most `request.timeout_s`; everything else is an LlmError.

        `on_delta` hears each visible piece, on the calling thread; `on_reset` that all pieces so far were
        reasoning after all. The pieces since then add up to the reply's text. `on_exchange` hears of each
        request and its response, also of one that failed. An exception of any of them ends the call.
        """
        call = self._begin(request.timeout_s, cancelled)
        try:
            return self._ask(call, request, on_delta, on_reset, on_exchange)
        except LlmError as error:
            self._learn_from(error)
            safe = self._safe(error)
            log.info("%s call failed after %.1f s: %s", request.purpose, call.elapsed, safe)
            raise safe from error.__cause__
        finally:
            call.model_is_there()

    def _ask(
        self,
        call: Call,
        request: ChatRequest,
        on_delta: Callable[[str], None] | None,
        on_reset: Callable[[], None] | None,
        on_exchange: Callable[[ChatExchange], None] | None,
    ) -> ChatReply:
        findings = self._found(call)
        facts = self._facts(findings)
        self._refuse_what_cannot_fit(request, facts)
        body = self.request_body(request, facts)
        answer = Answer(on_delta, on_reset)
        first_token_s = self._exchange(call, body, answer, on_exchange)
        if not answer.text and answer.finish_reason == "length":
            larger = _larger(request.max_tokens, answer, facts)
            if larger is not None:
                log.info(
                    "%d tokens were used up without an answer; once more with %d", request.max_tokens, larger
                )
                answer = Answer(on_delta, on_reset)
                body = {**body, "max_tokens": larger}
                first_token_s = self._exchange(call, body, answer, on_exchange)
        refuse_empty(answer, self._address.shown)
        refuse_shortened(answer, request.messages, self._counter.known, self._address.shown)
        if findings.guessed:
            # The model is in memory now, and the server may know better.
            self._forget_facts()
        return ChatReply(
            text=answer.text,
            finish_reason=answer.finish_reason,
            usage=usage_of(answer, request.messages),
            first_token_s=first_token_s,
            duration_s=call.elapsed,
            model=without_folder(answer.model or str(body.get("model", ""))),
        )

    def _exchange(
        self,
        call: Call,
        body: dict[str, Any],
        answer: Answer,
        tell: Callable[[ChatExchange], None] | None,
    ) -> float:
        """Send a body and fill the answer; seconds to its first token."""
        started, error = self._clock.monotonic(), ""
        try:
            return attempt(self._usable_line(), call, self._address.chat, body, answer)
        except LlmError as trouble:
            error = self._key.redact(str(trouble))
            raise
        finally:
            if tell is not None:
                response = self._key.redacted(answer.envelope())
                took_s = self._clock.monotonic() - started
                tell(ChatExchange(self._address.chat, body, response, error, took_s))

    def _refuse_what_cannot_fit(self, request: ChatRequest, facts: ServerFacts) -> None:
        room = facts.context_tokens
        # No tokenizer makes more tokens than there are bytes, so a short prompt needs no counting.
        most = sum(len(well_formed(m.content).encode()) + MESSAGE_OVERHEAD for m in request.messages)
        if room is None or most + PROMPT_OVERHEAD < room:
            return
        self._counter.count_messages(request.messages)
        needed = fewest_in(request.messages, self._counter.known)
        if needed >= room:
            raise LlmContextError(
                f"the prompt has {needed} tokens or more, the context of {self._address.shown} {room}",
                mend="start the server with a larger context, or lower [llm].history_max_tokens",
                n_ctx=room,
                n_prompt=needed,
            )

    def _slot_exists(self, slot_id: int, facts: ServerFacts) -> bool:
        if facts.kind != "llama.cpp" or facts.slots is None:
            self._warn(f"{self._address.shown} has no slots to choose from; slot {slot_id} is ignored")
            return False
        if not 0 <= slot_id < facts.slots:
            # The server would put such a request off for ever.
            self._warn(
                f"slot {slot_id} is ignored: {self._address.shown} has {facts.slots}, numbered from 0; "
                f"start it with -np {max(slot_id, 0) + 1}, or configure a lower slot"
            )
            return False
        return True

    def _facts(self, findings: Findings) -> ServerFacts:
        with self._lock:
            learned = self._learned_context
        told, guessed = findings.facts.context_tokens, findings.guessed
        if learned is not None:
            told, guessed = learned if told is None else min(told, learned), False
        configured = self._configured_context or None
        if configured is not None:
            told = configured if told is None or guessed else min(told, configured)
        return replace(findings.facts, context_tokens=told)

    def _found(self, call: Call, *, strict: bool = False) -> Findings:
        """Ask the server about itself, unless it is known; `strict` makes a refused key an error already
        here.
        """
        with self._lock:
            if self._findings is not None:
                return self._findings
        call.check()
        line = self._usable_line()
        while True:
            probe = Probe(line, call)
            findings = find_out(self._address, self._model, probe.fetch)
            if not probe.loading:
                break
            call.wait_for_model()
        complaint = probe.complaints.get(self._address.models) or probe.complaints.get(
            f"{self._address.root}/props"
        )
        if strict and complaint is not None and complaint.status == 401 and findings.facts.kind == "other":
            raise error_for(complaint, self._address.shown)
        if not probe.silent:
            with self._lock:
                self._findings = findings
        return findings

    def _ask_count(self, text: str) -> int | None:
        call = self._begin(_COUNT_TIMEOUT_S, None)
        findings = self._found(call)
        if not findings.tokenize:
            return None
        if findings.facts.kind == "llama.cpp":
            body: dict[str, Any] = {"content": text, "add_special": False}
        else:
            body = {"model": findings.facts.model, "prompt": text, "add_special_tokens": False}
        answer = Probe(self._usable_line(), call).fetch("POST", findings.tokenize, body)
        if isinstance(answer, dict):
            if isinstance(tokens := answer.get("tokens"), list) and tokens:
                return len(tokens)
            if isinstance(count := answer.get("count"), int) and count > 0:
                return count
        raise LlmServerError(f"{self._address.shown} did not count the tokens")

    def _learn_from(self, error: LlmError) -> None:
        if isinstance(error, LlmContextError):
            with self._lock:
                self._learned_context = error.n_ctx or self._learned_context
        elif not isinstance(error, (LlmCancelledError, LlmInterruptedError, LlmRepetitionError)):
            # It may be another server, another model or another context by the time of the next call.
            self._forget_facts()
            if isinstance(error, LlmUnreachableError):
                self._counter.forget()
                with self._lock:
                    self._learned_context = None

    def _forget_facts(self) -> None:
        with self._lock:
            self._findings = None

    def _begin(self, timeout_s: float, cancelled: threading.Event | None) -> Call:
        return Call(
            self._clock,
            timeout_s,
            shown=self._address.shown,
            cancelled=cancelled,
            closed=self._closed,
            pause=self._pause,
            on_progress=self._on_progress,
        )

    def _usable_line(self) -> Line:
        if self._bad_address is not None:
            raise LlmUnreachableError(str(self._bad_address), mend=self._bad_address.mend)
        assert self._line is not None  # one of the two is always set
        return self._line

    def _warn(self, message: str) -> None:
        with self._lock:
            if message in self._warned:
                return
            self._warned.add(message)
        log.warning("%s", message)
        if self._on_warning is not None:
            self._on_warning("llm_slot", message)

    def _safe(self, error: LlmError) -> LlmError:
        """The same error without the key, should the server have quoted it."""
        error.args = (self._key.redact(str(error)),)
        error.mend = self._key.redact(error.mend)
        error.partial = self._key.redact(error.partial)
        return error


def _larger(max_tokens: int, answer: Answer, facts: ServerFacts) -> int | None:
    """Tokens for the second try after the first brought no text, or None when there is no more room."""
    if max_tokens <= 0:
        return None
    larger = max(4 * max_tokens, max_tokens + 2048)
    prompt = answer.usage.get("prompt_tokens")
    if facts.context_tokens is not None and isinstance(prompt, int):
        larger = min(larger, facts.context_tokens - prompt - PROMPT_OVERHEAD)
    return larger if larger > max_tokens else None
