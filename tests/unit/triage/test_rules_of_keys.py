"""Each key of `[triage]` and `[brief]`: its default, and a test named after it that shows what it does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.apps.assistant.triage import NoTriage, build_desk
from stt_daemon.config import Config
from stt_daemon.lanes.laya import Classifying
from stt_daemon.messages import FactChanged
from stt_daemon.triage.questions import QuestionsProblem
from stt_daemon.wiring import laya as laya_wiring
from stt_daemon.wiring.laya import build_laya_lane
from stt_daemon.wiring.triage import build_brief_engine, configured_questions
from tests.fakes.clock import FakeClock
from tests.fakes.triage import TriageRig, answers, brief_reply

DEFAULTS: dict[str, object] = {
    "enabled": False,
    "questions_file": "questions.json",
    "window": 500,
    "state_char_budget": 3000,
    "periodic_s": 30.0,
    "predict_max_tokens": 1024,
    "confidence_field": "answer_confidence",
    "escalate_threshold": 0.6,
    "choice_min_confidence": 0.85,
    "extract_enabled": True,
    "extract_max_tokens": 3072,
    "extract_timeout_s": 30.0,
    "extract_temperature": 0.2,
    "brief_slot_id": None,
    "brief_gate_enabled": True,
    "brief_gate_threshold": 0.5,
    "brief_max_chars": 4000,
    "brief_pending_char_budget": 3000,
    "ledger_max_facts": 200,
    "fact_max_chars": 240,
    "device": "",
    "preload": ("multilingual",),
    "default_checkpoint": "multilingual",
    "dump_io": False,
    "checkpoint_dir": "",
}


@pytest.mark.parametrize("key", DEFAULTS)
def test_the_default_of(key: str) -> None:
    assert getattr(Config().triage, key) == DEFAULTS[key]


def test_every_key_has_its_row_and_its_test() -> None:
    keys = set(type(Config().triage).model_fields)
    assert keys == set(DEFAULTS)
    untested = [key for key in keys if not any(name.startswith(f"test_{key}_") for name in globals())]
    assert untested == []


def config(**keys: Any) -> Config:
    return Config.model_validate({"triage": keys})


def loaded_with(monkeypatch: pytest.MonkeyPatch, *, offline: bool = True, **keys: Any) -> dict[str, Any]:
    """What the lane's engine is made from."""
    made: list[dict[str, Any]] = []

    class Engine:
        trouble = ""

        def answer(self, job: object) -> object:
            raise AssertionError("nothing is asked")

    def load_laya(**arguments: Any) -> Classifying:
        made.append(arguments)
        return Engine()  # type: ignore[return-value]

    monkeypatch.setattr(laya_wiring, "load_laya", load_laya)
    lane = build_laya_lane(
        config(**keys),
        offline=offline,
        on_outcome=lambda _: None,
        post=lambda _: None,
        clock=FakeClock(),
    )
    assert made == [], "nothing is loaded before the start"
    lane.start()
    lane.stop(drain=True)
    assert lane.join(10)
    (arguments,) = made
    return arguments


def test_enabled_false_means_no_lane_no_questions_and_nothing_to_clear() -> None:
    def never(*_: object, **__: object) -> Any:
        raise AssertionError("no part of it may be used")

    desk = build_desk(
        Config(),
        never,  # type: ignore[arg-type]
        inference=never,  # type: ignore[arg-type]
        modes=never,  # type: ignore[arg-type]
        archive=never,  # type: ignore[arg-type]
        publish=never,
        post=never,
        clock=FakeClock(),
        offline=True,
    )
    assert type(desk) is NoTriage
    desk.start()
    assert desk.clear() == "there are no signals and no brief to clear"


def test_questions_file_is_looked_for_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    missing = configured_questions(config())
    assert isinstance(missing, QuestionsProblem)
    assert "questions.json" in missing.reason
    (tmp_path / "mine.json").write_text('{"q": {"type": "noul", "instructions": "Is it?"}}', "utf-8")
    assert not isinstance(configured_questions(config(questions_file="mine.json")), QuestionsProblem)


def test_window_is_how_many_entries_a_classification_may_see() -> None:
    rig = TriageRig(window=3, periodic_s=0)
    rig.turn(*"abcdef")
    assert rig.passes[0].lines == ("- d", "- e", "- f")


def test_state_char_budget_is_the_limit_of_the_condensed_state() -> None:
    rig = TriageRig(state_char_budget=100, periodic_s=0)
    rig.turn(*["some words and more of them"] * 20)
    assert 60 < len("\n".join(rig.passes[0].lines)) <= 100


def test_periodic_s_is_the_cadence_while_speech_accumulates() -> None:
    rig = TriageRig(periodic_s=5)
    rig.says("One.", t0=0.0)
    rig.service.time_passed(7.0)
    assert len(rig.passes) == 1


def test_predict_max_tokens_reaches_the_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded_with(monkeypatch, predict_max_tokens=512)["max_tokens"] == 512


@pytest.mark.parametrize(("name", "flagged"), [("answer_confidence", False), ("confidence", True)])
def test_confidence_field_is_what_the_mark_goes_by(name: str, flagged: bool) -> None:
    rig = TriageRig(confidence_field=name)
    rig.turn("One.")
    said = {"choice": "made", "answer_confidence": 0.9, "confidence": 0.2}
    rig.classified(answers(decision_status=said))
    item = next(item for item in rig.stage("signals")[0].items if item["qid"] == "decision_status")
    assert item["flagged"] == flagged
    assert item["confidence"] == said[name]


