"""Taking a model's reasoning out of its answer while the answer streams. Pure; one thread at a time.

A tag is structure unless it is mentioned: inside a code fence, inside inline code or double quotes that close
on the same line, or directly between a pair of quotation marks of any kind. What such a mention is cannot
always be known when the tag arrives, so the filter holds back the few characters it needs. Nothing it decides
depends on how the text was cut into pieces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_Kind = Literal["open", "close", "empty"]

_NAMES = ("think", "thinking", "thought", "reasoning", "seed:think")
_TAGS: dict[str, _Kind] = {
    **{f"<{name}>": "open" for name in _NAMES},
    **{f"</{name}>": "close" for name in _NAMES},
    **{f"<{name}/>": "empty" for name in _NAMES},
    **{f"<{name} />": "empty" for name in _NAMES},
    # Magistral, Kimi, Command R and the channel form of gpt-oss, in lower case as all keys here.
    "[think]": "open",
    "[/think]": "close",
    "◁think▷": "open",
    "◁/think▷": "close",
    "<|start_thinking|>": "open",
    "<|end_thinking|>": "close",
    "<|begin_of_thought|>": "open",
    "<|end_of_thought|>": "close",
    "<|channel|>analysis<|message|>": "open",
    "<|channel|>final<|message|>": "close",
    "<|start|>assistant<|channel|>final<|message|>": "close",
}
_LONGEST_TAG = max(map(len, _TAGS))
_TAG_STARTS = "".join(sorted({tag[0] for tag in _TAGS}))
_CLOSING_QUOTE = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "‘": "’", "«": "»", "‹": "›", "「": "」"}
_PLAIN = re.compile(rf'[^`"\n{re.escape(_TAG_STARTS)}]+')
_THOUGHT = re.compile(rf"[^{re.escape(_TAG_STARTS)}]+")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_FENCE_TO_COME = re.compile(r"[ \t>]*(`{0,2}|~{0,2})\Z")


@dataclass(frozen=True)
class Shown:
    """What a piece made visible. With `reset` all that was shown before was reasoning after all."""

    text: str
    reset: bool = False


class ReasoningFilter:
    """Feed the raw answer, get the visible one; `text` after `close` is the whole visible answer."""

    def __init__(self) -> None:
        self._buffer = ""
        self._inside = False
        self._visible: list[str] = []
        self._fresh: list[str] = []
        self._reset = False
        self._previous = ""
        # What stood before a lone closing tag that followed a complete block: brought back if nothing comes
        # after.
        self._set_aside = ""
        self._ended_a_block = False
        self._removed = False
        # Of the visible line: only blanks so far, backticks of the open code span, inside a quotation.
        self._line_start = True
        self._span = 0
        self._quoted = False
        self._fence = ""

    @property
    def text(self) -> str:
        """The visible answer so far."""
        return "".join(self._visible)

    @property
    def removed(self) -> bool:
        """Whether any reasoning was taken out."""
        return self._removed

    def feed(self, text: str) -> Shown:
        """Take a piece of the raw answer."""
        self._buffer += text
        return self._advance(final=False)

    def close(self) -> Shown:
        """The answer has ended: decide about what was held back. A block that is still open stays removed."""
        self._advance(final=True, keep=True)
        if self._set_aside and not self.text.strip():
            self._reset = True
            self._visible = [self._set_aside]
            self._fresh = [self._set_aside]
        return self._take_fresh()

    def _advance(self, *, final: bool, keep: bool = False) -> Shown:
        step = self._step_inside if self._inside else self._step_visible
        while self._buffer and step(final):
            step = self._step_inside if self._inside else self._step_visible
        return Shown("") if keep else self._take_fresh()

    def _take_fresh(self) -> Shown:
        shown = Shown("".join(self._fresh), self._reset)
        self._fresh, self._reset = [], False
        return shown

    # Each step consumes one lexeme from the buffer, or answers False when it must see more first.

    def _step_inside(self, final: bool) -> bool:
        if plain := _THOUGHT.match(self._buffer):
            self._consume(plain.end())
            self._removed = True
            return True
        tag, unsure = _tag_at(self._buffer)
        if unsure and not final:
            return False
        if tag is None:
            self._consume(1)
            self._removed = True
            return True
        mentioned = self._between_quotes(len(tag), final)
        if mentioned is None:
            return False
        self._consume(len(tag))
        if _TAGS[tag.lower()] == "close" and not mentioned:
            self._inside = False
            self._ended_a_block = True
            self._begin_line()
        return True

    def _step_visible(self, final: bool) -> bool:
        if self._line_start:
            if _FENCE_TO_COME.match(self._buffer) and not final:
                return False
            if fence := _FENCE.match(self._buffer):
                return self._step_fence(fence.group(1), final)
            self._line_start = False
        if self._fence:
            end = self._buffer.find("\n")
            self._show(end + 1 or len(self._buffer))
            self._line_start = end >= 0
            return True
        if plain := _PLAIN.match(self._buffer):
            self._show(plain.end())
            return True
        first = self._buffer[0]
        if first == "\n":
            self._show(1)
            self._begin_line()
            return True
        if first == "`":
            run = len(self._buffer) - len(self._buffer.lstrip("`"))
            if run == len(self._buffer) and not final:
                return False
            if not self._span:
                self._span = run
            elif self._span == run:
                self._span = 0
            self._show(run)
            return True
        if first == '"':
            self._quoted = not self._quoted
            self._show(1)
            return True
        return self._step_tag(final)

    def _step_fence(self, mark: str, final: bool) -> bool:
        end = self._buffer.find("\n")
        if end < 0 and not final:
            return False
        length = end + 1 or len(self._buffer)
        line = self._buffer[:length]
        if not self._fence:
            self._fence = mark
        elif mark.startswith(self._fence) and line.strip(" \t\n>") == mark:
            self._fence = ""
        self._show(length)
        self._begin_line()
        return True

    def _step_tag(self, final: bool) -> bool:
        tag, unsure = _tag_at(self._buffer)
        if unsure and not final:
            return False
        if tag is None:
            self._show(1)
            return True
        mentioned = self._mentioned(len(tag), final)
        if mentioned is None:
            return False
        if mentioned:
            self._show(len(tag))
            return True
        kind = _TAGS[tag.lower()]
        self._consume(len(tag))
        if kind == "open":
            self._inside = True
        elif kind == "close":
            self._void_what_was_shown()
        return True

    def _void_what_was_shown(self) -> None:
        """A closing tag without its opening one: the template opened the block, or a block ended twice."""
        before = self.text
        if before.strip():
            self._removed = True
            if self._ended_a_block:
                self._set_aside = before
        if before:
            self._reset = True
        self._visible, self._fresh = [], []
        self._ended_a_block = True
        self._begin_line()

    def _between_quotes(self, length: int, final: bool) -> bool | None:
        """Whether the tag at the start of the buffer stands directly between quotation marks; None: not
        known yet.
        """
        wanted = _CLOSING_QUOTE.get(self._previous)
        if wanted is None:
            return False
        after = self._buffer[length : length + 1]
        if not after and not final:
            return None
        return after == wanted

    def _mentioned(self, length: int, final: bool) -> bool | None:
        between = self._between_quotes(length, final)
        if between is None or between:
            return between
        if not self._span and not self._quoted:
            return False
        rest, newline, _ = self._buffer[length:].partition("\n")
        if self._quoted and '"' in rest:
            return True
        if self._span:
            for run in re.finditer("`+", rest):
                if run.end() == len(rest) and not newline and not final:
                    return None
                if run.end() - run.start() == self._span:
                    return True
        return False if newline or final else None

    def _begin_line(self) -> None:
        self._line_start = True
        self._span = 0
        self._quoted = False

    def _show(self, length: int) -> None:
        text = self._buffer[:length]
        self._visible.append(text)
        self._fresh.append(text)
        self._consume(length)

    def _consume(self, length: int) -> None:
        self._previous = self._buffer[length - 1]
        self._buffer = self._buffer[length:]


def strip_reasoning(text: str) -> str:
    """The visible part of a whole answer."""
    reasoning = ReasoningFilter()
    reasoning.feed(text)
    reasoning.close()
    return reasoning.text


def _tag_at(buffer: str) -> tuple[str | None, bool]:
    """The tag the buffer starts with, and whether a longer text could still make it (another) one."""
    head = buffer[:_LONGEST_TAG].lower()
    found = max((tag for tag in _TAGS if head.startswith(tag)), key=len, default=None)
    unsure = any(len(tag) > len(head) and tag.startswith(head) for tag in _TAGS)
    return (buffer[: len(found)] if found else None), unsure
