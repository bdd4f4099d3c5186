"""Small repairs of text on its way to and from a model. Pure; one thread at a time."""

from __future__ import annotations

import re

# What chat templates end a turn with; some servers print it when the template and the model disagree.
SPECIAL_TOKENS = (
    "<|im_end|>",
    "<|im_start|>",
    "</s>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end_of_turn|>",
    "<end_of_turn>",
    "<start_of_turn>",
    "<|end|>",
    "<|eos|>",
    "<eos>",
    "<|return|>",
    "<|user|>",
    "<|assistant|>",
    "<|endofturn|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|END_RESPONSE|>",
    "<｜end▁of▁sentence｜>",
)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^`\s]*)[ \t]*\Z")
# The languages a model names when it wraps prose instead of code.
_WRAPPERS = frozenset({"", "markdown", "md", "text", "txt", "plaintext"})


def well_formed(text: str) -> str:
    """The text with halves of surrogate pairs joined and lone ones replaced by U+FFFD: UTF-8 has no room
    for them.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class SurrogateJoiner:
    """Joins pairs that a server cut between two JSON strings; replaces what stays alone."""

    def __init__(self) -> None:
        self._high = ""

    def feed(self, text: str) -> str:
        """Well-formed text; a high half at the end waits for its low half."""
        text = self._high + text
        self._high = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._high = text[:-1], text[-1]
        return well_formed(text)

    def close(self) -> str:
        """What still waited."""
        text, self._high = self._high, ""
        return well_formed(text)


class AnswerEdges:
    """Strips blanks at both ends and special tokens at the end while the text streams.

    What may turn out to be the end is held back, so the pieces given out always add up to the finished
    answer.
    """

    def __init__(self) -> None:
        self._held = ""
        self._begun = False

    def reset(self) -> None:
        """All that came before was no answer."""
        self._held = ""
        self._begun = False

    def feed(self, text: str) -> str:
        """What is certain to be part of the answer."""
        self._held += text
        certain = self._held[: len(_without_tail(self._held[: len(self._held) - _begun_token(self._held)]))]
        return self._give(certain)

    def close(self) -> str:
        """The rest of the answer; its tail is gone."""
        given = self._give(_without_tail(self._held))
        self._held = ""
        return given

    def _give(self, text: str) -> str:
        if not text:
            return ""
        self._held = self._held[len(text) :]
        if not self._begun:
            text = text.lstrip()
            self._begun = True
        return text


def _without_tail(text: str) -> str:
    while True:
        shorter = text.rstrip()
        shorter = next(
            (shorter[: -len(token)] for token in SPECIAL_TOKENS if shorter.endswith(token)), shorter
        )
        if shorter == text:
            return text
        text = shorter


def _begun_token(text: str) -> int:
    """Length of the longest proper beginning of a special token at the end of the text."""
    start = text.rfind("<", max(0, len(text) - max(map(len, SPECIAL_TOKENS)) + 1))
    if start < 0 or text[start:] in SPECIAL_TOKENS:
        return 0
    return len(text) - start if any(token.startswith(text[start:]) for token in SPECIAL_TOKENS) else 0


def clean_tail(text: str) -> str:
    """A whole text without blanks around it and special tokens behind it."""
    return _without_tail(text).strip()


def unfence(text: str) -> str:
    """The text without the Markdown fence that wraps all of it; inner fences and partial wraps stay as they
    are.

    A wrap in ```markdown that never closes (a reply cut by its token limit) counts as well.
    """
    lines = text.strip().split("\n")
    opening = _FENCE.match(lines[0].rstrip("\r"))
    if opening is None:
        return text
    mark, language = opening[1], opening[2].lower()
    # Fence lines inside, as whether each is bare: one with a language opens, a bare one closes or opens.
    depth = 0
    bare_outside = 0
    for line in lines[1:-1]:
        inner = _FENCE.match(line.rstrip("\r"))
        if inner is None or inner[1][0] != mark[0]:
            continue
        if inner[2]:
            depth += 1
        elif depth:
            depth -= 1
        elif len(inner[1]) >= len(mark):
            bare_outside += 1
    closing = _FENCE.match(lines[-1].rstrip("\r")) if len(lines) > 1 else None
    if closing is not None and not closing[2] and closing[1].startswith(mark):
        # Bare pairs inside are inner blocks only if the outer fence says that it wraps prose.
        inner_pairs = bare_outside % 2 == 0 and language in _WRAPPERS - {""}
        if depth == 0 and (bare_outside == 0 or inner_pairs):
            return "\n".join(lines[1:-1]).strip("\r\n")
        return text
    if language in _WRAPPERS - {""} and bare_outside == 0:
        return "\n".join(lines[1:]).strip("\r\n")
    return text
