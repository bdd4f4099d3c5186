"""Citations of transcript lines: reading them, checking them, and removing the ones that do not exist.

Pure; one `CitationFilter` belongs to one reply and one thread.

A line of the present session is cited as `[u12]`. Past sessions get a short alias for the length of one
request, `[s2:u5]`; code turns it into the lasting form `[20260101-093000:u5]` before anybody sees or stores
the reply, so an alias never means two things. Several ids may stand in one bracket. A range `[u3-u5]` is
written out as the known lines between its ends if both ends are known and it is at most RANGE_LIMIT lines
long; otherwise it is removed like an id that does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from stt_daemon.domain.support import LineSupport, words_of

RANGE_LIMIT = 12
"""A longer range is no citation but a wave of the hand."""

FOUND_AT_MOST = 3
"""Lines named for a reply that cites none: more would point nowhere."""

BRACKET_LIMIT = 160
"""Characters after which an open bracket is ordinary text: six ids in their longest form."""

_ID = r"(?:(?P<session>[sS]\d{1,4}|\d{8}-\d{6}(?:-\d{1,4})?)\s*:\s*)?[uU]\s?(?P<number>\d{1,9})"
_REFERENCE = re.compile(_ID)
_DASH = re.compile(r"\s*(?:[-–—‒]|\.{2,3}|…|\bto\b)\s*", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*(?:[,;&+/]|\band\b)\s*(?:and\b\s*)?", re.IGNORECASE)
_BRACKET = re.compile(rf"\[([^\[\]\n]{{2,{BRACKET_LIMIT}}})\]")
_JOINT = re.compile(r"[ \t]*(?:[,;&]|a|an|and|u|un|und|e|et|y)?[ \t]*", re.IGNORECASE)
_OPENING = re.compile(r"\s*(?:[uU]\s?\d*|[sS]\d*|\d)")
_TORN = re.compile(
    r"\s*(?:$|(?=[us]|\d{8}))(?:[\s\d:,;&+/.…–—‒-]|[us](?![^\W\d_])|\b(?:and?|to?)\b)*", re.IGNORECASE
)


@dataclass(frozen=True, order=True)
class Citation:
    """One cited line: the real session id and the number in its utterance id."""

    session: str
    number: int

    @property
    def utterance(self) -> str:
        return f"u{self.number}"

    def form(self, current: str) -> str:
        """How it is written when `current` is the session in use: `u12` or `20260101-093000:u12`."""
        return self.utterance if self.session == current else f"{self.session}:{self.utterance}"


@dataclass(frozen=True)
class CitationIndex:
    """Which lines a reply may cite: those the model was shown, and what stands behind each alias.

    `said` holds the words of the lines in this request's transcript; a citation of one is judged by them.
    """

    current: str
    known: frozenset[Citation] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    said: Mapping[Citation, str] = field(default_factory=dict)

    @cached_property
    def support(self) -> LineSupport[Citation]:
        return LineSupport(self.said)

    def named(self, session: str | None, number: int) -> Citation:
        """What a reference stands for, known or not. An alias nobody gave out stands for itself."""
        if not session:
            return Citation(self.current, number)
        return Citation(self.aliases.get(session.lower(), session), number)

    def resolve(self, item: str) -> tuple[Citation, ...] | None:
        """The known lines of one reference or range: empty if there are none; None if it is neither."""
        hits = list(_REFERENCE.finditer(item))
        if not hits or item[: hits[0].start()].strip() or item[hits[-1].end() :].strip():
            return None
        start = self.named(hits[0]["session"], int(hits[0]["number"]))
        if len(hits) == 1:
            return (start,) if start in self.known else ()
        if len(hits) > 2 or not _DASH.fullmatch(item[hits[0].end() : hits[1].start()]):
            return None
        end = self.named(hits[1]["session"] or hits[0]["session"], int(hits[1]["number"]))
        length = end.number - start.number
        if {start, end} <= self.known and start.session == end.session and 0 <= length < RANGE_LIMIT:
            between = (Citation(start.session, n) for n in range(start.number, end.number + 1))
            return tuple(line for line in between if line in self.known)
        return ()


@dataclass(frozen=True)
class CheckedText:
    """A text whose citations all exist: `cites` in order of first mention.

    `dropped` did not exist, as they were written; `loose` were cited for what another line says; `found` were
    not cited by the model, but hold the words of its reply.
    """

    text: str
    cites: tuple[Citation, ...]
    dropped: tuple[str, ...]
    loose: tuple[Citation, ...] = ()
    found: tuple[Citation, ...] = ()


class CitationFilter:
    """Reads a reply as it streams and lets through only citations that exist.

    What `feed` returned is final: an open bracket, and the blanks before it (between two citations the "and"
    as well), are held back until it is decided. A code block between ``` lines passes unread, since `x[u1]`
    there is an index. The result does not depend on how the reply was cut into pieces.

    A citation is judged by the words since the one before it (see `LineSupport`): a loose one is left out, or
    replaced by the line that clearly says those words when nothing else is cited for them. A reply that puts
    citations at the beginning of its lines is not judged, since the words come later; one that cites nothing
    ends with the lines that clearly say it.

    What is left out must not bring its neighbours together into a citation (`[[u99]u12]`): inside an open
    bracket it leaves an ellipsis, and a citation that is never closed loses its opening bracket.
    """

    def __init__(self, index: CitationIndex) -> None:
        self._index = index
        self._blanks = ""
        self._bracket: str | None = None
        self._line = ""
        self._in_code = False
        self._is_open = False
        self._shown: list[str] = []
        self._cites: dict[Citation, None] = {}
        self._dropped: list[str] = []
        self._loose: list[Citation] = []
        self._found: tuple[Citation, ...] = ()
        self._claim = self._since = ""
        self._cites_first = False
        self._just_cited = self._after_citation = False
        self._claim_cites: set[Citation] = set()
        self._replaced: tuple[Citation, ...] = ()

    def feed(self, delta: str) -> str:
        """The part of the reply that is decided now; may be empty."""
        return "".join(self._show(self._step(char)) for char in delta)

    def finish(self) -> str:
        """The rest, at the end of the reply. A citation that was torn by the end is left out."""
        if self._bracket is not None and _TORN.fullmatch(self._bracket):
            self._dropped.append(f"[{self._bracket}")
            self._bracket = None
            out = ""
        else:
            out = self._release()
        self._blanks = ""
        return self._show(out) + self._show(self._missing())

    def result(self) -> CheckedText:
        return CheckedText(
            "".join(self._shown),
            tuple(self._cites),
            tuple(self._dropped),
            tuple(dict.fromkeys(self._loose)),
            self._found,
        )

    def _show(self, text: str) -> str:
        self._shown.append(text)
        self._since = "" if self._just_cited else self._since + text
        self._just_cited = False
        return text

    def _missing(self) -> str:
        """What a reply without any citation rests on, as its last words."""
        reply = "".join(self._shown)
        if self._cites or self._in_code or not reply.strip() or reply.rstrip().endswith("```"):
            return ""
        self._found = self._index.support.found(reply)[:FOUND_AT_MOST]
        self._cites = dict.fromkeys(self._found)
        return f" [{self._forms(self._found)}]" if self._found else ""

    def _judged(self, cites: tuple[Citation, ...]) -> tuple[Citation, ...]:
        """The citations behind the present claim that are not loose, or what should have been cited."""
        before = "".join(self._shown).rpartition("\n")[2]
        self._cites_first = self._cites_first or not before.strip(" \t-*•>#0123456789.)")
        if self._cites_first:
            return cites
        if words_of(self._since):
            self._claim, self._claim_cites, self._replaced = self._since, set(), ()
        self._just_cited = True
        support = self._index.support
        kept = support.judged(self._claim, cites)
        self._loose += [cite for cite in cites if cite not in kept]
        if not kept and not self._claim_cites:
            self._replaced = kept = support.found(self._claim)[:FOUND_AT_MOST]
            self._found += kept
        elif self._replaced:
            kept = tuple(cite for cite in kept if cite not in self._replaced)
        self._claim_cites.update(kept)
        return kept

    def _forms(self, cites: Iterable[Citation]) -> str:
        return ", ".join(cite.form(self._index.current) for cite in cites)

    def _step(self, char: str) -> str:
        self._follow_line(char)
        if self._bracket is not None:
            return self._in_bracket(char)
        self._after_citation = self._after_citation and bool(_JOINT.fullmatch(self._blanks + char))
        if self._after_citation or char in " \t":
            self._blanks += char
            return ""
        if char == "[" and not self._in_code:
            self._bracket = ""
            return ""
        out = self._release() + char
        self._is_open = self._is_open and char not in "]\n"
        return out

    def _in_bracket(self, char: str) -> str:
        assert self._bracket is not None
        if char == "]":
            return self._decide()
        if char == "[":
            out = self._release()
            self._bracket = ""
            return out
        content = self._bracket + char
        if char == "\n" or len(content) > BRACKET_LIMIT or not _may_cite(content):
            out = self._release() + char
            self._is_open = self._is_open and char != "\n"
            return out
        self._bracket = content
        return ""

    def _decide(self) -> str:
        assert self._bracket is not None
        content, blanks = self._bracket, self._blanks
        self._bracket, self._blanks = None, ""
        checked = check_bracket(content, self._index)
        if checked is None:
            return f"{blanks}[{content}]"
        shown, cites, dropped = checked
        judged = self._judged(cites) if cites else ()
        if judged != cites:
            shown = self._forms(judged)
        self._cites.update(dict.fromkeys(judged))
        self._dropped.extend(dropped)
        if shown:
            self._after_citation = True
            return f"{blanks}[{shown}]"
        self._after_citation = bool(blanks.strip())
        return "…" if self._is_open else ""

    def _release(self) -> str:
        """What was held back, as the plain text it turned out to be."""
        out = self._blanks
        if self._bracket is not None and _REFERENCE.match(self._bracket.strip()):
            out += f"…{self._bracket}" if self._is_open else self._bracket
        elif self._bracket is not None:
            out += f"[{self._bracket}"
            self._is_open = True
        self._blanks, self._bracket = "", None
        return out

    def _follow_line(self, char: str) -> None:
        if char == "\n":
            self._line = ""
        elif len(self._line) < 8:
            self._line += char
            if char == "`" and self._line.lstrip(" ") == "```":
                self._in_code = not self._in_code


