"""From what is said to a brief: triggers, window, signals, update, ledger, reset: a test for each rule."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from stt_daemon.messages import FactChanged, TriageChanged
from stt_daemon.triage.focus import INSTRUCTION_CHARS, focus_lines
from stt_daemon.triage.passes import BACKLOG
from stt_daemon.triage.questions import QuestionSet, read_questions
from stt_daemon.triage.signals import read_signals
from tests.fakes.triage import TriageRig, answers, brief_reply, line

# Trigger


def test_a_settled_turn_is_classified() -> None:
    rig = TriageRig()
    rig.says("The launch is on Friday.")
    assert rig.passes == []
    rig.service.turn_settled("u1")
    assert [one.lines for one in rig.passes] == [("- The launch is on Friday.",)]


def test_continuous_speech_is_classified_every_period_from_the_first_words_of_the_burst() -> None:
    rig = TriageRig(periodic_s=30)
    rig.says("One.", t0=100.0)
    rig.says("Two.", t0=115.0)
    rig.service.time_passed(131.9)
    assert rig.passes == []
    rig.service.time_passed(132.0)
    assert [one.number for one in rig.passes] == [2]


def test_the_timer_begins_anew_with_every_accepted_pass() -> None:
    rig = TriageRig(periodic_s=30)
    rig.says("One.", t0=100.0)
    rig.says("Two.", t0=115.0)
    rig.service.turn_settled("u2")  # now is 117
    rig.classified()
    rig.says("Three.", t0=130.0)
    rig.service.time_passed(146.0)
    assert rig.passes == []
    rig.service.time_passed(147.0)
    assert len(rig.passes) == 1


def test_a_pass_that_nobody_took_counts_for_nothing() -> None:
    rig = TriageRig()
    rig.taken = False
    rig.turn("One.")
    rig.taken = True
    rig.service.turn_settled("u1")
    assert len(rig.passes) == 1


def test_after_a_silence_the_next_burst_has_its_whole_period() -> None:
    rig = TriageRig(periodic_s=30)
    rig.turn("One.")
    rig.classified()
    rig.service.time_passed(500.0)
    rig.says("Two.", t0=505.0)
    rig.service.time_passed(520.0)
    assert rig.passes == []
    rig.service.time_passed(537.0)
    assert len(rig.passes) == 1


@pytest.mark.parametrize("period", [0.0, -1.0])
def test_a_period_of_0_leaves_settled_turns_only(period: float) -> None:
    rig = TriageRig(periodic_s=period)
    rig.says("One.", t0=0.0)
    rig.says("Two.", t0=900.0)
    rig.service.time_passed(5000.0)
    assert rig.passes == []


def test_the_period_follows_the_source_and_not_the_clock() -> None:
    rig = TriageRig(periodic_s=30)
    rig.says("One.", t0=0.0)
    rig.clock.advance(3600)
    rig.service.time_passed(None)
    assert rig.passes == []
    rig.says("Two.", t0=40.0)  # read at full speed: its time is what counts
    rig.service.time_passed(None)
    assert len(rig.passes) == 1


def test_a_repeated_window_is_skipped() -> None:
    rig = TriageRig(periodic_s=10)
    rig.says("One.", t0=0.0)
    rig.service.time_passed(30.0)
    rig.service.turn_settled("u1")
    rig.service.time_passed(60.0)
    assert len(rig.passes) == 1


def test_the_same_words_said_again_are_another_window() -> None:
    rig = TriageRig()
    rig.turn("Yes.")
    rig.turn("Yes.")
    assert rig.windows() == [("- Yes.",), ("- Yes.", "- Yes.")]


def test_a_turn_is_classified_with_what_was_known_at_its_end() -> None:
    rig = TriageRig()
    first = rig.says("The first turn.")
    second = rig.says("The second, known already.")
    rig.service.turn_settled(first.id)
    rig.service.turn_settled(second.id)
    assert [len(lines) for lines in rig.windows()] == [1, 2]


def test_a_complete_chat_turn_forces_a_pass_through_the_same_guards() -> None:
    rig = TriageRig()
    rig.service.chat("You", "Who pays?", complete=False)
    assert rig.passes == []
    rig.service.chat("Assistant", "Bob\npays.", complete=True)
    assert [one.lines for one in rig.passes] == [("- You: Who pays?", "- Assistant: Bob pays.")]
    job = rig.classified()
    assert job is not None
    assert rig.read(job) == ["You: Who pays?", "Assistant: Bob pays."]


# Window


def test_the_window_holds_the_newest_entries_oldest_first() -> None:
    rig = TriageRig(window=2)
    rig.turn("One.", "Two.", "Three.")
    assert rig.passes[0].lines == ("- Two.", "- Three.")


def test_the_window_is_condensed_newest_first_under_its_budget() -> None:
    rig = TriageRig(state_char_budget=100, periodic_s=0)
    rig.turn(*(f"Line number {number} has some words." for number in range(10)))
    lines = rig.passes[0].lines
    assert lines[-1] == "- Line number 9 has some words."
    assert len("\n".join(lines)) <= 100


# Classification


def test_language_and_generation_go_along_and_a_stale_result_is_dropped() -> None:
    rig = TriageRig()
    rig.turn("One.")
    assert rig.passes[0].language == "en"
    for answer in (lambda one: rig.service.answered(one, answers()), rig.service.undecided):
        stale = rig.passes.pop()
        rig.service.clear()
        rig.turn("Two.")
        before = rig.stage("signals")
        assert answer(stale) == (0.0, None)
        assert rig.stage("signals") == before
        assert rig.passes[0].generation > stale.generation, "what was said since goes next"


def test_every_turn_is_classified_though_several_end_at_once() -> None:
    rig = TriageRig()
    said = [rig.says(f"Turn {number}.") for number in range(4)]
    for utterance in said:
        rig.service.turn_settled(utterance.id)
    assert len(rig.passes) == 1, "one at a time"
    assert [lines[-1] for lines in rig.windows()] == [f"- Turn {number}." for number in range(4)]


def test_of_more_windows_than_may_wait_the_oldest_are_given_up() -> None:
    rig = TriageRig(periodic_s=0)
    said = [rig.says(f"Turn {number}.") for number in range(30)]
    for utterance in said:
        rig.service.turn_settled(utterance.id)
    last = [lines[-1] for lines in rig.windows()]
    assert last == ["- Turn 0.", *(f"- Turn {number}." for number in range(30 - BACKLOG, 30))]


def test_a_window_that_nobody_takes_holds_up_none_behind_it() -> None:
    rig = TriageRig()
    rig.turn("One.")
    rig.turn("Two.")
    first = rig.passes.pop()
    rig.taken = False
    rig.service.let_go(first)
    rig.taken = True
    rig.turn("Three.")
    assert [one.number for one in rig.passes] == [3]


def test_answers_become_signals_in_the_order_of_the_file() -> None:
    rig = TriageRig()
    rig.turn("One.")
    rig.classified(answers(blocker=0.72))
    (signals,) = rig.stage("signals")
    assert signals.order[:3] == ("substantive_update", "opportunity", "blocker")
    assert [item["qid"] for item in signals.items] == list(signals.order)
    assert signals.input_tokens == 100


def test_the_time_of_a_triage_never_goes_back() -> None:
    rig = TriageRig()
    for step in (0, -3600, 0):
        rig.clock.step_wall(step)
        rig.turn("Again.")
        rig.classified()
    times = [message.ts for message in rig.stage("signals")]
    assert times == sorted(set(times))


# Escalation


@pytest.mark.parametrize(
    ("qid", "answer", "flagged"),
    [
        ("blocker", {"noul": 0.6, "answer_confidence": 0.6}, True),
        ("blocker", {"noul": 0.59, "answer_confidence": 0.6}, False),
        ("decision_status", {"choice": "made", "answer_confidence": 0.84}, True),
        ("decision_status", {"choice": "made", "answer_confidence": 0.85}, False),
    ],
)
def test_a_mark_drives_neither_the_gate_nor_the_brief(
    qid: str, answer: dict[str, object], flagged: bool
) -> None:
    rig = TriageRig()
    rig.turn("One.")
    job = rig.classified(answers(**{qid: answer}))
    assert next(item["flagged"] for item in rig.stage("signals")[0].items if item["qid"] == qid) == flagged
    assert job is not None


# Update


def test_the_request_is_a_system_prompt_and_one_turn_with_ledger_brief_and_utterances() -> None:
    rig = TriageRig(prompt="Keep the notes of it.")
    rig.brief("The launch is on Friday.")
    rig.reply(brief_reply("The launch is on Friday [u1]", narrative="Summary\n- A launch is planned."))
    job = rig.brief("Bob pays.")
    assert [message.role for message in job.request.messages] == ["system", "user"]
    assert job.request.messages[0].content == "Keep the notes of it."
    prompt = rig.prompt(job)
    ledger, rest = prompt.split("CURRENT BRIEF:")
    assert ledger.startswith("CURRENT LEDGER:\n- The launch is on Friday")
    assert "- A launch is planned." in rest.split("NEW UTTERANCES:")[0]
    assert rig.read(job) == ["[u2] Speaker: Bob pays."], "no history is replayed"


def test_a_failed_classification_still_asks_with_the_deltas_only() -> None:
    rig = TriageRig()
    rig.turn("One.")
    rig.classified()
    rig.reply(brief_reply())
    rig.turn("The launch is on Friday.")
    ts, job = rig.service.undecided(rig.passes.pop())
    assert job is not None
    assert job.ts == ts
    assert "Focus:" not in rig.prompt(job)
    assert len(rig.stage("signals")) == 1


def focus(rig: TriageRig, **p: object) -> dict[str, str]:
    rig.turn("One.")
    job = rig.classified(answers(**p))
    assert job is not None
    lines = rig.prompt(job).split("Focus:\n")[1].split("\n\n")[0].splitlines()
    return {line[2:].split(" ")[0]: line for line in lines}


def test_focus_lines_tell_value_confidence_and_marks() -> None:
    sure = {"choice": "made", "answer_confidence": 0.9}
    lines = focus(TriageRig(), blocker=0.91, decision_status=sure)
    assert lines["blocker"].startswith("- blocker (p=0.91, flagged, gate=0.90): Something stands in the way")
    assert lines["blocker"].endswith(" [escalated]")
    decision = lines["decision_status"]
    assert decision.startswith("- decision_status (choice): selected made (conf 0.90) — How far ")
    assert "Options: they settled on something; " in decision
    assert not decision.endswith("[escalated]")


def test_an_unsure_choice_is_told_with_its_uncertainty() -> None:
    lines = focus(TriageRig(), decision_status={"choice": "made", "answer_confidence": 0.4})
    assert "(conf 0.40, flagged)" in lines["decision_status"]


def test_low_values_are_noise_but_the_gate_question_and_choices_are_always_told() -> None:
    lines = focus(
        TriageRig(brief_gate_threshold=0.05), opportunity=0.29, blocker=0.30, substantive_update=0.1
    )
    assert "opportunity" not in lines
    assert {"blocker", "substantive_update", "decision_status", "responsibility_clarity"} <= set(lines)


def test_an_answer_without_a_number_is_told_as_unknown() -> None:
    lines = focus(TriageRig(), blocker={"noul": float("nan"), "answer_confidence": None})
    assert lines["blocker"].startswith("- blocker (p=unknown, flagged, gate=unknown): ")


def test_instructions_are_clipped(tmp_path: Path) -> None:
    content = {
        "long": {"type": "noul", "instructions": "word " * 100},
        "heat": {"type": "score", "instructions": "How hot?", "criteria": ["cold", "warm", "hot"]},
    }
    (tmp_path / "questions.json").write_text(json.dumps(content), "utf-8")
    asked = read_questions(tmp_path / "questions.json")
    assert isinstance(asked, QuestionSet)
    said = {"long": {"noul": 0.9, "answer_confidence": 0.9}, "heat": {"score": 1.6, "answer_confidence": 0.7}}
    signals = read_signals(
        asked,
        said,
        confidence_field="answer_confidence",
        escalate_threshold=0.95,
        choice_min_confidence=0.85,
        input_tokens=0,
    )
    long, heat = focus_lines(asked, signals)
    assert long.removeprefix("- long (p=0.90, gate=0.90): ") == long[-INSTRUCTION_CHARS:]
    assert long.endswith("word…")
    assert heat == (
        "- heat (score): expected 1.60, level 2, label hot (conf 0.70, flagged) — How hot? [escalated]"
    )


def test_content_carries_the_signals_and_the_brief() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.reply(brief_reply("The launch is on Friday [u1]"))
    (content,) = rig.stage("content")
    assert content.items == rig.stage("signals")[0].items
    assert content.ts == rig.stage("signals")[0].ts
    assert "- They talked." in content.brief
    assert rig.snapshots == [content.brief]


@pytest.mark.parametrize(("p", "asked"), [(0.5, True), (0.49, False), (None, True), ("much", True)])
def test_the_gate_is_fail_open(p: object, asked: bool) -> None:
    rig = TriageRig()
    rig.turn("One.")
    job = rig.classified(answers(substantive_update={"noul": p, "answer_confidence": 0.9}))
    assert (job is not None) == asked
    assert len(rig.stage("signals")) == 1


# Ledger


def test_the_brief_is_the_narrative_and_the_prior_details() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.reply(brief_reply("The launch is on Friday [u1]"))
    brief = rig.stage("content")[0].brief
    assert brief.startswith("Summary\n- They talked.\n\nPrior Details:\n- The launch is on Friday")
    assert rig.ops("add")[0]["evidence"]["ids"] == ["u1"]
    assert rig.ops("update") == [{"op": "update", "through": "u1"}]


def test_a_fact_the_model_drops_stays() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.reply(brief_reply("The launch is on Friday [u1]"))
    rig.brief("Bob pays.")
    rig.reply(brief_reply(narrative="Summary\n- Something else entirely."))
    assert "The launch is on Friday" in rig.stage("content")[-1].brief


def test_a_point_that_the_model_drops_is_put_back() -> None:
    rig = TriageRig()
    rig.brief("We need a new supplier.")
    rig.reply(brief_reply(narrative="Open Questions\n- Which supplier takes over?"))
    rig.brief("Bob pays.")
    rig.reply(brief_reply(narrative="Summary\n- Bob pays."))
    assert "Which supplier takes over?" in rig.stage("content")[-1].brief


def test_the_oldest_fact_is_evicted_past_the_cap_and_that_is_written_down() -> None:
    rig = TriageRig(ledger_max_facts=1)
    rig.brief("The launch is on Friday.", "The budget is 40 thousand.")
    rig.reply(brief_reply("The launch is on Friday [u1]", "The budget is 40 thousand [u2]"))
    assert rig.ops("evict") == [{"op": "evict", "id": "f1"}]
    assert [fact.op for fact in rig.of(FactChanged)] == ["add", "add", "evict"]


# Truncation


def test_a_cut_reply_keeps_its_facts_without_the_last_line_and_the_old_narrative() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.reply(brief_reply(narrative="Summary\n- A launch is planned."))
    rig.brief("Bob pays 40 thousand.", "Anna leaves on Monday.")
    cut = "NEW FACTS:\n- Bob pays 40 thousand [u2]\n- Anna leaves on Mo"
    rig.reply(cut, "length")
    assert rig.facts == ["Bob pays 40 thousand"]
    assert "- A launch is planned." in rig.stage("content")[-1].brief


# A reply that is none


def test_a_reply_without_sections_leaves_the_brief_and_is_told() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    assert rig.reply("[u1] Speaker: The launch is on Friday.") is None
    assert rig.stage("content") == []
    assert rig.facts == []
    assert len(rig.troubles) == 1


# Offered again


def test_a_line_that_no_fact_covers_is_offered_once_more_at_the_head_and_then_counted() -> None:
    rig = TriageRig()
    rig.brief("The budget is 40 thousand.")
    rig.reply(brief_reply())
    assert rig.coverage.uncovered == ("u1",)
    again = rig.brief("Good morning everyone.")
    assert [said[:4] for said in rig.read(again)] == ["[u1]", "[u2]"]
    rig.reply(brief_reply())
    third = rig.brief("And good evening.")
    assert [said[:4] for said in rig.read(third)] == ["[u3]"]
    assert rig.coverage.uncovered == ("u1",)
    assert rig.ops("uncovered") == [{"op": "uncovered", "ids": ["u1"]}]


def test_a_line_that_is_covered_the_second_time_counts_no_longer() -> None:
    rig = TriageRig()
    rig.brief("The budget is 40 thousand.")
    rig.reply(brief_reply())
    rig.brief("Good morning everyone.")
    rig.reply(brief_reply("The budget is 40 thousand [u1]"))
    assert rig.coverage.uncovered == ()
    assert rig.restarted([]).coverage.uncovered == ()


@pytest.mark.parametrize("end", ["failed", "given up"])
def test_an_offer_whose_update_came_to_nothing_is_made_again(end: str) -> None:
    rig = TriageRig()
    rig.brief("The budget is 40 thousand.")
    rig.reply(brief_reply())
    job = rig.brief("Good morning everyone.")
    if end == "failed":
        rig.fail()
    else:
        rig.jobs.clear()
        rig.service.given_up(job)
    assert [said[:4] for said in rig.read(rig.brief("And on."))] == ["[u1]", "[u2]", "[u3]"]


# Reset


def test_clear_empties_signals_window_buffer_brief_and_ledger() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.reply(brief_reply("The launch is on Friday [u1]"))
    rig.says("Half a turn.")
    rig.service.clear()
    assert rig.dropped == 1
    assert rig.lines[-1] == {"op": "clear", "through": "u2"}
    assert rig.snapshots[-1] == ""
    assert rig.of(FactChanged)[-1].op == "clear"
    last = rig.of(TriageChanged)[-1]
    assert (last.stage, last.items, last.brief) == ("cleared", (), "")
    empty = dataclasses.asdict(rig.coverage)
    assert [empty[key] for key in ("through", "pending", "set_aside", "uncovered")] == ["", 0, (), ()]
    rig.service.turn_settled("u2")
    assert rig.passes == [], "words of before are no window"
    job = rig.brief("A new beginning.")
    assert "Friday" not in rig.prompt(job)
    assert rig.read(job) == ["[u3] Speaker: A new beginning."]


def test_after_a_clear_a_restart_brings_nothing_of_before_back() -> None:
    rig = TriageRig()
    said = [rig.says("The launch is on Friday."), rig.says("The budget is 40 thousand.")]
    rig.service.clear()
    said.append(rig.says("A new beginning."))
    other = rig.restarted(said)
    assert other.coverage.pending == 1
    job = other.brief("Go on.")
    assert other.read(job) == ["[u3] Speaker: A new beginning.", "[u4] Speaker: Go on."]
    assert "Friday" not in other.prompt(job)


def test_a_brief_that_a_killed_clear_left_on_disk_does_not_come_back() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.reply(brief_reply("The launch is on Friday [u1]", narrative="Summary\n- A launch is planned."))
    rig.service.clear()
    other = rig.restarted([line(1, "The launch is on Friday.")], rig.snapshots[0])
    assert other.stage("content") == []
    assert "launch" not in other.prompt(other.brief("A new beginning.")).split("NEW UTTERANCES:")[0]


def test_a_turn_without_a_word_is_no_window() -> None:
    rig = TriageRig()
    rig.turn(" ")
    assert rig.passes == []


def test_a_new_session_begins_fresh_and_leaves_the_old_files_alone() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.reply(brief_reply("The launch is on Friday [u1]"))
    job = rig.brief("The budget is 40 thousand.")
    lines, snapshots = list(rig.lines), list(rig.snapshots)
    rig.service.new_session()
    assert rig.cancelled == [job]
    assert (rig.lines, rig.snapshots) == (lines, snapshots)
    assert rig.of(TriageChanged)[-1].stage == "cleared"
    assert rig.reply(brief_reply("The budget is 40 thousand [u2]")) is None
    rig._number = 0
    job = rig.brief("Another meeting.")
    assert "Friday" not in rig.prompt(job)
    rig.reply(brief_reply("Another meeting was held [u1]"))
    assert rig.ops("add")[-1]["id"] == "f1"


# Taking up


def test_a_restart_takes_up_ledger_mark_and_narrative_and_reads_what_came_after() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.reply(brief_reply("The launch is on Friday [u1]", narrative="Summary\n- A launch is planned."))
    heard = [line(1, "The launch is on Friday."), line(2, "The budget is 40 thousand.")]
    other = rig.restarted(heard, rig.snapshots[-1])
    assert other.coverage.through == "u1"
    assert other.coverage.pending == 1
    assert other.stage("content")[0].brief == rig.snapshots[-1]
    job = other.brief("Go on.")
    assert "The launch is on Friday" in other.prompt(job).split("NEW UTTERANCES:")[0]
    assert "- A launch is planned." in other.prompt(job)


def test_a_restart_with_nothing_unread_classifies_nothing_again() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.reply(brief_reply())
    other = rig.restarted([line(1, "The launch is on Friday.")])
    other.service.turn_settled("u1")
    assert other.passes == []


def test_what_was_set_aside_stays_so_after_a_restart() -> None:
    rig = TriageRig()
    for text in ("Poison.", "More.", "And more."):
        rig.brief(text)
        rig.fail()
    other = rig.restarted([line(1, "Poison."), line(2, "More."), line(3, "And more.")])
    assert other.coverage.set_aside == ("u1",)
    assert other.coverage.pending == 2
