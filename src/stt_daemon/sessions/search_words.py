"""Words as the search index knows them: how a line is prepared, and how any text becomes a query. Pure.

The index's tokenizer takes a run of letters for one word. Scripts that write no spaces get a separator around
each character instead, in lines and queries alike, so that what is searched for inside such a run is found.
"""

from __future__ import annotations

import re

from stt_daemon.domain.text import plain

SEPARATOR = "\x1f"
"""Never in plain text, and no letter to the tokenizer."""

# Thai and Lao, Myanmar, Khmer, Kana, Han with its extensions.
_NO_SPACES = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff])"
)
_LETTER = re.compile(r"[^\W_]")

_MAX_WORDS = 32
"""More words make a question no clearer, and an expression of thousands no longer fits the parser."""

_STEM_LETTERS = 4
"""From this many letters on a word also finds longer ones that begin with it, whatever the language."""


def indexed(text: str) -> str:
    """The line as the index stores it; `readable` turns it back."""
    return _NO_SPACES.sub(rf"{SEPARATOR}\1{SEPARATOR}", plain(text))


def readable(text: str) -> str:
    """A piece of an indexed line as it was said."""
    return text.replace(SEPARATOR, "")


def match_expression(query: str, *, any_word: bool = False) -> str:
    """An FTS5 expression that finds lines with all words of the query, or with any; "" when it has none.

    Nothing in the query is syntax: each word is quoted.
    """
    words = list(dict.fromkeys(word for word in plain(query).split() if _LETTER.search(word)))[:_MAX_WORDS]
    return (" OR " if any_word else " AND ").join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    quoted = '"' + indexed(word).replace('"', '""') + '"'
    return quoted + "*" if len(_LETTER.findall(word)) >= _STEM_LETTERS else quoted
