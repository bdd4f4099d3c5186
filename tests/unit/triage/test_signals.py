"""Answers become items; the three arms, and whatever is unsure, flag them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.triage.questions import Question
from stt_daemon.triage.signals import Signals, read_signals

NOUL = Question("blocker", "noul", "x")
CHOICE = Question("status", "choice", "x", ("made", "open"), ("", ""))
ONLY = Question("one", "choice", "x", ("yes",), ("",))
SCORE = Question("risk", "score", "x", ("low", "middle", "high"), ("", "", ""))


def signals(question: Question, answer: Any, **settings: Any) -> Signals:
    chosen = {
        "confidence_field": "answer_confidence",
        "escalate_threshold": 0.6,
        "choice_min_confidence": 0.85,
        "input_tokens": 7,
        **settings,
    }
    return read_signals([question], {question.qid: answer}, **chosen)


def noul(p: Any, confidence: Any = 0.9) -> dict[str, Any]:
    return {"type": "noul", "noul": p, "confidence": 0.5, "answer_confidence": confidence}


def choice(label: Any, confidence: Any = 0.9) -> dict[str, Any]:
    return {"type": "choice", "choice": label, "confidence": 0.5, "answer_confidence": confidence}


def score(expected: Any, confidence: Any = 0.9) -> dict[str, Any]:
    return {"type": "score", "score": expected, "confidence": 0.5, "answer_confidence": confidence}


@pytest.mark.parametrize(("p", "flagged"), [(0.59, False), (0.6, True), (1.0, True), (0.0, False)])
def test_a_noul_is_flagged_from_the_threshold_on(p: float, flagged: bool) -> None:
    found = signals(NOUL, noul(p))
    assert found.items == ({"qid": "blocker", "type": "noul", "flagged": flagged, "confidence": 0.9, "p": p},)
    assert found.escalated is flagged
    assert found.p("blocker") == p


@pytest.mark.parametrize(("confidence", "flagged"), [(0.849, True), (0.85, False), (1.0, False)])
def test_a_choice_is_flagged_below_its_least_confidence(confidence: float, flagged: bool) -> None:
    found = signals(CHOICE, choice("made", confidence))
    assert found.items == (
        {"qid": "status", "type": "choice", "flagged": flagged, "confidence": confidence, "selected": "made"},
    )


@pytest.mark.parametrize(
    ("expected", "level", "label", "flagged"),
    [
        (0.0, 0, "low", False),
        (0.49, 0, "low", False),
        (0.5, 1, "middle", False),
        (0.99, 1, "middle", False),
        (1.0, 1, "middle", True),
        (1.5, 2, "high", True),
        (7.0, 2, "high", True),
        (-1.0, 0, "low", False),
    ],
)
def test_a_score_is_flagged_from_half_of_its_levels_on(
    expected: float, level: int, label: str, flagged: bool
) -> None:
    (item,) = signals(SCORE, score(expected)).items
    assert (item["expected"], item["level"], item["label"]) == (expected, level, label)
    assert item["flagged"] is flagged


def test_the_confidence_field_chooses_which_confidence_gates() -> None:
    (item,) = signals(CHOICE, choice("made", 0.9), confidence_field="confidence").items
    assert item["confidence"] == 0.5
    assert item["flagged"]


def test_a_choice_of_one_is_answered_without_being_asked() -> None:
    (item,) = signals(ONLY, None).items
    assert item == {"qid": "one", "type": "choice", "flagged": False, "confidence": 1.0, "selected": "yes"}


def test_a_choice_that_changed_with_the_order_of_its_options_is_flagged() -> None:
    (item,) = signals(CHOICE, choice("made", 1.0), unsure=("status",)).items
    assert (item["selected"], item["flagged"]) == ("made", True)


@pytest.mark.parametrize("bad", [None, float("nan"), float("inf"), -0.1, 1.1, "0.9", True, [], {}])
@pytest.mark.parametrize(
    ("question", "answer"), [(NOUL, noul(0.1)), (CHOICE, choice("made")), (SCORE, score(0.0))]
)
def test_a_confidence_that_is_no_share_is_unsure(
    question: Question, answer: dict[str, Any], bad: Any
) -> None:
    (item,) = signals(question, {**answer, "answer_confidence": bad}).items
    assert item["flagged"]
    assert item["confidence"] is None


@pytest.mark.parametrize(
    ("question", "answer", "key"),
    [
        (NOUL, noul(float("nan")), "p"),
        (NOUL, noul(None), "p"),
        (NOUL, noul(2.0), "p"),
        (CHOICE, choice("unheard of"), "selected"),
        (CHOICE, choice(None), "selected"),
        (CHOICE, choice(["made"]), "selected"),
        (SCORE, score(float("nan")), "expected"),
        (SCORE, score("1"), "label"),
    ],
)
def test_an_answer_that_is_none_is_unsure(question: Question, answer: dict[str, Any], key: str) -> None:
    found = signals(question, answer)
    assert found.items[0]["flagged"]
    assert found.items[0][key] is None
    assert found.escalated


@pytest.mark.parametrize("question", [NOUL, CHOICE, SCORE])
@pytest.mark.parametrize("answer", [None, [], "text", {}])
def test_a_missing_answer_is_unsure(question: Question, answer: Any) -> None:
    assert signals(question, answer).items[0]["flagged"]


def test_items_come_in_the_order_of_the_questions_and_answers_to_nothing_are_ignored() -> None:
    found = read_signals(
        [SCORE, NOUL],
        {"other": noul(1.0), "blocker": noul(0.1), "risk": score(0.0)},
        confidence_field="answer_confidence",
        escalate_threshold=0.6,
        choice_min_confidence=0.85,
        input_tokens=9,
    )
    assert found.order == ("risk", "blocker")
    assert (found.escalated, found.input_tokens) == (False, 9)
    assert found.p("other") is None
    assert found.p("risk") is None


_ANY = st.none() | st.floats() | st.integers() | st.text(max_size=3) | st.booleans()


@given(
    st.sampled_from([NOUL, CHOICE, SCORE, ONLY]),
    st.dictionaries(st.sampled_from(["noul", "choice", "score", "confidence", "answer_confidence"]), _ANY),
)
def test_no_answer_raises_and_no_item_holds_what_json_does_not_know(
    question: Question, answer: dict[str, Any]
) -> None:
    (item,) = signals(question, answer).items
    for value in item.values():
        assert value is None or not isinstance(value, float) or value - value == 0
