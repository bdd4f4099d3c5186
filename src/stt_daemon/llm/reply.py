"""Putting an answer together from what the server sends. Pure but for the two callbacks; one thread at a
time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stt_daemon.llm.cleaning import AnswerEdges, SurrogateJoiner
from stt_daemon.llm.reasoning import ReasoningFilter, Shown
from stt_daemon.llm.repetition import RepetitionGuard


@dataclass(frozen=True)
class Piece:
    """One chunk (or one whole answer), reduced to what counts."""

    content: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    tool_call: bool = False


class Answer:
    """Collects one answer; `shown(text)` gets each visible piece, `voided()` is told that all of them were
    none.
    """

    def __init__(self, shown: Callable[[str], None] | None, voided: Callable[[], None] | None) -> None:
        self._shown = shown
        self._voided = voided
        self._joiner = SurrogateJoiner()
        self._filter = ReasoningFilter()
        self._edges = AnswerEdges()
        self._content_loop = RepetitionGuard()
        self._reasoning_loop = RepetitionGuard()
        self._visible: list[str] = []
        self._head: dict[str, Any] = {}
        self._raw: list[str] = []
        self._thoughts: list[str] = []
        self._reasoning_seen = False
        self.raw_chars = 0
        self.finish_reason = ""
        self.model = ""
        self.usage: dict[str, Any] = {}
        self.timings: dict[str, Any] = {}
        self.tool_call = False
        self.looping = False

    @property
    def begun(self) -> bool:
        """Whether a token of any kind has arrived."""
        return self.raw_chars > 0

    @property
    def reasoned(self) -> bool:
        """Whether the model wrote reasoning, in whatever form."""
        return self._reasoning_seen or self._filter.removed

    @property
    def text(self) -> str:
        """The visible answer so far; whole after `close`."""
        return "".join(self._visible)

    def envelope(self) -> dict[str, Any] | None:
        """The answer as a server that does not stream would have sent it; None when nothing came."""
        if not self._head and not self._raw:
            return None
        message: dict[str, Any] = {"role": "assistant", "content": "".join(self._raw)}
        if self._thoughts:
            message["reasoning_content"] = "".join(self._thoughts)
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason or None}
        return {**self._head, "object": "chat.completion", "choices": [choice]}

    def take(self, payload: dict[str, Any]) -> None:
        """Take in one JSON chunk."""
        self._head.update((name, value) for name, value in payload.items() if name != "choices")
        if isinstance(model := payload.get("model"), str) and model:
            self.model = model
        if isinstance(usage := payload.get("usage"), dict):
            self.usage = usage
        if isinstance(timings := payload.get("timings"), dict):
            self.timings = timings
        piece = piece_in(payload)
        self.raw_chars += len(piece.content) + len(piece.reasoning)
        self.tool_call = self.tool_call or piece.tool_call
        self._raw.append(piece.content)
        if piece.reasoning:
            self._thoughts.append(piece.reasoning)
            self._reasoning_seen = True
            self.looping = self._reasoning_loop.feed(piece.reasoning) or self.looping
        if piece.content:
            self.looping = self._content_loop.feed(piece.content) or self.looping
            self._show(self._filter.feed(self._joiner.feed(piece.content)))
        if piece.finish_reason:
            self.finish_reason = piece.finish_reason

    def close(self) -> str:
        """The answer has ended: the finished text."""
        self._show(self._filter.feed(self._joiner.close()))
        self._show(self._filter.close())
        self._emit(self._edges.close())
        return self.text

    def _show(self, shown: Shown) -> None:
        if shown.reset:
            self._edges.reset()
            if self._visible:
                self._visible.clear()
                if self._voided is not None:
                    self._voided()
        self._emit(self._edges.feed(shown.text))

    def _emit(self, text: str) -> None:
        if text:
            self._visible.append(text)
            if self._shown is not None:
                self._shown(text)


def piece_in(payload: dict[str, Any]) -> Piece:
    """The first choice of a chunk; a chunk without choices (usage, keep-alive) is an empty piece."""
    choices = payload.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return Piece()
    message = choice.get("delta")
    if not isinstance(message, dict):
        message = choice.get("message")
    if not isinstance(message, dict):
        message = {"content": choice.get("text")}
    content, thought = _texts(message.get("content"))
    if not content and isinstance(refusal := message.get("refusal"), str):
        content = refusal
    for name in ("reasoning_content", "reasoning"):
        value = message.get(name)
        if value and not thought:
            thought = value if isinstance(value, str) else "".join(_texts(value))
    finish = choice.get("finish_reason")
    return Piece(content, thought, finish if isinstance(finish, str) else "", bool(message.get("tool_calls")))


def _texts(content: object) -> tuple[str, str]:
    """Text and reasoning of a content field: a string, null, or a list of parts."""
    if isinstance(content, str):
        return content, ""
    if not isinstance(content, list):
        return "", ""
    said: list[str] = []
    thought: list[str] = []
    for part in content:
        if isinstance(part, str):
            said.append(part)
        elif isinstance(part, dict):
            kind = part.get("type")
            inner = part.get("text", part.get("thinking"))
            text = inner if isinstance(inner, str) else "".join(_texts(inner))
            (thought if kind in ("thinking", "reasoning") else said).append(text)
    return "".join(said), "".join(thought)
