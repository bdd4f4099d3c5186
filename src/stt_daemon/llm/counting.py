"""Token counts that are asked for once: a bounded memory in front of the server's tokenizer. Any thread."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable

from stt_daemon.domain.clock import Clock
from stt_daemon.errors import LlmError
from stt_daemon.llm.chat import ChatMessage, TokenCount
from stt_daemon.llm.cleaning import well_formed
from stt_daemon.llm.tokens import MESSAGE_OVERHEAD, PROMPT_OVERHEAD, estimate_tokens

log = logging.getLogger(__name__)

REMEMBERED = 2048
# After a failure the server is left alone for a while, or a prompt of many parts would wait for each of them.
REST_S = 30.0


class TokenCounter:
    """`ask` returns the server's count, or None when this server does not count; it may raise an LlmError."""

    def __init__(self, ask: Callable[[str], int | None], clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._lock = threading.Lock()
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._again_at = clock.monotonic()

    def count(self, text: str) -> TokenCount:
        """The server's count, else an estimate."""
        text = well_formed(text)
        count = self._server_count(text) if text else 0
        return TokenCount(estimate_tokens(text), True) if count is None else TokenCount(count, False)

    def count_messages(self, messages: Iterable[ChatMessage]) -> TokenCount:
        """A whole prompt, with generous room for the chat template."""
        counts = [self.count(message.content) for message in messages]
        total = sum(count.count + MESSAGE_OVERHEAD for count in counts) + PROMPT_OVERHEAD
        return TokenCount(total, any(count.estimated for count in counts))

    def known(self, text: str) -> int | None:
        """What the server said about this text before, without asking."""
        with self._lock:
            return self._counts.get(well_formed(text))

    def forget(self) -> None:
        """Another model may be behind the address now."""
        with self._lock:
            self._counts.clear()

    def _server_count(self, text: str) -> int | None:
        with self._lock:
            if text in self._counts:
                self._counts.move_to_end(text)
                return self._counts[text]
            if self._clock.monotonic() < self._again_at:
                return None
        try:
            count = self._ask(text)
        except LlmError as error:
            log.info("tokens are estimated for a while: %s", error)
            with self._lock:
                self._again_at = self._clock.monotonic() + REST_S
            return None
        if count is not None:
            with self._lock:
                self._counts[text] = count
                if len(self._counts) > REMEMBERED:
                    self._counts.popitem(last=False)
        return count
