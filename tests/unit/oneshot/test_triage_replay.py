from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.apps.oneshot.triage_replay import Classified, ReplayParts, ReplayResult, replay, turns_of
from stt_daemon.cli import triage as command
from stt_daemon.config import Config
from stt_daemon.domain import Gap
from stt_daemon.errors import ConfigError, ModelError, SessionError
from stt_daemon.lanes.inference_queue import InferenceQueue
from stt_daemon.llm import LlmUnreachableError
from stt_daemon.sessions import SessionFolder, create_session
from stt_daemon.wiring.triage import TriageParts
from tests.fakes.classifier import FakeClassifier
from tests.fakes.generator import FakeGenerator
from tests.fakes.triage import EXAMPLE, answers, brief_reply, line

CONFIG = Config.model_validate({"triage": {"questions_file": str(EXAMPLE)}})


@pytest.fixture
def session(tmp_path: Path) -> SessionFolder:
    """Three turns, the first of two utterances."""
    folder = create_session(tmp_path, 1_764_500_000.0)
    said = [
        line(1, "Good morning.", t0=0.0),
        line(2, "The launch is on Friday.", t0=2.5),
        line(3, "The budget is 40 thousand.", t0=20.0),
        line(4, "Bye.", t0=1798.0),
    ]
    body = "".join(json.dumps({"type": "utterance", **dataclasses.asdict(one)}) + "\n" for one in said)
    folder.transcript.write_text(body, "utf-8")
    return folder


def parts(classifier: FakeClassifier, generator: FakeGenerator) -> ReplayParts:
    def lane(config: Config, post: Any, clock: Any) -> InferenceQueue[Any]:
        return InferenceQueue(lambda: generator, size=8, on_outcome=post, on_state=post, clock=clock)

    return ReplayParts(TriageParts(lane=classifier.lane), lane)


def run(
    session: SessionFolder, classifier: FakeClassifier, generator: FakeGenerator, config: Config = CONFIG
) -> tuple[ReplayResult, list[Classified]]:
    heard: list[Classified] = []
    return replay(session, config, heard.append, parts(classifier, generator)), heard


def test_every_turn_is_classified_and_read_before_the_next(session: SessionFolder) -> None:
    before = {path: path.read_bytes() for path in session.path.rglob("*") if path.is_file()}
    generator = FakeGenerator().say(
        brief_reply("The launch is on Friday [u2]"),
        brief_reply("The budget is 40 thousand [u3]"),
        brief_reply(),
    )
    result, heard = run(session, FakeClassifier(), generator)
    assert [one.utterances for one in heard] == [("u1", "u2"), ("u3",), ("u4",)]
    assert [fact["text"] for fact in result.facts] == ["The launch is on Friday", "The budget is 40 thousand"]
    assert result.coverage["through"] == "u4"
    assert "Prior Details:" in result.brief
    assert result.figures is None
    json.dumps(result.data())
    assert {path: path.read_bytes() for path in session.path.rglob("*") if path.is_file()} == before


def test_labels_give_figures(session: SessionFolder) -> None:
    labels = [{"utterance": "u2", "labels": {"blocker": True}}]
    (session.path / "labels.json").write_text(json.dumps(labels), "utf-8")
    classifier = FakeClassifier(answers(blocker=0.9), answers(blocker=0.8), answers())
    result, _ = run(session, classifier, FakeGenerator(standing=brief_reply()))
    assert result.figures is not None
    figures = result.figures["questions"]["blocker"]
    assert (figures["precision"], figures["recall"], figures["false_alerts_per_hour"]) == (0.5, 1.0, 2.0)
    assert result.figures["thresholds"]["escalate_threshold"] == {"value": 0.9, "f1": 1.0}


def test_bad_labels_are_named(session: SessionFolder) -> None:
    (session.path / "labels.json").write_text("{}", "utf-8")
    with pytest.raises(SessionError, match=r"labels\.json"):
        run(session, FakeClassifier(), FakeGenerator())


def test_a_server_that_is_away_leaves_signals_and_is_told_once(session: SessionFolder) -> None:
    generator = FakeGenerator(standing=LlmUnreachableError("nobody answers"))
    result, heard = run(session, FakeClassifier(), generator)
    assert len(heard) == 3
    assert result.trouble == ["nobody answers"]
    assert result.coverage["pending"] == 4


def test_without_a_classifier_it_says_why(session: SessionFolder) -> None:
    classifier = FakeClassifier()
    classifier.missing = ModelError("laya is not installed")
    with pytest.raises(ModelError, match="laya is not installed"):
        run(session, classifier, FakeGenerator())


def test_without_questions_it_says_why(session: SessionFolder, tmp_path: Path) -> None:
    config = Config.model_validate({"triage": {"questions_file": str(tmp_path / "none.json")}})
    with pytest.raises(ConfigError, match=r"none\.json"):
        run(session, FakeClassifier(), FakeGenerator(), config)


def test_a_pause_or_a_gap_ends_a_turn() -> None:
    lines = [
        line(1, "a", t0=0.0),
        line(2, "b", t0=3.4),
        line(3, "c", t0=6.9),
        Gap(4, 8.9, 9.0, "device lost", ""),
        line(5, "d", t0=9.1),
    ]
    assert [[one.text for one in turn] for turn in turns_of(lines, 1.5)] == [["a", "b"], ["c"], ["d"]]


def test_what_is_printed(session: SessionFolder, capsys: pytest.CaptureFixture[str]) -> None:
    labels = [{"utterance": "u2", "labels": {"blocker": True}}]
    (session.path / "labels.json").write_text(json.dumps(labels), "utf-8")
    classifier = FakeClassifier(answers(blocker=0.9))
    result, heard = run(session, classifier, FakeGenerator(standing=brief_reply(narrative="- \x1b[2JBad.")))
    command._show(heard[0])
    command._show_end(result)
    shown = capsys.readouterr().out
    assert "00:00:04 u1-u2\n" in shown
    assert "  blocker: 0.90 ⚠\n" in shown
    assert "\x1b" not in shown
    assert "blocker: samples 3, precision 1.00, recall 1.00, " in shown
    assert "escalate_threshold: 0.9 has the best F1 (1.00)" in shown
