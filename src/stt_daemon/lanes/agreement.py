"""Partial text that does not flicker: LocalAgreement with two passes (Liu et al., 2020; whisper_streaming).

Pure state, owned by one thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stt_daemon.lanes.words import normalise

# How far the committed words may have moved inside a new pass (a word heard as two, or two as one), and how
# many of them are looked for.
_SHIFT = 3
_ANCHOR = 3


@dataclass(frozen=True)
class Agreed:
    """`committed` words stay for good, `tentative` ones may change with the next pass."""

    committed: str
    tentative: str


class LocalAgreement:
    """Commits what two consecutive passes over one growing utterance agree on.

    An utterance is known by its start. A pass that begins elsewhere, because the utterance before it was
    closed or cut, starts from nothing: what had been committed belongs to the closed one.
    """

    def __init__(self) -> None:
        self._t0: float | None = None
        self._committed: list[str] = []
        self._last: list[str] = []

    def reset(self) -> None:
        """Forget the utterance."""
        self._t0 = None
        self._committed = []
        self._last = []

    def latest(self, t0: float) -> Agreed:
        """What stands for the utterance that starts at `t0`, without a new pass."""
        if t0 != self._t0:
            self.reset()
            self._t0 = t0
        return Agreed("".join(self._committed).strip(), "".join(self._last).strip())

    def hear(self, t0: float, words: Sequence[str]) -> Agreed:
        """Take the words of a new pass (as from `split_words`) for the utterance that starts at `t0`."""
        self.latest(t0)
        after = list(words[self._continuation(words) :])
        agreed = 0
        for old, new in zip(self._last, after, strict=False):
            if _key(old) != _key(new):
                break
            agreed += 1
        self._committed += after[:agreed]
        self._last = after[agreed:]
        return self.latest(t0)

    def _continuation(self, words: Sequence[str]) -> int:
        """Where in a new pass the words begin that follow the committed ones."""
        count = len(self._committed)
        if count == 0:
            return 0
        anchor = [_key(word) for word in self._committed[-_ANCHOR:]]
        keys = [_key(word) for word in words]
        for shift in sorted(range(-_SHIFT, _SHIFT + 1), key=abs):
            end = count + shift
            if len(anchor) <= end <= len(keys) and keys[end - len(anchor) : end] == anchor:
                return end
        return min(count, len(words))


def _key(word: str) -> str:
    return normalise(word) or word.strip()
