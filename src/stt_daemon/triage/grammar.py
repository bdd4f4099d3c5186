"""The form of a reply as a grammar for a llama.cpp server (GBNF). Pure; any thread.

A fact names its line first, and lines come in order: so a small model looks at one line after the other,
cites only what exists, and cannot fill its tokens by saying one thing for ever. A line that holds something
to keep has to be looked at; the model may still write none for it. Texts are bounded in words: a bound in
characters could stop a number in its middle.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

HEADINGS = ("Summary", "Opportunities", "Blockers/Risks", "Decisions", "Open Questions")
"""The parts of the narrative. The first is prose, the others are points."""

FACTS_A_LINE = 2
POINTS = 4
"""At most so many facts of one utterance, and so many points under one heading."""

WORDS = 48
"""The longest fact, point or sentence."""


def reply_grammar(ids: Sequence[str], required: Collection[str], headings: Sequence[str]) -> str:
    """The two sections for a request with the utterances `ids`; the `required` cannot be passed over.

    `headings` are the parts of the narrative, each of which may be left out; without any its lines are free.
    """
    names = [name for name in dict.fromkeys(ids) if name.isalnum()]
    rules = [
        'root ::= "NEW FACTS:\\n" ("none\\n" | facts) "BRIEF:\\n" brief',
        "brief ::= " + _narrative(headings),
        f'text ::= [^\\x00-\\x20[\\]-] word? (" " word){{0,{WORDS - 1}}} "\\n"',
        r"word ::= [^\x00-\x20[\]]+",
    ]
    if not names:
        return "\n".join((*rules, f'facts ::= ("- " text){{0,{POINTS}}}'))
    if not set(names).isdisjoint(required):
        rules[0] = 'root ::= "NEW FACTS:\\n" facts "BRIEF:\\n" brief'
    each = (
        f'("- [{name}" (", " id){{0,2}} "] " text){{{int(name in required)},{FACTS_A_LINE}}}'
        for name in names
    )
    rules += ["facts ::= " + " ".join(each), "id ::= " + " | ".join(f'"{name}"' for name in names)]
    return "\n".join(rules)


def _narrative(headings: Sequence[str]) -> str:
    if not headings:
        return f'("- "? text){{1,{POINTS * len(HEADINGS)}}}'
    prose, *parts = headings
    points = (f'("{heading}:\\n" ("- " text){{1,{POINTS}}})?' for heading in parts)
    return f'"{prose}:\\n" text{{1,2}} ' + " ".join(points)
