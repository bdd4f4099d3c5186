"""What can go wrong with a language model, by name, and how a server's own words become one of these.
Pure.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from stt_daemon.errors import LlmError


class LlmUnreachableError(LlmError):
    """No connection: wrong address, server not running, proxy, certificate."""

    code = "unreachable"


class LlmLoadingError(LlmError):
    """The server was still loading its model when the deadline came."""

    code = "loading"


class LlmTimeoutError(LlmError):
    """The deadline of the whole call passed."""

    code = "timeout"


class LlmAuthError(LlmError):
    """The server wants another key, or a key at all."""

    code = "auth"


class LlmContextError(LlmError):
    """The prompt is longer than the context; `n_ctx` is what fits, `n_prompt` what it would take, where
    known.
    """

    code = "context_exceeded"


class LlmInterruptedError(LlmError):
    """The answer broke off."""

    code = "interrupted"


class LlmEmptyError(LlmError):
    """The answer holds no text."""

    code = "empty"


class LlmRepetitionError(LlmError):
    """The model went in circles, or past every limit, and was stopped."""

    code = "repetition"


class LlmShortenedError(LlmError):
    """The server read far fewer tokens than it was sent, and said nothing."""

    code = "shortened"


class LlmServerError(LlmError):
    """The server reported an error of its own."""

    code = "server"


class LlmBadReplyError(LlmError):
    """What answered is not an OpenAI-compatible server, or sent what cannot be read."""

    code = "bad_reply"


class LlmCancelledError(LlmError):
    """The caller no longer wants the answer."""

    code = "cancelled"


@dataclass(frozen=True)
class Complaint:
    """An error body, reduced: HTTP status (the body's own where it has one), its type, its words, the two
    sizes.
    """

    status: int
    kind: str
    message: str
    n_ctx: int | None = None
    n_prompt: int | None = None

    @property
    def loading(self) -> bool:
        """The model is not in memory yet: worth waiting for."""
        return self.status == 503 and "loading" in self.message.lower()

    @property
    def context_exceeded(self) -> bool:
        return self.kind in _CONTEXT_KINDS or bool(_CONTEXT_WORDS.search(self.message))

    @property
    def passing(self) -> bool:
        """May go away by itself: worth a limited number of further tries."""
        return self.status in (429, 500, 502, 503, 504)


_CONTEXT_KINDS = frozenset({"exceed_context_size_error", "context_length_exceeded"})
_CONTEXT_WORDS = re.compile(
    r"exceeds? the (available )?context|maximum context length|context length of only|context the overflows"
    r"|greater than the context length|context (size|window|length)( has been)? exceeded|prompt is too long",
    re.IGNORECASE,
)
_CONTEXT_SIZE = re.compile(
    r"(?:context (?:size|length|window)|maximum context length)(?: of| is)?(?: only)?\s*\(?(\d{3,})",
    re.IGNORECASE,
)
_PROMPT_SIZE = re.compile(
    r"request \((\d+) tokens\)|requested (?:about )?(\d+) tokens"
    r"|(?:results? in|contains?(?: at least)?) (\d+)",
    re.IGNORECASE,
)


def complaint_in(payload: object, status: int) -> Complaint | None:
    """The error a JSON body carries, or None when it carries none. A 200 may carry one too."""
    if not isinstance(payload, dict):
        return None
    error: Any = payload.get("error")
    if not error and (payload.get("object") == "error" or status >= 400):
        error = payload.get("detail") or payload
    if not error:
        return None
    if not isinstance(error, dict):
        error = {"message": error if isinstance(error, str) else json.dumps(error)}
    message = one_line(_text(error.get("message")) or _text(error.get("detail")) or json.dumps(error))
    kind = _text(error.get("type")) or _text(error.get("code"))
    if _text(error.get("code")) in _CONTEXT_KINDS:
        kind = _text(error.get("code"))
    own = error.get("code")
    if not isinstance(own, int) or isinstance(own, bool) or not 400 <= own < 600:
        own = status if status >= 400 else 500
    n_ctx, n_prompt = _size(error.get("n_ctx")), _size(error.get("n_prompt_tokens"))
    if n_ctx is None and (found := _CONTEXT_SIZE.search(message)):
        n_ctx = int(found[1])
    if n_prompt is None and (found := _PROMPT_SIZE.search(message)):
        n_prompt = int(next(group for group in found.groups() if group))
    return Complaint(own, kind, message, n_ctx, n_prompt)


def complaint_of(status: int, body: bytes) -> Complaint:
    """The error behind an HTTP status, whatever its body looks like."""
    text = body.decode("utf-8", errors="replace")
    try:
        payload: object = json.loads(text)
    except ValueError:
        payload = None
    if isinstance(payload, list) and payload:
        payload = payload[0]
    found = complaint_in(payload, status)
    if found is not None:
        return found
    words = "" if text.lstrip().startswith("<") else one_line(text)
    return Complaint(status, "", words or "no further words")


def error_for(complaint: Complaint, shown: str) -> LlmError:
    """The exception for a complaint of the server at the address `shown`."""
    status, words = complaint.status, complaint.message
    if complaint.context_exceeded:
        sizes = f" ({complaint.n_prompt or '?'} of {complaint.n_ctx} tokens)" if complaint.n_ctx else ""
        return LlmContextError(
            f"the prompt is longer than the context of {shown}{sizes}",
            mend="start the server with a larger context, or lower [llm].history_max_tokens",
            n_ctx=complaint.n_ctx,
            n_prompt=complaint.n_prompt,
        )
    if status in (401, 403):
        return LlmAuthError(
            f"{shown} refuses the API key ({status}): {words}",
            mend="check [llm].api_key or [llm].api_key_env",
        )
    if complaint.loading:
        return LlmLoadingError(f"{shown} is still loading its model", mend="wait, or raise [llm].timeout_s")
    if status == 404:
        return LlmServerError(
            f"{shown} knows no such model or path (404): {words}", mend="check [llm].base_url and [llm].model"
        )
    return LlmServerError(
        f"{shown} answered with error {status}: {words}", mend="see the log of the LLM server"
    )


def one_line(text: str, limit: int = 300) -> str:
    """Foreign words for an error line: printable, one line, not endless."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
