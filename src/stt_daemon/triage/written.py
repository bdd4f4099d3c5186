"""A line that a model wrote under NEW FACTS, as the fact and the lines it cites. Pure; any thread."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stt_daemon.domain.citations import Citation, CitationIndex, check_citations
from stt_daemon.triage.evidence import Delta
from stt_daemon.triage.fact import UNVERIFIED, Noted
from stt_daemon.triage.reply import NO_FACTS

_UTTERANCE = re.compile(r"u([1-9]\d{0,8})")
_ROUND = re.compile(r"\((u\d{1,9}(?:\s*[,;]\s*u\d{1,9})*)\)", re.IGNORECASE)
_HINT = re.compile(r"[\w-]+ \((?:p=|choice\)|score\))")
_NOTHING = CitationIndex("")


def note(line: str, read: Sequence[Delta]) -> Noted | None:
    """The fact without its citations; None for a copied hint and for a line without words."""
    known = frozenset(
        Citation("", int(hit[1])) for hit in (_UTTERANCE.fullmatch(delta.id) for delta in read) if hit
    )
    line = _ROUND.sub(r"[\1]", line.replace(UNVERIFIED, ""))
    cites = check_citations(line, CitationIndex("", known)).cites
    text = bare(line)
    if text.casefold().strip("().! ") in NO_FACTS or _HINT.match(text):
        return None
    return Noted(text, tuple(cite.utterance for cite in cites))


def bare(line: str) -> str:
    """The line without citations."""
    return check_citations(line, _NOTHING).text.strip(" ,;").replace(" .", ".").replace(" ,", ",")
