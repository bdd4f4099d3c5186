"""Triage inside the core: its real loop, lanes and files around a scripted classifier and model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stt_daemon.errors import LlmError, ModelError
from stt_daemon.llm import LlmUnreachableError
from stt_daemon.messages import (
    ChatSaid,
    CoverageChanged,
    FactChanged,
    LaneChanged,
    Message,
    ModeChanged,
    SpeechChanged,
    TriageChanged,
    TriageStateChanged,
    Warned,
)
from stt_daemon.sessions import create_session
from stt_daemon.wiring.triage import TriageParts
from tests.fakes.classifier import FakeClassifier
from tests.fakes.core import RunningCore, said
from tests.fakes.generator import FakeGenerator
from tests.fakes.triage import EXAMPLE, answers, brief_reply


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def core(
    root: Path,
    classifier: FakeClassifier | None = None,
    generator: FakeGenerator | None = None,
    *,
    write: bool = True,
    assistant: dict[str, Any] | None = None,
    folder: Path | None = None,
    attempt: int = 1,
    **keys: Any,
) -> RunningCore:
    return RunningCore(
        root,
        generator,
        folder=folder,
        attempt=attempt,
        config={
            "triage": {"enabled": True, "questions_file": str(EXAMPLE), **keys},
            "brief": {"write": write},
            "assistant": assistant or {},
        },
        triage=TriageParts(lane=(classifier or FakeClassifier()).lane),
    )


def stage(running: RunningCore, name: str, count: int = 1) -> TriageChanged:
    """The `count`-th message of a stage."""

    def seen() -> list[TriageChanged]:
        return [m for m in running.outbox.messages if isinstance(m, TriageChanged) and m.stage == name]

    running.outbox.wait_for(TriageChanged, lambda _: len(seen()) >= count)
    return seen()[count - 1]


def state(running: RunningCore, name: str, reason: str = "") -> TriageStateChanged:
    return running.outbox.wait_for(TriageStateChanged, lambda s: s.state == name and reason in s.reason)


def test_a_turn_in_idle_mode_leads_to_signals_a_brief_and_files(tmp_path: Path) -> None:
    generator = FakeGenerator().say(brief_reply("The launch is on Friday [u1]"))
    with core(tmp_path, generator=generator) as running:
        running.hears("The launch is on Friday.")
        content = stage(running, "content")
        fact = running.outbox.wait_for(FactChanged)
        running.stop()
    assert (fact.op, fact.text, fact.evidence["ids"]) == ("add", "The launch is on Friday", ["u1"])
    brief = running.folder / "brief.md"
    assert brief.read_text("utf-8") == content.brief
    assert brief.stat().st_mode & 0o777 == 0o600
    ledger = running.folder / "ledger.jsonl"
    assert [line["op"] for line in running.lines("ledger.jsonl")] == ["add", "update"]
    assert ledger.stat().st_mode & 0o777 == 0o600
    assert generator.requests[0].purpose == "brief"
    assert "[u1] Speaker: The launch is on Friday." in generator.requests[0].messages[1].content
    assert [m.mode for m in running.outbox.of(ModeChanged)] == ["idle"]


def test_without_write_no_brief_is_kept(tmp_path: Path) -> None:
    with core(tmp_path, generator=FakeGenerator(standing=brief_reply()), write=False) as running:
        running.hears("The launch is on Friday.")
        stage(running, "content")
        running.stop()
    assert not (running.folder / "brief.md").exists()
    assert (running.folder / "ledger.jsonl").exists()


def test_when_the_folder_is_gone_the_brief_goes_to_the_working_directory(tmp_path: Path) -> None:
    from stt_daemon.sessions.brief_file import write_brief

    write_brief(tmp_path / "gone", "The brief.")
    assert Path("brief/brief.md").read_text("utf-8") == "The brief."


def test_clear_empties_what_belongs_to_triage_and_nothing_else(tmp_path: Path) -> None:
    generator = FakeGenerator().say("Hello.", brief_reply("The launch is on Friday [u1]"))
    with core(tmp_path, generator=generator) as running:
        running.types("/chat", "Hi")
        running.replied()
        running.types("/transcripts off")
        running.hears("The launch is on Friday.")
        stage(running, "content")
        kept = running.lines()
        running.types("/clear")
        running.command("clear", "done")
        cleared = stage(running, "cleared")
        assert cleared.ts > stage(running, "content").ts
        running.types("Still there?")
        running.replied(2)
        assert "Hello." in str(generator.requests[-1].messages), "the chat's memory stays"
        running.stop()
    assert (running.folder / "brief.md").read_text("utf-8") == ""
    assert running.lines("ledger.jsonl")[-1] == {"op": "clear", "through": "u1"}
    assert running.lines()[: len(kept)] == kept
    assert running.outbox.of(ModeChanged)[-1].mode == "chat"
    coverage = running.outbox.of(CoverageChanged)[-1]
    assert (coverage.through, coverage.pending, coverage.uncovered) == ("", 0, ())


def test_clear_empties_a_brief_of_an_earlier_run_that_kept_one(tmp_path: Path) -> None:
    folder = create_session(tmp_path, 1_764_500_000.0).path
    (folder / "brief.md").write_text("Summary\n- Old.", "utf-8")
    with core(tmp_path, folder=folder, write=False, attempt=2) as running:
        running.types("/clear")
        running.command("clear", "done")
        running.stop()
    assert (folder / "brief.md").read_text("utf-8") == ""


def test_a_clear_while_the_model_writes_leaves_nothing_behind(tmp_path: Path) -> None:
    generator = FakeGenerator().say(brief_reply("The launch is on Friday [u1]"))
    generator.hold()
    with core(tmp_path, generator=generator) as running:
        running.hears("The launch is on Friday.")
        generator.seen.get(timeout=20)
        running.types("/clear")
        running.command("clear", "done")
        running.stop()
    assert [m for m in running.outbox.of(TriageChanged) if m.stage == "content"] == []
    assert not (running.folder / "brief.md").exists()
    assert [line["op"] for line in running.lines("ledger.jsonl")] == ["clear"]


def test_a_new_session_has_files_of_its_own_and_keeps_the_chat(tmp_path: Path) -> None:
    generator = FakeGenerator().say(brief_reply("The launch is on Friday [u1]"), brief_reply())
    second = create_session(tmp_path, 1_764_500_100.0).path
    with core(tmp_path, generator=generator) as running:
        running.hears("The launch is on Friday.")
        stage(running, "content")
        running.moves_to(second)
        stage(running, "cleared")
        running.outbox.messages.clear()
        running.hears("Another meeting.")
        stage(running, "content")
        running.stop()
    assert "Friday" not in generator.requests[-1].messages[1].content
    assert "Friday" in (running.folder / "brief.md").read_text("utf-8")
    assert [line["op"] for line in running.lines("ledger.jsonl", second)] == ["update"]
    assert "Friday" not in (second / "brief.md").read_text("utf-8")


def test_a_restarted_core_goes_on_with_its_facts_and_what_no_brief_has_read(tmp_path: Path) -> None:
    generator = FakeGenerator().say(
        brief_reply("The launch is on Friday [u1]", narrative="Summary\n- A launch is planned.")
    )
    with core(tmp_path, generator=generator) as running:
        first = running.hears("The launch is on Friday.")
        stage(running, "content")
        running.stop()
    journal = [
        {"type": "utterance", **{k: v for k, v in first.payload().items() if k != "latency_s"}},
        {
            "type": "utterance",
            **{k: v for k, v in first.payload().items() if k != "latency_s"},
            "id": "u2",
            "seq": 2,
            "t0": 20.0,
            "t1": 22.0,
            "text": "Bob pays 40 thousand.",
        },
    ]
    lines = "".join(json.dumps(line) + "\n" for line in journal)
    (running.folder / "transcript.jsonl").write_text(lines, "utf-8")
    generator = FakeGenerator(standing=brief_reply("Bob pays 40 thousand [u2]"))
    again = core(tmp_path, generator=generator, folder=running.folder, attempt=2)
    again._seq = 2
    with again:
        assert "The launch is on Friday" in stage(again, "content").brief
        coverage = again.outbox.wait_for(CoverageChanged)
        assert (coverage.through, coverage.pending) == ("u1", 1)
        again.hears("Go on.")
        stage(again, "content", 2)
        again.stop()
    prompt = generator.requests[0].messages[1].content
    known, new = prompt.split("NEW UTTERANCES:")
    assert "The launch is on Friday" in known
    assert "- A launch is planned." in known
    assert "[u1]" not in new
    assert "[u2] Speaker: Bob pays 40 thousand." in new


@pytest.mark.parametrize("on", [True, False])
def test_the_chat_goes_to_triage_when_that_is_on(tmp_path: Path, on: bool) -> None:
    classifier = FakeClassifier()
    generator = FakeGenerator().say("Bob pays.", brief_reply())
    with core(tmp_path, classifier, generator, assistant={"send_to_triage": on}) as running:
        running.types("Who pays?")
        running.replied()
        if on:
            stage(running, "content")
        running.stop()
    lines = [job.lines for job in classifier.jobs]
    assert lines == ([("- You: Who pays?", "- Assistant: Bob pays.")] if on else [])
    if on:
        assert "\nYou: Who pays?\nAssistant: Bob pays.\n" in generator.requests[1].messages[1].content


def test_a_spoken_message_is_in_the_window_once(tmp_path: Path) -> None:
    classifier = FakeClassifier()
    generator = FakeGenerator(standing="Bob pays.")
    with core(tmp_path, classifier, generator, assistant={"send_to_triage": True}) as running:
        running.types("/chat")
        running.hears("Who pays?")
        running.replied()
        running.outbox.wait_for(CoverageChanged, lambda c: c.pending >= 2)
        running.stop()
    assert ("- Who pays?", "- Assistant: Bob pays.") in [job.lines for job in classifier.jobs]


def test_states_and_reasons(tmp_path: Path) -> None:
    classifier = FakeClassifier(RuntimeError("no"), answers())
    classifier.hold()
    with core(tmp_path, classifier, FakeGenerator(standing=brief_reply())) as running:
        assert set(state(running, "loading").questions) >= {"blocker", "substantive_update"}
        classifier.release()
        state(running, "ok")
        running.hears("One.")
        state(running, "unavailable", "predict failed")
        stage(running, "content")
        assert running.outbox.of(LaneChanged), "the lane itself is shown too"
        running.outbox.messages.clear()
        running.hears("Two.")
        state(running, "ok")
        stage(running, "signals")


def test_every_turn_gets_its_signals_though_the_classifier_loads_meanwhile(tmp_path: Path) -> None:
    classifier = FakeClassifier()
    classifier.hold()
    with core(tmp_path, classifier, FakeGenerator(standing=brief_reply())) as running:
        for text in ("One.", "Two.", "Three."):
            running.hears(text)
        assert running.outbox.of(TriageChanged) == []
        classifier.release()
        stage(running, "signals", 3)
    assert [job.lines[-1] for job in classifier.jobs] == ["- One.", "- Two.", "- Three."]


def test_a_stop_does_not_wait_for_a_classifier_that_loads(tmp_path: Path) -> None:
    classifier = FakeClassifier()
    classifier.hold()
    with core(tmp_path, classifier) as running:
        running.hears("One.")
        running.hears("Two.")
        assert running.stop(60.0) == 0
    classifier.release()


def test_a_missing_checkpoint_leaves_everything_else_alive(tmp_path: Path) -> None:
    classifier = FakeClassifier()
    classifier.missing = ModelError("rl_agent_config.json is missing in /nowhere")
    generator = FakeGenerator(standing="Fine.")
    with core(tmp_path, classifier, generator) as running:
        state(running, "unavailable", "rl_agent_config.json")
        running.hears("One.")
        running.types("How are you?")
        running.replied()
        assert running.stop() == 0
    assert running.outbox.of(TriageChanged) == []
    assert [request.purpose for request in generator.requests] == ["chat"]


def test_a_bad_questions_file_is_named_and_nothing_is_loaded(tmp_path: Path) -> None:
    Path("questions.json").write_text('{"q": {"type": "riddle", "instructions": "?"}}', "utf-8")

    def never(*_: object, **__: object) -> Any:
        raise AssertionError("no lane without questions")

    running = RunningCore(tmp_path, config={"triage": {"enabled": True}}, triage=TriageParts(lane=never))
    with running:
        assert "'q'" in state(running, "no_questions").reason
        running.hears("One.")
        running.types("/clear")
        assert running.command("clear", "done").reason == "there are no signals and no brief to clear"


def test_switched_off_nothing_of_it_happens(tmp_path: Path) -> None:
    def never(*_: object, **__: object) -> Any:
        raise AssertionError("no lane when it is off")

    def told(messages: list[Message]) -> list[str]:
        return [m.topic for m in messages if m.topic in ("triage", "triage_state", "fact", "coverage")]

    with RunningCore(tmp_path, triage=TriageParts(lane=never)) as running:
        running.hears("One.")
        running.types("Hello", "/clear")
        running.replied()
        running.command("clear", "done")
        running.stop()
    assert told(running.outbox.messages) == []
    assert sorted(path.name for path in running.folder.iterdir() if path.is_file()) == ["chat.jsonl"]


def test_a_brief_under_way_is_finished_at_a_stop(tmp_path: Path) -> None:
    generator = FakeGenerator().say(brief_reply("The launch is on Friday [u1]"))
    generator.hold()
    with core(tmp_path, generator=generator) as running:
        running.hears("The launch is on Friday.")
        generator.seen.get(timeout=20)
        generator.release()
        assert running.stop() == 0
    assert "Friday" in (running.folder / "brief.md").read_text("utf-8")
    assert running.lines("ledger.jsonl")[-1] == {"op": "update", "through": "u1"}


def test_the_last_words_before_a_stop_still_reach_the_brief(tmp_path: Path) -> None:
    generator = FakeGenerator().say(brief_reply("The launch is on Friday [u1]"))
    with core(tmp_path, generator=generator) as running:
        state(running, "ok")
        running.inbox.put(SpeechChanged(state="start", t=5.0))
        running.inbox.put(said(1, "The launch is on Friday."))
        assert running.stop() == 0
    assert "Friday" in (running.folder / "brief.md").read_text("utf-8")


def unreachable(running: RunningCore, count: int) -> None:
    """Wait until the lane has been shown as unavailable so many times."""

    def shown() -> int:
        return sum(isinstance(m, LaneChanged) and m.state == "unavailable" for m in running.outbox.messages)

    running.outbox.wait_for(LaneChanged, lambda _: shown() >= count)


def test_trouble_is_told_once_until_a_brief_comes(tmp_path: Path) -> None:
    away = LlmUnreachableError("nobody answers at scripted")
    generator = FakeGenerator().say(away, away, brief_reply(), away)
    with core(tmp_path, generator=generator) as running:
        for count, text in enumerate(("One.", "Two."), 1):
            running.hears(text)
            unreachable(running, count)
        running.hears("Three.")
        stage(running, "content")
        running.hears("Four.")
        unreachable(running, 3)
        running.stop()
    told = [w.message for w in running.outbox.of(Warned) if w.where == "triage"]
    assert told == ["the brief stays as it was: nobody answers at scripted"] * 2
    assert running.outbox.of(CoverageChanged)[-1].set_aside == ()


def test_no_chat_waits_behind_triage_in_a_full_queue(tmp_path: Path) -> None:
    generator = FakeGenerator(standing=brief_reply())
    generator.hold()
    running = RunningCore(
        tmp_path,
        generator,
        config={
            "triage": {"enabled": True, "questions_file": str(EXAMPLE)},
            "llm": {"queue_size": 1},
        },
        triage=TriageParts(lane=FakeClassifier().lane),
    )
    with running:
        running.types("first")
        generator.seen.get(timeout=20)
        running.types("second")
        running.hears("The launch is on Friday.")
        stage(running, "signals")
        generator.release()
        running.replied(1)
        running.replied(2)
        running.hears("And the budget is 40 thousand.")
        stage(running, "content")
        running.stop()
    assert [m for m in running.outbox.of(ChatSaid) if m.role == "notice"] == []
    read = generator.requests[-1].messages[1].content.split("NEW UTTERANCES:")[1]
    assert read.index("[u1]") < read.index("[u2]")


# dump_io


def dumps() -> list[dict[str, Any]]:
    files = sorted(Path("troubleshoot/triage").glob("*/*.json"))
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in files)
    return sorted((json.loads(path.read_text("utf-8")) for path in files), key=lambda body: body["ts"])


def test_a_dump_holds_both_halves_under_the_time_of_the_triage(tmp_path: Path) -> None:
    with core(tmp_path, generator=FakeGenerator(standing=brief_reply()), dump_io=True) as running:
        running.hears("One.")
        ts = stage(running, "content").ts
        running.stop()
    (record,) = dumps()
    assert list(record) == ["ts", "iso", "laya", "llm"]
    assert record["ts"] == ts
    assert record["laya"]["error"] is None
    assert set(record["laya"]) == {"request", "response", "error"}
    assert list(record["llm"]) == ["request", "response", "error", "duration_ms"]
    assert set(record["llm"]["request"]) == {"url", "body"}
    assert record["llm"]["duration_ms"] == 200.0
    (path,) = Path("troubleshoot/triage").glob("*/*.json")
    moment = record["iso"]
    assert path.parent.name == moment[:10]
    assert path.name == f"{moment[11:19].replace(':', '')}-{moment[20:23]}.json"


def test_without_the_key_nothing_is_dumped(tmp_path: Path) -> None:
    with core(tmp_path, generator=FakeGenerator(standing=brief_reply())) as running:
        running.hears("One.")
        stage(running, "content")
        running.stop()
    assert not Path("troubleshoot").exists()


def test_a_coalesced_update_makes_two_records(tmp_path: Path) -> None:
    generator = FakeGenerator(standing=brief_reply())
    generator.hold()
    with core(tmp_path, generator=generator, dump_io=True) as running:
        running.hears("One.")
        generator.seen.get(timeout=20)
        running.hears("Two.")
        stage(running, "signals", 2)
        generator.release()
        stage(running, "content", 2)
        running.stop()
    assert [(r["laya"] is not None, r["llm"] is not None) for r in dumps()] == [
        (True, True),
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize("why", ["gate", "switch"])
def test_without_an_update_the_other_half_is_null(tmp_path: Path, why: str) -> None:
    quiet = FakeClassifier(answers(substantive_update=0.1 if why == "gate" else 0.9))
    with core(tmp_path, quiet, dump_io=True, extract_enabled=why == "gate") as running:
        running.hears("One.")
        stage(running, "signals")
        running.stop()
    (record,) = dumps()
    assert record["laya"] is not None
    assert record["llm"] is None


def test_a_failed_classification_is_dumped_as_such(tmp_path: Path) -> None:
    broken = FakeClassifier(RuntimeError("no"))
    with core(tmp_path, broken, FakeGenerator(standing=brief_reply()), dump_io=True) as running:
        running.hears("One.")
        stage(running, "content")
        running.stop()
    (record,) = dumps()
    assert (record["laya"]["response"], record["laya"]["error"]) == (None, "predict failed")
    assert record["llm"]["error"] is None


def test_asking_again_has_a_record_of_its_own(tmp_path: Path) -> None:
    generator = FakeGenerator().say("I rather chat.", brief_reply("The launch is on Friday [u1]"))
    with core(tmp_path, generator=generator, dump_io=True) as running:
        running.hears("The launch is on Friday.")
        stage(running, "content")
        running.stop()
    assert [request.purpose for request in generator.requests] == ["brief", "brief"]
    first, second = dumps()
    assert first["laya"] is not None
    assert second["laya"] is None
    assert second["llm"]["response"] is not None


def test_a_failed_request_is_dumped_with_its_error_and_time(tmp_path: Path) -> None:
    generator = FakeGenerator(standing=LlmError("it broke"))
    with core(tmp_path, generator=generator, dump_io=True) as running:
        running.hears("One.")
        running.outbox.wait_for(Warned, lambda w: w.where == "triage")
        running.stop()
    (record,) = dumps()
    assert (record["llm"]["response"], record["llm"]["error"]) == (None, "it broke")
    assert record["llm"]["duration_ms"] > 0


def test_a_dump_that_cannot_be_written_disturbs_nothing(tmp_path: Path) -> None:
    Path("troubleshoot").write_text("in the way", "utf-8")
    with core(tmp_path, generator=FakeGenerator(standing=brief_reply()), dump_io=True) as running:
        running.hears("One.")
        stage(running, "content")
        running.stop()
    assert [w for w in running.outbox.of(Warned) if w.where != "llm"] == []
