"""Which line says what a reply claims, judged by the words they share. Pure.

Small models cite the line beside the right one, or none. Words decide little alone, so only clear cases are
judged: a line that holds next to nothing of a sentence while another holds most of it. Where reply and lines
are in different languages, or in a script without spaces, there is no such line and nothing is judged.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

LineT = TypeVar("LineT", bound=Hashable)

CLEAR_SHARE = 0.5
"""A line that holds this share of a sentence's words, by weight, says it."""

CLEAR_WORDS = 2
"""And it holds at least so many of them that few other lines hold."""

LOOSE_SHARE = 0.34
"""A citation is loose when its line holds less than this share of what the clear line holds of a sentence."""

SHORT_LINE, NEAR = 3, 2
"""A line with fewer words than this ("Yes, agreed.") so near the clear one is evidence by its place."""

UNKNOWN = 0.5
"""A word that no line holds says as much about the wording as about the matter, and counts by half."""

_STEM = 5
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]{4,}")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")


class LineSupport(Generic[LineT]):
    """The words of the lines that a reply may rest on. A word weighs more the fewer of them hold it."""

    def __init__(self, lines: Mapping[LineT, str]) -> None:
        self._words = {line: words_of(text) for line, text in lines.items()}
        self._place = {line: place for place, line in enumerate(lines)}
        self._holders: dict[str, list[LineT]] = {}
        for line, words in self._words.items():
            for word in words:
                self._holders.setdefault(word, []).append(line)
        self._few = max(2, len(self._words) // 5)

    def best(self, sentence: str) -> LineT | None:
        """The line that clearly says a sentence, the newest of equals; None if none does."""
        words = words_of(sentence)
        scores = self._scores(words)
        if not scores:
            return None
        line = max(scores, key=lambda candidate: (scores[candidate], self._place[candidate]))
        telling = [word for word in words & self._words[line] if len(self._holders[word]) <= self._few]
        clear = CLEAR_SHARE * sum(map(self._weight, words))
        return line if len(telling) >= CLEAR_WORDS and scores[line] >= clear else None

    def found(self, claim: str) -> tuple[LineT, ...]:
        """The lines that clearly say the sentences of a claim, in their order, each once."""
        said = (self.best(sentence) for sentence in _SENTENCE.split(claim))
        return tuple(dict.fromkeys(line for line in said if line is not None))

    def judged(self, claim: str, cited: Iterable[LineT]) -> tuple[LineT, ...]:
        """What is cited for a claim without the loose lines. All of it where no line is clear."""
        clear = [(s, best) for s in _SENTENCE.split(claim) if (best := self.best(s)) is not None]
        if not clear:
            return tuple(cited)
        return tuple(line for line in cited if any(self._bears_out(line, s, best) for s, best in clear))

    def _bears_out(self, line: LineT, sentence: str, best: LineT) -> bool:
        if len(self._words.get(line, ())) < SHORT_LINE:
            # A line that this request does not show has no words here either, and cannot be judged.
            return line not in self._words or abs(self._place[line] - self._place[best]) <= NEAR
        scores = self._scores(words_of(sentence))
        return scores.get(line, 0.0) >= LOOSE_SHARE * scores[best]

    def _scores(self, words: Iterable[str]) -> dict[LineT, float]:
        scores: dict[LineT, float] = {}
        for word in words:
            for line in self._holders.get(word, ()):
                scores[line] = scores.get(line, 0.0) + self._weight(word)
        return scores

    def _weight(self, word: str) -> float:
        """Near 0 for a word of every line, most for one that a single line holds."""
        held = len(self._holders.get(word, ()))
        return math.log((len(self._words) + 1) / max(1, held)) * (1.0 if held else UNKNOWN)


def words_of(text: str) -> frozenset[str]:
    """Whole numbers, and the beginnings of words of four letters or more: the rest says little."""
    return frozenset(word if word[0].isdecimal() else word[:_STEM].casefold() for word in _WORD.findall(text))
