"""Every branch of the gate, with made-up answers."""

from __future__ import annotations

import pytest

from stt_daemon.values import Candidate, Field, Search, Span, Thresholds
from stt_daemon.values.gate import decide
from stt_daemon.values.typed import Identifier

FIELD = Field(
    "code",
    Search("identifier"),
    "Is “{span}” ({reading}) the code?",
    {"old": "Is “{span}” old?", "other": "Is “{span}” another?"},
    Thresholds(present=0.60, guard=0.20, rejected=0.40),
)


def candidates(*values: str) -> tuple[Candidate, ...]:
    """One for each word; "?" has no value."""
    return tuple(
        Candidate(Span(n, n + len(v), v), None if v == "?" else Identifier(v), "open" if v == "?" else "")
        for n, v in enumerate(values)
    )


def answers(
    *mains: float | None, old: float | None = 0.0, other: float | None = 0.0
) -> dict[str, float | None]:
    """The main answers in order, with the same guards for each."""
    found: dict[str, float | None] = {}
    for number, main in enumerate(mains, start=1):
        found |= {f"code.{number}": main, f"code.{number}.old": old, f"code.{number}.other": other}
    return found


@pytest.mark.parametrize(
    ("found", "given", "status"),
    [
        ("A", answers(0.60, old=0.20, other=0.20), "accepted"),
        ("A", answers(0.5999), "unclear"),
        ("A", answers(0.40), "unclear"),
        ("A", answers(0.3999), "absent"),
        ("A", answers(0.0, old=1.0), "absent"),
        ("A", answers(0.9, old=0.2001), "unclear"),
        ("A", answers(0.9, other=0.2001), "unclear"),
        ("AB", answers(0.9, 0.3999), "accepted"),
        ("AB", answers(0.9, 0.40), "unclear"),
        ("AB", answers(0.9, 0.59), "unclear"),
        ("AB", answers(0.9, 0.9), "unclear"),
        ("AB", answers(0.1, 0.1), "absent"),
        ("AA", answers(0.9, 0.9), "unclear"),
        ("ABC", answers(0.1, 0.9, 0.1), "accepted"),
        ("?", answers(0.9), "unparseable"),
        ("?", answers(0.5), "unclear"),
        ("?", answers(0.1), "absent"),
        ("?", answers(0.9, old=0.9), "unclear"),
        ("?B", answers(0.9, 0.1), "unparseable"),
        ("?B", answers(0.1, 0.9), "accepted"),
        ("?B", answers(0.9, 0.9), "unclear"),
        ("ABCD", answers(0.9, 0.1, 0.1, 0.1), "unparseable"),
        ("", {}, "absent"),
        # what is no probability is unsure, for the meaning and for a guard
        ("A", {}, "unclear"),
        ("A", answers(None), "unclear"),
        ("A", answers(float("nan")), "unclear"),
        ("A", answers(1.01), "unclear"),
        ("A", answers(-0.01), "unclear"),
        ("A", answers(0.9, old=None), "unclear"),
        ("A", answers(0.9, old=float("nan")), "unclear"),
        ("A", answers(0.9, other=-1.0), "unclear"),
        ("AB", answers(0.9, None), "unclear"),
    ],
)
def test_what_becomes_of_the_answers(found: str, given: dict[str, float | None], status: str) -> None:
    outcome = decide(FIELD, candidates(*found), given)
    assert outcome.status == status
    assert (outcome.value is not None) == (status == "accepted")
    if status in ("unclear", "unparseable"):
        assert outcome.why
        assert outcome.quoted


def test_the_accepted_value_is_that_of_the_confirmed_candidate() -> None:
    outcome = decide(FIELD, candidates("A", "B"), answers(0.1, 0.9))
    assert outcome.value == Identifier("B")
    assert outcome.quoted == "B"


def test_a_guard_that_speaks_against_is_named() -> None:
    assert "old" in decide(FIELD, candidates("A"), answers(0.9, old=0.5)).why
