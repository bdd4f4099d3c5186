"""The real package behind the lane, on a tiny checkpoint with random weights."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.errors import ModelError
from stt_daemon.lanes.laya import LayaAnswers, LayaJob, LayaLane, LayaOutcome
from stt_daemon.lanes.laya_engine import PackagedModel, load_laya
from stt_daemon.lanes.outcomes import Done
from stt_daemon.messages import LaneChanged, Warned
from stt_daemon.triage.questions import load_questions
from stt_daemon.triage.signals import read_signals
from tests.fakes.clock import FakeClock
from tests.fakes.tiny_laya import SPECIAL, make_checkpoint

laya = pytest.importorskip("laya", reason="the extra 'triage' is not installed")

WAIT_S = 60
REPOSITORY = Path(__file__).parents[2]
EVERYTHING: dict[str, Any] = {
    "blocker": {"type": "noul", "instructions": "Something is in the way."},
    "status": {"type": "choice", "instructions": "How far?", "criteria": {"made": "settled", "open": "not"}},
    "risk": {"type": "score", "instructions": "How risky?", "criteria": ["low", "middle", "high"]},
}


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("laya") / "multilingual")


@pytest.fixture(scope="session")
def model(checkpoint: Path) -> PackagedModel:
    return PackagedModel(checkpoint, "cpu", max_tokens=1024)


def classify(lines: tuple[str, ...], **settings: Any) -> tuple[LayaAnswers, list[LaneChanged], list[Warned]]:
    outcomes: queue.Queue[LayaOutcome] = queue.Queue()
    states: list[LaneChanged] = []
    notices: list[Warned] = []
    lane = LayaLane(
        partial(load_laya, offline=True, on_notice=notices.append, **settings),
        on_outcome=outcomes.put,
        on_state=states.append,
        clock=FakeClock(),
        niceness=0,
    )
    lane.start()
    lane.submit(LayaJob(lines, EVERYTHING, "de", 1))
    outcome = outcomes.get(timeout=WAIT_S)
    lane.stop(drain=True)
    assert lane.join(WAIT_S)
    assert isinstance(outcome, Done), outcome
    return outcome.result, states, notices


def test_the_lane_loads_warms_and_answers_every_type_of_question(checkpoint: Path) -> None:
    answers, states, notices = classify(("- Wir liefern am Freitag.",), checkpoint_dir=str(checkpoint.parent))
    assert notices == []
    assert next(state.state for state in states if state.state != "loading") in ("ready", "busy")
    assert all(state.reason == "" for state in states if state.state != "unavailable")
    assert {qid: answer["type"] for qid, answer in answers.answers.items()} == {
        "blocker": "noul",
        "status": "choice",
        "risk": "score",
    }
    assert answers.request["model"] == "multilingual"
    assert answers.request["lang"] == "de"
    assert answers.response["routing"]["model"] == "multilingual"
    text = json.dumps([answers.request, answers.response], allow_nan=False)
    assert "act_probability" not in text


def test_the_answers_are_those_of_the_package_and_the_tokens_those_of_the_questions(
    checkpoint: Path, model: PackagedModel
) -> None:
    answers, _, _ = classify(("- Wir liefern am Freitag.",), checkpoint_dir=str(checkpoint), device="cpu")
    alone = model.router.predict("- Wir liefern am Freitag.", EVERYTHING, model="multilingual")
    told = alone["answers"]
    assert answers.answers["blocker"]["noul"] == pytest.approx(told["blocker"]["noul"], abs=1e-3)
    assert answers.answers["risk"]["score"] == pytest.approx(told["risk"]["score"], abs=1e-3)
    assert answers.answers["status"]["probabilities"] == pytest.approx(
        told["status"]["probabilities"], abs=1e-3
    )
    assert answers.input_tokens == alone["usage"]["input_tokens"]


def test_the_example_questions_become_signals(checkpoint: Path, model: PackagedModel) -> None:
    questions = load_questions(REPOSITORY / "questions.example.json")
    assert questions is not None
    state, _ = model.fit(["- We ship on Friday."], questions.asked)
    response = model.predict(model.request(state, questions.asked, "en"))
    signals = read_signals(
        questions,
        response["answers"],
        confidence_field="answer_confidence",
        escalate_threshold=0.6,
        choice_min_confidence=0.85,
        input_tokens=response["usage"]["input_tokens"],
    )
    assert signals.order == questions.order
    assert all(item["confidence"] is not None for item in signals.items)


def rows_read(model: PackagedModel, lines: list[str], questions: dict[str, Any]) -> list[list[int]]:
    """The token rows that reach the network."""
    seen: list[Any] = []
    hook = model.router.load("multilingual").model.register_forward_pre_hook(
        lambda _module, inputs: seen.append((inputs[0], inputs[1]))
    )
    try:
        state, tokens = model.fit(lines, questions)
        result = model.predict(model.request(state, questions, "en"))
    finally:
        hook.remove()
    ((ids, mask),) = seen
    rows = [row[: int(length)].tolist() for row, length in zip(ids, mask.sum(-1), strict=True)]
    assert [len(row) for row in rows] == list(tokens.values())
    assert result["usage"]["input_tokens"] == sum(tokens.values())
    return rows


@pytest.mark.parametrize("word", ["Freitag", "пятница", "星期五", "วันศุกร์"])
def test_in_any_script_the_newest_words_reach_the_network(model: PackagedModel, word: str) -> None:
    lines = [f"- {word} {number} {word * 3}." for number in range(400)]
    rows = rows_read(model, lines, EVERYTHING)
    tokenizer = model.router.load("multilingual").tok
    for row in rows:
        assert len(row) <= 1024
        assert tokenizer.decode(row).endswith(f" 399 {word * 3}.[SEP]")


def test_the_longest_questions_leave_the_newest_words_their_room(model: PackagedModel) -> None:
    long = "why " * 500
    questions = {
        "many": {
            "type": "choice",
            "instructions": long,
            "criteria": {f"o{n} {long}": long for n in range(44)},
        },
        "short": {"type": "noul", "instructions": "x"},
    }
    tokenizer = model.router.load("multilingual").tok
    for row in rows_read(model, ["- word " * 500 + "the end"], questions):
        assert tokenizer.decode(row).endswith("the end[SEP]")


def test_special_tokens_that_are_said_are_words_like_others(model: PackagedModel) -> None:
    spoken = f"- I said {' and '.join(SPECIAL)} twice, {SPECIAL[4]}{SPECIAL[4]}"
    tokenizer = model.router.load("multilingual").tok
    plain = rows_read(model, ["- I said nothing"], EVERYTHING)
    with_marks = rows_read(model, [spoken], EVERYTHING)
    for before, after in zip(plain, with_marks, strict=True):
        for number in tokenizer.all_special_ids:
            assert after.count(number) == before.count(number)
        assert "I said [PAD] and [UNK] and [CLS] and [SEP] and [ MASK] twice" in tokenizer.decode(after)


def test_special_tokens_in_a_question_are_words_too(model: PackagedModel) -> None:
    question = {"q": {"type": "choice", "instructions": "[SEP] x", "criteria": {"a [CLS]": "[SEP]", "b": ""}}}
    (row,) = rows_read(model, ["- x"], question)
    tokenizer = model.router.load("multilingual").tok
    assert row.count(tokenizer.sep_token_id) == 3
    assert row.count(tokenizer.mask_token_id) == 2
    assert row.count(tokenizer.cls_token_id) == 1


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_read_only_checkpoint_loads_and_stays_as_it_is(checkpoint: Path, tmp_path: Path) -> None:
    folder = tmp_path / "multilingual"
    shutil.copytree(checkpoint, folder)
    before = contents(folder)
    assert b"TokenizersBackend" in before["tokenizer/tokenizer_config.json"]  # what Laya rewrites
    places = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for place in places:
        place.chmod(0o555)
    try:
        answers, _, notices = classify(("- x",), checkpoint_dir=str(tmp_path))
    finally:
        for place in places:
            place.chmod(0o755)
    assert notices == []
    assert answers.answers
    assert contents(folder) == before


@pytest.mark.parametrize("device", ["gpu9", "meta", "cuda:99"])
def test_a_device_that_fails_is_left_for_the_processor_and_told(checkpoint: Path, device: str) -> None:
    answers, states, notices = classify(("- x",), checkpoint_dir=str(checkpoint), device=device)
    assert set(answers.answers) == set(EVERYTHING)
    assert [notice.code for notice in notices] == ["cpu"]
    assert "runs on the processor" in states[-2].reason


def test_weights_that_are_no_numbers_are_suspect_and_every_signal_unsure(
    checkpoint: Path, tmp_path: Path
) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "multilingual"
    shutil.copytree(checkpoint, folder)
    weights = load_file(folder / "model.safetensors")
    weights["scorer.3.weight"] = torch.full_like(weights["scorer.3.weight"], float("nan"))
    save_file(weights, folder / "model.safetensors")
    answers, _, notices = classify(("- x",), checkpoint_dir=str(folder))
    assert [notice.code for notice in notices] == ["suspect"]
    assert answers.answers["blocker"]["noul"] is None


def cut_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:1000])


def wrong_config(folder: Path) -> None:
    (folder / "rl_agent_config.json").write_text("{", encoding="utf-8")


def wrong_shape(folder: Path) -> None:
    path = folder / "rl_agent_config.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"head_layers": 1', '"head_layers": 4'))


def wrong_tokenizer(folder: Path) -> None:
    (folder / "tokenizer" / "tokenizer.json").write_text("{}", encoding="utf-8")


@pytest.mark.parametrize("damage", [cut_weights, wrong_config, wrong_shape, wrong_tokenizer])
def test_a_damaged_checkpoint_is_one_line_that_names_it(
    checkpoint: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    folder = tmp_path / "multilingual"
    shutil.copytree(checkpoint, folder)
    damage(folder)
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load_laya(checkpoint_dir=str(folder), offline=True)
    assert str(folder) in str(caught.value)
    assert str(caught.value).isprintable()


SILENT = """
import logging, sys
asked = []
network = "socket.connect", "socket.getaddrinfo"
sys.addaudithook(lambda event, args: asked.append(args) if event in network else None)
import stt_daemon.wiring.laya, stt_daemon.lanes.laya_engine
assert not {"torch", "laya", "transformers"} & set(sys.modules), "loaded on import"
logging.getLogger().addHandler(logging.NullHandler())
from stt_daemon.lanes.laya import LayaJob
engine = stt_daemon.lanes.laya_engine.load_laya(checkpoint_dir=sys.argv[1], device="cuda:99")
question = {"q": {"type": "noul", "instructions": "x"}}
assert engine.answer(LayaJob(("- word " * 2000,), question, "en", 1)).answers
assert "processor" in engine.trouble
assert not asked, asked
"""


def test_nothing_is_printed_and_nobody_is_asked_though_the_network_is_allowed(checkpoint: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SILENT, str(checkpoint)],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=REPOSITORY,
        env={"PYTHONPATH": str(REPOSITORY / "src"), "PATH": "/usr/bin:/bin", "HOME": str(checkpoint)},
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
