"""The form of a reply as a grammar for a llama.cpp server (GBNF). Pure; any thread.

A fact names its line first, and lines come in order: so a small model looks at one line after the other,
cites only what exists, and cannot fill its tokens by saying one thing for ever. For the same reason lines
have a length and the narrative a number of them.
"""

from __future__ import annotations

from collections.abc import Sequence

HEADINGS = ("Summary", "Opportunities", "Blockers/Risks", "Decisions", "Open Questions")
"""The parts of the narrative. The first is prose, the others are points."""

FACTS_A_LINE = 2
POINTS = 4
"""At most so many facts of one utterance, and so many points under one heading."""

LINE_CHARS = 200
BEYOND = 8
LONGEST_BOUND = 1000
"""The server refuses a repetition of more than 2000."""


def reply_grammar(ids: Sequence[str], headings: Sequence[str], *, fact_chars: int) -> str:
    """The two sections for a request with the utterances `ids`.

    `headings` are the parts of the narrative, each of which may be left out; without any its lines are free.
    `fact_chars` is the longest fact that is kept; a reply may be a little longer, so that the word at which
    it is stopped is not the last one that is kept.
    """
    longest = f"{{2,{fact_chars + BEYOND}}}" if fact_chars + BEYOND <= LONGEST_BOUND else "*"
    rules = [
        rf'text ::= [^\x00-\x20\[\]-] [^\x00-\x1f\[\]]{longest} "\n"',
        rf'line ::= [^\x00-\x20\[\]-] [^\x00-\x1f\[\]]{{2,{LINE_CHARS}}} "\n"',
    ]
    names = [name for name in dict.fromkeys(ids) if name.isalnum()]
    if names:
        rules += ["id ::= " + " | ".join(f'"{name}"' for name in names)]
        each = [f'("- [{name}" (", " id){{0,2}} "] " text){{0,{FACTS_A_LINE}}}' for name in names]
        rules += ["facts ::= " + " ".join(each)]
    else:
        rules += [f'facts ::= ("- " text){{0,{POINTS}}}']
    rules += ["brief ::= " + _narrative(headings)]
    return "\n".join(('root ::= "NEW FACTS:\\n" ("none\\n" | facts) "BRIEF:\\n" brief', *rules))


def _narrative(headings: Sequence[str]) -> str:
    if not headings:
        return f'("- "? line){{1,{POINTS * len(HEADINGS)}}}'
    prose, *parts = headings
    points = (f'("{heading}:\\n" ("- " line){{1,{POINTS}}})?' for heading in parts)
    return f'"{prose}:\\n" line{{1,2}} ' + " ".join(points)
