"""A text as tokens with their places, the ground every finder stands on. Pure; any thread.

Offsets are those of the text as it came: nothing is normalised before it is cut, so that a span is always
exactly the characters it quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

# One pass, no nested repetition that could match the same characters twice: linear in the text.
_TOKEN = re.compile(r"[0-9]+(?:[.,:][0-9]+)*|[^\W\d_]+(?:['’ʼ][^\W\d_]+)*|\S")
_NO_APOSTROPHE = str.maketrans("", "", "'’ʼ")


def word_set(listed: str) -> frozenset[str]:
    """The words of a line of them."""
    return frozenset(listed.split())


DASHES = frozenset("-–—−‐‑")
SENTENCE_ENDS = frozenset(".!?;…")

# What may follow a bare number so that it is not a count of something: "at 10 we go", but not "at 10 people".
_FUNCTION_WORDS = word_set(
    "a and or but so if because when while then than at on in for with without to from by before after "
    "until till is was are were will would can could should i im ill we were well he hes she shes it "
    "its they you youll that this the there here today tonight tomorrow yesterday please sharp exactly "
    "instead latest tops max now not no yes ok okay thanks thank sir maybe perhaps possibly probably "
    "hopefully also again right just only local ish give plus as of whatever per"
)
_SOFT_ENDS = frozenset(".,!?;:)…\"'”’") | DASHES


@dataclass(frozen=True)
class Token:
    """`form` is what is compared: lower case, without apostrophes."""

    start: int
    end: int
    form: str
    raw: str

    @property
    def is_digits(self) -> bool:
        return "0" <= self.raw[0] <= "9"

    @property
    def is_word(self) -> bool:
        return self.raw[0].isalpha()


class Tokens:
    """The tokens of one text; places outside are answered as if empty tokens stood there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.items = [
            Token(hit.start(), hit.end(), hit.group().lower().translate(_NO_APOSTROPHE), hit.group())
            for hit in _TOKEN.finditer(text)
        ]

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def forms(self) -> list[str]:
        return [token.form for token in self.items]

    def form(self, place: int) -> str:
        return self.items[place].form if 0 <= place < len(self.items) else ""

    def raw(self, place: int) -> str:
        return self.items[place].raw if 0 <= place < len(self.items) else ""

    def is_digits(self, place: int) -> bool:
        return 0 <= place < len(self.items) and self.items[place].is_digits

    def is_word(self, place: int) -> bool:
        return 0 <= place < len(self.items) and self.items[place].is_word

    def joined(self, place: int) -> bool:
        """Whether no blank stands between this token and the one before it."""
        return 0 < place < len(self.items) and self.items[place - 1].end == self.items[place].start

    def says(self, place: int, *phrase: str) -> bool:
        """Whether these forms stand here, one after the other."""
        return all(self.form(place + n) == word for n, word in enumerate(phrase))

    def ends_at(self, place: int) -> bool:
        """Whether a number that ends before `place` stands for itself and counts nothing after it."""
        following = self.form(place)
        return following in _FUNCTION_WORDS or following == "" or following in _SOFT_ENDS

    def characters(self, start: int, end: int) -> tuple[int, int]:
        """The character range of the tokens from `start` up to `end`."""
        return self.items[start].start, self.items[end - 1].end
