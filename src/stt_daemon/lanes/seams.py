"""The seam that a forced cut leaves between two segments.

Pure functions; any thread.
"""

from __future__ import annotations

from stt_daemon.lanes.words import SENTENCE_ENDS, units

# A cut falls into one word, seldom between two that both sides then hear.
_LONGEST_OVERLAP = 3


def join_seam(previous_text: str, text: str) -> str:
    """`text` without the words at its start that `previous_text` already ends with.

    Only for the segment right after a forced cut: a word that was cut in two is then heard on both sides
    ("... kept me" and "me honest"). What repeats inside one text was said, and so was what repeats across
    the end of a sentence ("... no." and "No, ..."). A text that holds nothing else stays as it is: better
    a word twice than an answer lost.
    """
    before, after = units(previous_text), units(text)
    for length in range(min(_LONGEST_OVERLAP, len(before), len(after) - 1), 0, -1):
        overlap = after[:length]
        if [unit.norm for unit in before[-length:]] != [unit.norm for unit in overlap]:
            continue
        if length == 1 and overlap[0].weight < 1:
            return text  # one character twice is common in scripts without spaces ("人人")
        ended = any(char in SENTENCE_ENDS for char in previous_text[before[-1].start :])
        if ended and text[overlap[0].start : overlap[0].end].lstrip("\"'“‘«([{-–—")[:1].isupper():
            return text
        return text[after[length].start :]
    return text
