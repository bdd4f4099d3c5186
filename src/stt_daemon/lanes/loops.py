"""Repetition that no person produces: a decoder's loop is cut down to one round and counted.

Pure functions; any thread.
"""

from __future__ import annotations

import re

from stt_daemon.lanes.words import Unit, units

# How often a phrase must follow itself, by its length in words, to be a loop. People do say "No, no, no."
# and chant two words; they do not say the same long sentence three times without a breath.
_ROUNDS = ((1.0, 8), (2.0, 5), (7.0, 4), (float("inf"), 3))

# Longest phrase looked for, in units; a Whisper window holds at most 224 tokens.
_LONGEST = 64

# Inside one word: a syllable of up to four letters, ten times and more ("hahaha...", "aaaa...").
_SYLLABLES = re.compile(r"([^\s\d]{1,4}?)\1{9,}")


def collapse_loops(text: str) -> tuple[str, int]:
    """The text with each loop cut to its first round, and how often the longest one went round (1: none)."""
    most = 1

    def shorten(match: re.Match[str]) -> str:
        nonlocal most
        most = max(most, len(match.group()) // len(match.group(1)))
        return match.group(1) * 3

    text = _SYLLABLES.sub(shorten, text)
    while (loop := _first_loop(units(text))) is not None:
        first_end, last_end, rounds = loop
        most = max(most, rounds)
        text = text[:first_end] + text[last_end:]
    return text.strip(), most


def repeats_itself(text: str, words: float) -> bool:
    """Whether a phrase of at least this many words follows itself at once."""
    found = units(text)
    for length in range(1, min(_LONGEST, len(found) // 2) + 1):
        same = 0
        for at in range(len(found) - length):
            same = same + 1 if found[at].norm == found[at + length].norm else 0
            if same >= length and sum(unit.weight for unit in found[at - length + 1 : at + 1]) >= words:
                return True
    return False


def comes_twice(text: str, words: float) -> bool:
    """Whether a phrase of at least this many words comes again later on, other words in between or not."""
    found = units(text)
    seen: dict[tuple[str, ...], int] = {}
    for at in range(len(found)):
        end, weight = at, 0.0
        while end < len(found) and weight < words:
            weight += found[end].weight
            end += 1
        if weight < words:
            break
        if seen.setdefault(tuple(unit.norm for unit in found[at:end]), end) <= at:
            return True
    return False


def _first_loop(found: list[Unit]) -> tuple[int, int, int] | None:
    """Where a loop's first round ends, where its last one ends (characters), and how many there are.

    Shorter phrases are looked for first: a loop of two words is also one of four.
    """
    for length in range(1, min(_LONGEST, len(found) // 3) + 1):
        same = 0
        for at in range(len(found) - length + 1):
            # `same` units before `at` equal those one phrase later.
            if at + length < len(found) and found[at].norm == found[at + length].norm:
                same += 1
                continue
            rounds = same // length + 1
            first = at - same
            if rounds >= _needed(found[first : first + length]):
                return found[first + length - 1].end, found[first + rounds * length - 1].end, rounds
            same = 0
    return None


def _needed(phrase: list[Unit]) -> int:
    words = sum(unit.weight for unit in phrase)
    return next(rounds for most, rounds in _ROUNDS if words <= most)