def test_escalate_threshold_marks_a_noul_at_or_above_it_and_nothing_else() -> None:
    rig = TriageRig(escalate_threshold=0.3)
    rig.turn("One.")
    job = rig.classified(answers(blocker=0.3, opportunity=0.29, substantive_update=0.1))
    flags = {item["qid"]: item["flagged"] for item in rig.stage("signals")[0].items}
    assert (flags["blocker"], flags["opportunity"]) == (True, False)
    assert job is None, "the gate has a threshold of its own"


def test_choice_min_confidence_marks_a_choice_below_it() -> None:
    rig = TriageRig(choice_min_confidence=0.95)
    rig.turn("One.")
    rig.classified(answers(decision_status={"choice": "made", "answer_confidence": 0.94}))
    flags = {item["qid"]: item["flagged"] for item in rig.stage("signals")[0].items}
    assert flags["decision_status"]


def test_extract_enabled_false_classifies_and_asks_for_no_brief() -> None:
    rig = TriageRig(extract_enabled=False)
    rig.turn("The launch is on Friday.")
    assert rig.classified() is None
    assert len(rig.stage("signals")) == 1
    assert rig.coverage.pending == 0


def test_extract_max_tokens_and_its_companions_bound_the_request() -> None:
    rig = TriageRig(extract_max_tokens=512, extract_timeout_s=600.0, extract_temperature=0.5, brief_slot_id=1)
    request = rig.brief("One.").request
    assert (request.max_tokens, request.timeout_s, request.temperature) == (512, 600.0, 0.5)
    assert request.slot_id == 1


test_extract_timeout_s_is_the_time_of_a_request = test_extract_max_tokens_and_its_companions_bound_the_request
test_extract_temperature_is_that_of_the_request = test_extract_max_tokens_and_its_companions_bound_the_request


def test_brief_slot_id_is_left_out_when_unset() -> None:
    assert TriageRig().brief("One.").request.slot_id is None


def test_brief_gate_enabled_false_lets_everything_through() -> None:
    rig = TriageRig(brief_gate_enabled=False)
    rig.turn("One.")
    assert rig.classified(answers(substantive_update=0.0)) is not None


def test_brief_gate_threshold_runs_the_update_at_or_above_it() -> None:
    for p, runs in ((0.7, True), (0.69, False)):
        rig = TriageRig(brief_gate_threshold=0.7)
        rig.turn("One.")
        assert (rig.classified(answers(substantive_update=p)) is not None) == runs


def test_brief_max_chars_cuts_what_is_shown_and_not_what_is_kept() -> None:
    rig = TriageRig(brief_max_chars=100)
    rig.brief("One.")
    rig.reply(brief_reply(narrative="\n".join(f"- Point number {n} of many points." for n in range(9))))
    shown, kept = rig.stage("content")[0].brief, rig.snapshots[0]
    assert len(shown) <= 100
    assert len(kept) > 100
    assert kept.startswith(shown[:-1])


def test_brief_pending_char_budget_bounds_what_waits() -> None:
    rig = TriageRig(brief_pending_char_budget=100, periodic_s=0)
    rig.turn(*["twenty characters ok"] * 9)
    job = rig.classified()
    assert job is not None
    assert len(rig.read(job)) == 3


def test_ledger_max_facts_evicts_the_oldest() -> None:
    rig = TriageRig(ledger_max_facts=1)
    rig.brief("Anna leaves.", "Bob pays 40 thousand.")
    rig.reply(brief_reply("Anna leaves [u1]", "Bob pays 40 thousand [u2]"))
    assert [fact.op for fact in rig.of(FactChanged)] == ["add", "add", "evict"]


def test_fact_max_chars_shortens_a_long_fact() -> None:
    rig = TriageRig(fact_max_chars=40)
    rig.brief("Anna leaves.")
    rig.reply(brief_reply("Anna leaves " + "very " * 40 + "soon [u1]"))
    assert len(rig.facts[0]) <= 40


@pytest.mark.parametrize("device", ["", "cuda:1"])
def test_device_is_passed_through(monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    assert loaded_with(monkeypatch, device=device)["device"] == device


def test_preload_and_default_checkpoint_are_the_multilingual_one_and_no_other() -> None:
    from pydantic import ValidationError

    for key, value in (("default_checkpoint", "english"), ("preload", ["english"])):
        with pytest.raises(ValidationError):
            config(**{key: value})


test_default_checkpoint_is_pinned = test_preload_and_default_checkpoint_are_the_multilingual_one_and_no_other


def test_checkpoint_dir_is_where_the_checkpoint_is_read_from(monkeypatch: pytest.MonkeyPatch) -> None:
    made = loaded_with(monkeypatch, checkpoint_dir="/somewhere", offline=False)
    assert (made["checkpoint_dir"], made["offline"]) == ("/somewhere", False)


def test_dump_io_off_by_default_is_told_in_the_core_tests() -> None:
    assert json.loads(json.dumps(Config().to_wire()))["triage"]["dump_io"] is False


def test_the_prompt_is_the_configured_one() -> None:
    assert TriageRig(prompt="Mine.").brief("One.").request.messages[0].content == "Mine."


def test_the_compaction_prompt_of_the_brief_is_used_by_nothing() -> None:
    keys = {"triage_system_prompt": "Mine.", "brief_compaction_system_prompt": "CONDENSE"}
    request = build_brief_engine(Config.model_validate({"llm": keys})).request([])
    assert "CONDENSE" not in str(request.messages)
