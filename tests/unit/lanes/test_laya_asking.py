"""The probes, the twins, and where the model runs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest

from stt_daemon.lanes.laya import LayaJob
from stt_daemon.lanes.laya_asking import AskingEngine, LayaModel
from stt_daemon.lanes.laya_checks import PROBES
from stt_daemon.messages import Warned
from tests.fakes.laya import FakeLayaModel, answer_of

QUESTIONS = {
    "blocker": {"type": "noul", "instructions": "x"},
    "status": {"type": "choice", "instructions": "x", "criteria": {"made": "a", "open": "b", "none": ""}},
    "who": {"type": "choice", "instructions": "x", "criteria": ["us", "them"]},
    "risk": {"type": "score", "instructions": "x", "criteria": ["low", "high"]},
}


class Room:
    """An engine whose models come from `models`, one for each time it is opened."""

    def __init__(self, *models: LayaModel | Exception, device: str = "cpu") -> None:
        self._models = list(models)
        self.opened: list[str] = []
        self.notices: list[Warned] = []
        self.engine = AskingEngine(self._open, device, on_notice=self.notices.append)

    def _open(self, device: str) -> LayaModel:
        self.opened.append(device)
        model = self._models.pop(0)
        if isinstance(model, Exception):
            raise model
        return model

    @property
    def codes(self) -> list[str]:
        return [notice.code for notice in self.notices]


def job(language: str = "en") -> LayaJob:
    return LayaJob(("- we ship", "- on Friday"), QUESTIONS, language, 1)


def probes_say(first: float, second: float) -> FakeLayaModel:
    said = dict(zip(PROBES, (first, second), strict=True))

    def answer(qid: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        return {"noul": said[qid]} if qid in said else answer_of(qid, asked)

    return FakeLayaModel(answer=answer)


def always_the_first_option(qid: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    answer = answer_of(qid, asked)
    return {**answer, "choice": next(iter(asked["criteria"]))} if asked["type"] == "choice" else answer


def test_the_warm_up_is_one_call_with_a_pair_of_opposite_statements() -> None:
    model = FakeLayaModel()
    room = Room(model)
    (call,) = model.calls
    assert call["questions"] == PROBES
    assert room.engine.trouble == ""
    assert room.notices == []


@pytest.mark.parametrize(("first", "second"), [(1.0, 1.0), (0.995, 0.99), (0.0, 0.0), (math.nan, 0.2)])
def test_a_checkpoint_that_answers_opposites_alike_is_suspect_and_classifies_all_the_same(
    first: float, second: float
) -> None:
    room = Room(probes_say(first, second))
    assert room.codes == ["suspect"]
    assert "suspect" in room.engine.trouble
    assert set(room.engine.answer(job()).answers) == set(QUESTIONS)
    assert room.codes == ["suspect"]


@pytest.mark.parametrize(("first", "second"), [(1.0, 0.0), (0.0, 1.0), (0.9, 0.9), (0.5, 0.5), (1.0, 0.9)])
def test_a_checkpoint_that_is_wrong_or_unsure_is_not_suspect(first: float, second: float) -> None:
    assert Room(probes_say(first, second)).notices == []


def test_each_choice_is_asked_again_in_reverse_in_the_same_call() -> None:
    model = FakeLayaModel()
    room = Room(model)
    answers = room.engine.answer(job("de"))
    assert len(model.calls) == 2
    asked = model.calls[1]["questions"]
    assert [list(asked)[n] for n in range(4)] == list(QUESTIONS)
    turned = [definition for qid, definition in asked.items() if qid not in QUESTIONS]
    assert [list(definition["criteria"]) for definition in turned] == [
        ["none", "open", "made"],
        ["them", "us"],
    ]
    assert turned[0]["criteria"] == QUESTIONS["status"]["criteria"]
    assert model.calls[1]["lang"] == "de"
    assert answers.request == model.calls[1]
    assert answers.unsure == ()


def test_the_twins_show_neither_in_the_answers_nor_in_the_tokens() -> None:
    answers = Room(FakeLayaModel()).engine.answer(job())
    assert list(answers.answers) == list(QUESTIONS)
    assert answers.input_tokens == 4 * (10 + 6)
    assert answers.response["usage"]["input_tokens"] == 6 * (10 + 6)
    assert answers.state == "- we ship\n- on Friday"


def test_a_choice_that_follows_the_order_of_its_options_is_unsure() -> None:
    answers = Room(FakeLayaModel(answer=always_the_first_option)).engine.answer(job())
    assert answers.unsure == ("status", "who")
    assert answers.answers["status"]["choice"] == "made"


def test_a_question_may_be_called_like_a_twin() -> None:
    questions = {"a": QUESTIONS["who"], "a (reversed)": QUESTIONS["blocker"]}
    model = FakeLayaModel()
    answers = Room(model).engine.answer(LayaJob(("- x",), questions, "", 1))
    assert len(model.calls[1]["questions"]) == 3
    assert answers.answers["a (reversed)"]["type"] == "noul"
    assert answers.unsure == ()


def test_the_verdict_on_acting_is_nowhere_and_what_is_no_number_is_none() -> None:
    def answer(qid: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        return {**answer_of(qid, asked), "answer_confidence": math.nan, "probabilities": {"a": math.inf}}

    answers = Room(FakeLayaModel(answer=answer)).engine.answer(job())
    text = json.dumps([answers.answers, answers.request, answers.response], allow_nan=False)
    assert "act_probability" not in text
    assert answers.answers["blocker"]["answer_confidence"] is None


def test_a_question_and_an_option_may_be_called_action() -> None:
    questions = {"action": {"type": "choice", "instructions": "x", "criteria": ["action", "none"]}}
    answers = Room(FakeLayaModel()).engine.answer(LayaJob(("- x",), questions, "", 1))
    assert answers.answers["action"]["choice"] == "action"


def test_a_device_that_fails_at_work_is_left_for_the_processor_and_the_job_is_answered() -> None:
    on_gpu = FakeLayaModel("xpu")
    room = Room(on_gpu, FakeLayaModel("cpu"), device="xpu")
    on_gpu.failures.append(RuntimeError("User specified an unsupported autocast device_type\nxpu"))
    assert set(room.engine.answer(job()).answers) == set(QUESTIONS)
    assert room.opened == ["xpu", "cpu"]
    assert room.codes == ["cpu"]
    assert "instead of xpu" in room.engine.trouble
    assert "unsupported autocast" in room.engine.trouble
    assert room.engine.trouble.isprintable()
    room.engine.answer(job())
    assert room.codes == ["cpu"]


@pytest.mark.parametrize("failure", [RuntimeError("no kernel image"), AssertionError("Invalid device id")])
def test_a_device_the_model_cannot_be_loaded_on_is_left_for_the_processor(failure: Exception) -> None:
    room = Room(failure, FakeLayaModel("cpu"), device="cuda:7")
    assert room.opened == ["cuda:7", "cpu"]
    assert str(failure) in room.engine.trouble
    assert room.codes == ["cpu"]


def test_a_checkpoint_that_cannot_be_loaded_anywhere_is_no_matter_of_the_device() -> None:
    notices: list[Warned] = []

    def fail(device: str) -> LayaModel:
        raise RuntimeError(f"size mismatch, on {device}")

    with pytest.raises(RuntimeError, match="on cpu"):
        AskingEngine(fail, "cuda", on_notice=notices.append)
    assert notices == []


def test_a_model_that_moves_by_itself_is_told() -> None:
    room = Room(FakeLayaModel("cuda", moves_to="cpu"), device="")
    assert room.engine.trouble == "Laya runs on the processor instead of cuda: no memory left"
    assert room.codes == ["cpu"]


def test_a_model_that_did_not_get_the_device_it_was_meant_for_is_told() -> None:
    assert Room(FakeLayaModel("cpu", remark="CUDA requested but not available"), device="cuda").codes == [
        "cpu"
    ]
    assert Room(FakeLayaModel("cpu", remark="could not place the model"), device="").codes == ["cpu"]


@pytest.mark.parametrize("device", ["", "cpu"])
def test_the_processor_is_no_trouble_where_nothing_else_was_meant(device: str) -> None:
    assert Room(FakeLayaModel("cpu"), device=device).notices == []


def test_a_failure_on_the_processor_fails_the_job_alone_and_is_told_until_the_next_answer() -> None:
    model = FakeLayaModel()
    room = Room(model)
    model.failures.append(RuntimeError("a\nb"))
    with pytest.raises(RuntimeError):
        room.engine.answer(job())
    assert room.engine.trouble == "the last classification failed: RuntimeError: a b"
    room.engine.answer(job())
    assert room.engine.trouble == ""
    assert room.opened == ["cpu"]


def test_an_answer_without_a_number_or_without_anything_does_not_fail() -> None:
    answers = Room(FakeLayaModel(answer=lambda _qid, _asked: {})).engine.answer(job())
    assert answers.answers == {qid: {} for qid in QUESTIONS}
