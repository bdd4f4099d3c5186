"""The phrasings of cases.jsonl, before an oracle and before deciders that mean harm."""

from __future__ import annotations

import pytest

from stt_daemon.values import Asked, Field
from stt_daemon.values.cases import Case
from tests.unit.values.helpers import (
    Decider,
    always_no,
    always_yes,
    cases,
    example,
    noise,
    oracle,
    outcome,
    yes_to_everything,
)

FIELDS = example()
CASES = cases(FIELDS)
ASKED: dict[str, Asked] = {}


def field_of(name: str) -> Field:
    found = FIELDS.named(name)
    assert found is not None
    return found


def asked_of(case: Case) -> Asked:
    """The request of a case, made once."""
    if case.id not in ASKED:
        ASKED[case.id] = case.asked(field_of(case.field))
    return ASKED[case.id]


def test_there_are_enough_and_two_thirds_must_give_no_value() -> None:
    assert len(CASES) >= 200
    negatives = sum(not case.positive for case in CASES)
    assert negatives >= 2 * len(CASES) / 3
    assert {case.field for case in CASES} == {field.name for field in FIELDS.fields}


def test_with_an_oracle_no_value_is_wrong_and_four_fifths_of_the_positives_are_accepted() -> None:
    accepted, wrong = 0, []
    for case in CASES:
        found = outcome(asked_of(case), oracle(case, field_of(case.field)))
        value = found.value.plain if found is not None and found.value is not None else ""
        if value and value != case.value:
            wrong.append((case.id, value))
        accepted += bool(value)
    positives = sum(case.positive for case in CASES)
    assert wrong == []
    assert accepted >= 0.8 * positives, f"{accepted} of {positives}"


@pytest.mark.parametrize("case", [c for c in CASES if c.expected == "unparseable"], ids=lambda case: case.id)
def test_words_that_are_meant_and_cannot_be_read_are_shown(case: Case) -> None:
    found = outcome(asked_of(case), oracle(case, field_of(case.field)))
    assert found is not None
    assert found.status == "unparseable"
    assert found.why
    assert all(span.text == case.text[span.start : span.end] for span in found.spans)


@pytest.mark.parametrize(
    "decider",
    [always_yes, yes_to_everything, always_no, *(noise(seed) for seed in range(10))],
    ids=lambda decider: getattr(decider, "__name__", ""),
)
def test_a_hostile_decider_gets_no_value_that_is_not_in_the_text(decider: Decider) -> None:
    for case in CASES:
        asked = asked_of(case)
        found = outcome(asked, decider)
        if found is None or found.value is None:
            continue
        (span,) = found.spans
        assert span.text == case.text[span.start : span.end]
        readings = [c.value for _, candidates in asked.candidates for c in candidates if c.span == span]
        assert readings == [found.value]


def test_with_always_yes_ambiguity_is_refused() -> None:
    seen = 0
    for case in CASES:
        asked = asked_of(case)
        if asked.candidates and len(asked.candidates[0][1]) > 1:
            seen += 1
            found = outcome(asked, always_yes)
            assert found is not None
            assert found.status == "unclear"
    assert seen >= 5


def test_always_no_and_yes_to_everything_accept_nothing() -> None:
    for case in CASES:
        asked = asked_of(case)
        for decider in (always_no, yes_to_everything):
            found = outcome(asked, decider)
            assert found is None or found.value is None