def _may_cite(content: str) -> bool:
    """Whether an open bracket with this content can still become a citation."""
    start = content.lstrip()
    return not start or (_OPENING.match(start) is not None and (len(start) == 1 or _second_fits(start)))


def _second_fits(start: str) -> bool:
    second = start[1:].lstrip()[:1] if start[0] in "uU" else start[1]
    return not second or second.isdigit()


def check_bracket(
    content: str, index: CitationIndex
) -> tuple[str, tuple[Citation, ...], tuple[str, ...]] | None:
    """What to show between the brackets, the lines it cites, and what was dropped; None: no citation.

    Words beside the ids (`[u12, Anna]`) stay as long as every id in the bracket exists.
    """
    if not _REFERENCE.match(content.strip()):
        return None
    items = [item for item in _SEPARATOR.split(content.strip()) if item]
    resolved = [index.resolve(item) for item in items]
    if all(lines is not None for lines in resolved):
        cites = tuple(dict.fromkeys(line for lines in resolved for line in lines or ()))
        dropped = tuple(item for item, lines in zip(items, resolved, strict=True) if not lines)
        return ", ".join(line.form(index.current) for line in cites), cites, dropped
    hits = list(_REFERENCE.finditer(content))
    named = [index.named(hit["session"], int(hit["number"])) for hit in hits]
    cites = tuple(dict.fromkeys(line for line in named if line in index.known))
    dropped = tuple(hit.group() for hit, line in zip(hits, named, strict=True) if line not in index.known)
    if dropped:
        return ", ".join(line.form(index.current) for line in cites), cites, dropped
    shown = _REFERENCE.sub(
        lambda hit: index.named(hit["session"], int(hit["number"])).form(index.current), content
    )
    return shown, cites, ()


def check_citations(text: str, index: CitationIndex) -> CheckedText:
    """The same for a reply that is there as a whole."""
    reader = CitationFilter(index)
    reader.feed(text)
    reader.finish()
    return reader.result()


def citations_in(texts: Iterable[str], current: str) -> frozenset[Citation]:
    """Every line that texts with lasting citations refer to; `current` is the session of the short ones."""
    index = CitationIndex(current)
    found = set()
    for text in texts:
        for bracket in _BRACKET.finditer(text):
            if not _REFERENCE.match(bracket.group(1).strip()):
                continue
            for hit in _REFERENCE.finditer(bracket.group(1)):
                found.add(index.named(hit["session"], int(hit["number"])))
    return frozenset(found)


def qualify(text: str, written_in: str, current: str) -> str:
    """A text from another session with its short citations `[u12]` written in the lasting form."""
    if written_in == current:
        return text

    def long_form(bracket: re.Match[str]) -> str:
        if not _REFERENCE.match(bracket.group(1).strip()):
            return bracket.group()
        return _REFERENCE.sub(
            lambda hit: hit.group() if hit["session"] else f"{written_in}:u{int(hit['number'])}",
            bracket.group(),
        )

    return _BRACKET.sub(long_form, text)
