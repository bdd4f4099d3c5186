"""The form of a reply as a grammar for a llama.cpp server (GBNF). Pure; any thread."""

from __future__ import annotations

from collections.abc import Sequence

MOST_FACTS = 24
"""A model in a loop lists facts until its tokens are used up; no request of a few minutes holds so many."""

MOST_LINES = 60


def reply_grammar(ids: Sequence[str]) -> str:
    """Two sections in order; each fact cites lines that exist: `ids` are those in the request."""
    cited = " | ".join(f'"{name}"' for name in dict.fromkeys(ids) if name.isalnum())
    cites = '" [" id (", " id){0,3} "]"' if cited else '""'
    rules = [
        f'root ::= "NEW FACTS:\\n" ("none\\n" | fact{{1,{MOST_FACTS}}}) "BRIEF:\\n" line{{1,{MOST_LINES}}}',
        rf'fact ::= "- " [^\x00-\x1f\[\] -] [^\x00-\x1f\[\]]* {cites} "\n"',
        r'line ::= [^\x00-\x1f] [^\x00-\x1f]* "\n"',
    ]
    if cited:
        rules.append(f"id ::= {cited}")
    return "\n".join(rules)
