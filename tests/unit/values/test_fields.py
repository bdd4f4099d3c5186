"""The file of fields and the questions made from it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.values import FieldSet, FieldsProblem, Thresholds, ask, parse_fields, probability
from tests.unit.values.helpers import CHICAGO, NOW, ROOT, always_yes, example

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda more: st.lists(more) | st.dictionaries(st.text(), more),
    max_leaves=20,
)


def file(**changes: Any) -> str:
    """A small valid file with one field; a change of None takes a key of the field away."""
    field: dict[str, Any] = {
        "kind": "money",
        "question": "Is “{span}” ({reading}) it?",
        "guards": {"old": "Is “{span}” old?"},
        **changes,
    }
    return json.dumps(
        {"version": 1, "fields": {"price": {key: one for key, one in field.items() if one is not None}}}
    )


def test_the_example_ships_six_fields_with_the_thresholds_of_their_origin_uncalibrated() -> None:
    fields = {field.name: field.thresholds for field in example().fields}
    assert fields == {
        "deadline": Thresholds(0.60, 0.20, 0.40),
        "amount": Thresholds(0.60, 0.20, 0.40),
        "next_meeting": Thresholds(0.60, 0.20, 0.40),
        "arrival_time": Thresholds(0.60, 0.30, 0.40),
        "trailer_temperature": Thresholds(0.60, 0.30, 0.40),
        "seal_number": Thresholds(0.60, 0.20, 0.40),
    }
    assert not any(limits.calibrated for limits in fields.values())


def test_thresholds_have_defaults() -> None:
    fields = parse_fields(file())
    assert isinstance(fields, FieldSet)
    assert fields.fields[0].thresholds == Thresholds(0.60, 0.20, 0.40, calibrated=False)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "JSON"),
        ("[" * 100_000, "JSON"),
        ("[]", "the file"),
        ('{"version": 2, "fields": {}}', "version"),
        ('{"version": 1}', "fields"),
        ('{"version": 1, "fields": {}}', "fields"),
        ('{"version": 1, "fields": {"a.b": {}}}', "fields.a.b"),
        ('{"version": 1, "version": 1, "fields": {}}', "version"),
        ('{"version": 1, "fields": {"x": []}}', "fields.x"),
        (file(kind="colour"), "fields.price.kind"),
        (file(kind=["money"]), "fields.price.kind"),
        (file(question=None), "fields.price.question"),
        (file(question="Is it?"), "fields.price.question"),
        (file(question="{span} {reading} {secret}"), "fields.price.question"),
        (file(guards=None), "fields.price.guards"),
        (file(guards={}), "fields.price.guards"),
        (file(guards={"a.b": "{span}?"}), "fields.price.guards.a.b"),
        (file(guards={"old": "Is it old?"}), "fields.price.guards.old"),
        (file(scale="F"), "fields.price.scale"),
        (file(kind="temperature", scale="K"), "fields.price.scale"),
        (file(kind="identifier", digits=True), "fields.price.digits"),
        (file(kind="identifier", labels="seal"), "fields.price.labels"),
        (file(kind="quantity", units={"crate": 1}), "fields.price.units"),
        (file(thresholds={"present": 1.5}), "fields.price.thresholds.present"),
        (file(thresholds={"guard": True}), "fields.price.thresholds.guard"),
        (file(thresholds={"guard": float("nan")}), "fields.price.thresholds.guard"),
        (file(thresholds={"rejected": 0.7}), "fields.price.thresholds.rejected"),
        (file(thresholds={"guards": 0.2}), "fields.price.thresholds.guards"),
        (file(thresholds={"calibrated": 1}), "fields.price.thresholds.calibrated"),
        (file(gaurds={}), "fields.price.gaurds"),
    ],
)
def test_a_file_that_cannot_be_used_names_the_place(text: str, place: str) -> None:
    problem = parse_fields(text)
    assert isinstance(problem, FieldsProblem)
    assert place in problem.reason


@settings(deadline=None, max_examples=100)
@given(JSON)
def test_nothing_in_a_file_raises(content: object) -> None:
    parse_fields(json.dumps(content))
    parse_fields(json.dumps({"version": 1, "fields": content}))
    parse_fields(json.dumps({"version": 1, "fields": {"x": content}}))


def test_new_thresholds_change_nothing_else() -> None:
    fields = example()
    text = fields.with_thresholds({"amount": Thresholds(0.7, 0.35, 0.4, calibrated=True)})
    again = parse_fields(text)
    assert isinstance(again, FieldSet)
    assert again.named("amount").thresholds == Thresholds(0.7, 0.35, 0.4, calibrated=True)  # type: ignore[union-attr]
    before, after = json.loads((ROOT / "values.example.json").read_text("utf-8")), json.loads(text)
    del before["fields"]["amount"]["thresholds"], after["fields"]["amount"]["thresholds"]
    assert before == after


def test_only_fields_with_candidates_are_asked_one_row_for_each_candidate_and_guard() -> None:
    asked = ask(example(), "We pay $50 or rather $60.", now=NOW, zone=CHICAGO)
    assert [field.name for field, _ in asked.candidates] == ["amount"]
    guards = ("hedge", "other", "past", "asked", "denied")
    assert list(asked.questions) == [
        name for n in (1, 2) for name in (f"amount.{n}", *(f"amount.{n}.{guard}" for guard in guards))
    ]


def test_nothing_is_asked_about_a_text_without_candidates_or_with_too_many() -> None:
    assert ask(example(), "Nobody said anything.", now=NOW, zone=CHICAGO).questions == {}
    asked = ask(example(), "$1, then $2, then $3, then $4", now=NOW, zone=CHICAGO)
    assert asked.questions == {}
    assert [(outcome.field, outcome.status) for outcome in asked.settled] == [("amount", "unparseable")]


def test_words_that_are_not_read_are_asked_about_as_such() -> None:
    asked = ask(example(), "done by Friday", now=NOW, zone=CHICAGO)
    assert "“Friday” (not read as one exact value)" in asked.questions["deadline.1"]["instructions"]


def test_a_place_inside_the_quoted_words_is_not_filled() -> None:
    fields = parse_fields(file(question="{span} {reading} {span}"))
    assert isinstance(fields, FieldSet)
    asked = ask(fields, "{reading} $5 {span}", now=NOW, zone=CHICAGO)
    assert asked.questions["price.1"]["instructions"] == "$5 read as $5 $5"


def test_the_options_swap_their_order_and_nothing_else() -> None:
    plain = ask(example(), "$50", now=NOW, zone=CHICAGO).questions
    swapped = ask(example(), "$50", now=NOW, zone=CHICAGO, swapped=True).questions
    assert plain == swapped
    assert list(plain["amount.1"]["criteria"]) == ["yes", "no"]
    assert list(swapped["amount.1"]["criteria"]) == ["no", "yes"]


@pytest.mark.parametrize(
    ("answer", "chance"),
    [
        ({"probabilities": {"yes": 0.7, "no": 0.3}}, 0.7),
        ({"noul": 0.2}, 0.2),
        ({"probabilities": {"yes": float("nan")}}, None),
        ({"probabilities": {"yes": 1.2}}, None),
        ({"probabilities": {"yes": True}}, None),
        ({"probabilities": {"no": 0.3}}, None),
        ({}, None),
    ],
)
def test_the_probability_of_yes_is_taken_out_of_an_answer(
    answer: dict[str, Any], chance: float | None
) -> None:
    assert probability(answer) == chance


def test_the_text_of_a_value_is_for_people_and_for_programs() -> None:
    asked = ask(example(), "due at noon", now=NOW, zone=CHICAGO)
    values = {str(c.value) for _, found in asked.candidates for c in found}
    plains = {c.value.plain for _, found in asked.candidates for c in found if c.value}
    assert values == {"Thu Oct 8, 12:00 PM CDT"}
    assert plains == {"2026-10-08T12:00:00-05:00"}
    assert always_yes(asked)
