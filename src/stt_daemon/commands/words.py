"""Words as they are compared: lower case, no punctuation, number words as digits. Pure.

Every word remembers where it stood, so that an argument can be cut out of the original text as it was said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stt_daemon.domain.number_words import NUMBER_STARTS, longest_cardinal

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’ʼ][^\W\d_]+)*")
_NO_APOSTROPHE = str.maketrans("", "", "'’ʼ")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")


def _fillers(listed: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(filler.split()) for filler in listed.split(","))


LEADING = _fillers(
    "um,uh,uhm,er,erm,hm,hmm,mm,ah,oh,well,okay,ok,so,now,right,alright,hey,hi,hello,please,and,then,just,like,"
    "actually,assistant,can you,could you,would you,will you,you can,id like you to,i would like you to,"
    "i want you to,lets,go ahead and,yeah so"
)
"""Words before a command that change nothing about it."""

TRAILING = _fillers(
    "um,uh,uhm,er,erm,hm,hmm,please,now,right now,for now,thanks,thank you,thank you very much,okay,ok,then,"
    "for me,can you,will you,would you,could you,assistant"
)
"""The same after it."""

_LONGEST_FILLER = 5


@dataclass(frozen=True)
class Word:
    """`form` is what is compared; `start` and `end` are its place in the text."""

    form: str
    start: int
    end: int


def clean(text: str) -> str:
    """The text in composed form (NFC), in which all places are counted."""
    return unicodedata.normalize("NFC", text)


def words(text: str) -> tuple[Word, ...]:
    """The words of a cleaned text; a run of number words is one word, written in digits."""
    found = [Word(_form(hit.group()), hit.start(), hit.end()) for hit in _WORD.finditer(text)]
    forms = [word.form for word in found]
    if NUMBER_STARTS.isdisjoint(forms):
        return tuple(found)
    merged, place = [], 0
    while place < len(found):
        number, length = longest_cardinal(forms, place)
        if length:
            merged.append(Word(str(number), found[place].start, found[place + length - 1].end))
        else:
            merged.append(found[place])
        place += length or 1
    return tuple(merged)


def forms(text: str) -> tuple[str, ...]:
    """Only what is compared."""
    return tuple(word.form for word in words(clean(text)))


def starts(said: Sequence[Word]) -> tuple[int, ...]:
    """The places at which a command may begin: 0, and after each leading filler."""
    if not said:
        return (0,)
    return tuple(_after_fillers([word.form for word in said], LEADING))


def ends(said: Sequence[Word]) -> tuple[int, ...]:
    """The places before which a command may end: the length, and before each trailing filler."""
    backwards = frozenset(tuple(reversed(filler)) for filler in TRAILING)
    return tuple(len(said) - n for n in _after_fillers([word.form for word in reversed(said)], backwards))


def without_stutter(said: Sequence[Word]) -> tuple[Word, ...]:
    """Said twice is meant once ("the the"); numbers excepted, since "one one" may be eleven."""
    kept: list[Word] = []
    for word in said:
        if not kept or kept[-1].form != word.form or word.form[0].isdigit():
            kept.append(word)
    return tuple(kept)


def _after_fillers(said: Sequence[str], fillers: frozenset[tuple[str, ...]]) -> Iterator[int]:
    waiting, seen = [0], {0}
    while waiting:
        place = waiting.pop()
        yield place
        for length in range(1, _LONGEST_FILLER + 1):
            after = place + length
            if tuple(said[place:after]) in fillers and after < len(said) and after not in seen:
                seen.add(after)
                waiting.append(after)


def _form(word: str) -> str:
    if _GROUPED.fullmatch(word):
        return word.replace(",", "")
    folded = word.lower() if word.isascii() else unicodedata.normalize("NFKC", word).casefold()
    return folded.translate(_NO_APOSTROPHE) if "'" in folded or not folded.isascii() else folded
