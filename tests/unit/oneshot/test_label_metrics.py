from __future__ import annotations

import random
from typing import Any

import pytest

from stt_daemon.apps.oneshot.label_metrics import Judged, calibration_error, measure, read_labels


def noul(p: float | None, *, flagged: bool | None = None, qid: str = "blocker") -> dict[str, Any]:
    mark = p is None or p >= 0.6 if flagged is None else flagged
    return {"qid": qid, "type": "noul", "flagged": mark, "confidence": 0.9, "p": p}


def choice(selected: str, confidence: float) -> dict[str, Any]:
    return {
        "qid": "status",
        "type": "choice",
        "flagged": confidence < 0.85,
        "confidence": confidence,
        "selected": selected,
    }


def judged(*items: dict[str, Any]) -> list[Judged]:
    """One classification an utterance."""
    return [Judged((f"u{number}",), (item,)) for number, item in enumerate(items, 1)]


def test_the_figures_of_a_yes_or_no_question() -> None:
    answers = judged(noul(0.9), noul(0.8), noul(0.2), noul(0.1))
    labels = {"u1": {"blocker": True}, "u2": {"blocker": False}, "u3": {"blocker": True}}
    figures = measure(answers, labels, hours=0.5)["questions"]["blocker"]
    assert (figures["precision"], figures["recall"]) == (0.5, 0.5)
    assert figures["false_alerts_per_hour"] == 2.0
    assert figures["brier"] == pytest.approx((0.01 + 0.64 + 0.64 + 0.01) / 4)
    assert figures["samples"] == 4


def test_a_label_is_looked_for_in_the_classification_that_first_saw_its_utterance() -> None:
    answers = [Judged(("u1", "u2"), (noul(0.9),)), Judged(("u3",), (noul(0.1),))]
    figures = measure(answers, {"u2": {"blocker": True}}, hours=1)["questions"]["blocker"]
    assert (figures["precision"], figures["recall"]) == (1.0, 1.0)


def test_an_unreadable_answer_counts_as_a_mark_and_not_as_a_probability() -> None:
    figures = measure(judged(noul(None)), {"u1": {"blocker": True}}, hours=1)["questions"]["blocker"]
    assert figures["recall"] == 1.0
    assert figures["brier"] is None
    assert figures["calibration_error"] is None


def test_a_choice_is_measured_where_it_is_labelled() -> None:
    answers = judged(choice("made", 0.9), choice("made", 0.5), choice("open", 0.5))
    labels = {"u1": {"status": "made"}, "u2": {"status": "open"}}
    figures = measure(answers, labels, hours=1)["questions"]["status"]
    assert figures["samples"] == 2
    assert (figures["precision"], figures["recall"]) == (1.0, 1.0)
    assert figures["brier"] == pytest.approx((0.01 + 0.25) / 2)


def test_unlabelled_questions_have_no_figures() -> None:
    assert measure(judged(noul(0.9)), {"u1": {"other": True}}, hours=1)["questions"] == {}


def test_calibration_error_by_hand() -> None:
    # Bin 0.2 to 0.3: said 0.25 twice, none held. Bin 0.9 to 1: said 0.9 and 1.0, one held.
    sure = [(0.25, False), (0.25, False), (0.9, True), (1.0, False)]
    assert calibration_error(sure) == pytest.approx((0.5 + 0.9) / 4)
    assert calibration_error([]) is None


@pytest.mark.parametrize("seed", range(20))
def test_the_thresholds_are_those_of_an_exhaustive_search(seed: int) -> None:
    chance = random.Random(seed)
    values = [round(chance.random(), 1) for _ in range(30)]
    truth = [chance.random() < value for value in values]
    answers = judged(*(noul(value) for value in values))
    labels = {f"u{number}": {"blocker": held} for number, held in enumerate(truth, 1)}
    best = measure(answers, labels, hours=1)["thresholds"]["escalate_threshold"]

    def f1(limit: float) -> float:
        hits = sum(held for value, held in zip(values, truth, strict=True) if value >= limit)
        return 2 * hits / (sum(value >= limit for value in values) + sum(truth))

    assert best["f1"] == pytest.approx(max(f1(limit) for limit in values), abs=1e-4)
    assert f1(best["value"]) == pytest.approx(best["f1"], abs=1e-4)


def test_the_threshold_of_choices_marks_what_lies_below_it() -> None:
    answers = judged(choice("made", 0.9), choice("made", 0.7), choice("made", 0.4))
    labels = {"u1": {"status": "made"}, "u2": {"status": "open"}, "u3": {"status": "open"}}
    best = measure(answers, labels, hours=1)["thresholds"]["choice_min_confidence"]
    assert best == {"value": 0.9, "f1": 1.0}


def test_the_gate_has_a_threshold_of_its_own() -> None:
    answers = judged(noul(0.7, qid="substantive_update"), noul(0.3, qid="substantive_update"))
    labels = {"u1": {"substantive_update": True}}
    assert measure(answers, labels, hours=1)["thresholds"]["brief_gate_threshold"] == {
        "value": 0.7,
        "f1": 1.0,
    }


@pytest.mark.parametrize(
    "body", [{}, [1], [{"labels": {}}], [{"utterance": "u1"}], [{"utterance": "u1", "labels": []}]]
)
def test_what_is_no_file_of_labels_is_refused(body: Any) -> None:
    with pytest.raises(ValueError, match=r"must be|entry 1"):
        read_labels(body)


def test_labels_of_one_utterance_may_stand_in_several_entries() -> None:
    body = [{"utterance": "u1", "labels": {"a": True}}, {"utterance": "u1", "labels": {"b": False}}]
    assert read_labels(body) == {"u1": {"a": True, "b": False}}
