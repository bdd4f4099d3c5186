"""One update at a time, what is refused and read later, and the bound of what waits: a test for each rule."""

from __future__ import annotations

import pytest

from tests.fakes.triage import TriageRig, answers, brief_reply


def test_only_one_update_exists_at_a_time() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.turn("The budget is 40 thousand.")
    assert rig.classified() is None
    assert len(rig.seen) == 1


def test_a_refused_turn_still_shows_its_signals_and_its_deltas_stay() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.turn("The budget is 40 thousand.")
    rig.classified(answers(blocker=0.8))
    shown = rig.stage("signals")[-1]
    assert next(item["p"] for item in shown.items if item["qid"] == "blocker") == 0.8
    assert rig.coverage.pending == 2


def test_without_room_in_the_queue_nothing_is_displaced_and_the_deltas_wait() -> None:
    rig = TriageRig()
    rig.room = False
    rig.turn("The launch is on Friday.")
    assert rig.classified() is None
    rig.room = True
    job = rig.brief("The budget is 40 thousand.")
    assert rig.prompt(job).index("[u1]") < rig.prompt(job).index("[u2]")


@pytest.mark.parametrize("end", ["refusal", "empty", "exception", "given up"])
def test_after_a_refusal_an_empty_reply_or_an_exception_the_deltas_are_back_at_the_front(end: str) -> None:
    rig = TriageRig()
    job = rig.brief("The launch is on Friday.")
    rig.says("The budget is 40 thousand.")
    match end:
        case "refusal":
            rig.reply("I cannot help with that.")
        case "empty":
            rig.reply("")
        case "exception":
            rig.fail()
        case _:
            rig.service.given_up(rig.jobs.pop())
    assert rig.jobs == [], "the next turn tries again, nothing before it"
    again = rig.brief("Bob pays.")
    assert [rig.prompt(again).count(f"[u{n}]") for n in (1, 2, 3)] == [1, 1, 1]
    assert rig.prompt(again).index("[u1]") < rig.prompt(again).index("[u2]") < rig.prompt(again).index("[u3]")
    assert again is not job


def test_after_a_success_what_was_said_meanwhile_is_read_at_once_with_the_latest_signals() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.turn("The supplier is late.")
    rig.classified(answers(blocker=0.91))
    flush = rig.reply(brief_reply("The launch is on Friday [u1]"))
    assert flush is rig.jobs[0]
    assert "[u2]" in rig.prompt(flush)
    assert len(rig.read(flush)) == 1
    assert "- blocker (p=0.91, flagged, gate=0.90): " in rig.prompt(flush)


def test_words_of_a_turn_that_has_not_ended_are_read_by_the_flush_too() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.says("And the budget is 40 thousand.")
    flush = rig.reply(brief_reply())
    assert flush is not None
    assert "[u2]" in rig.prompt(flush)


def test_a_success_with_nothing_new_asks_for_nothing() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    assert rig.reply(brief_reply()) is None
    assert rig.jobs == []


def test_what_the_gate_found_empty_meanwhile_is_no_reason_for_a_flush() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.turn("Well, hm.")
    rig.classified(answers(substantive_update=0.1))
    assert rig.reply(brief_reply()) is None
    assert rig.coverage.pending == 1


def test_a_refused_turn_is_flushed_though_a_later_one_was_found_empty() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.turn("The budget is 40 thousand.")
    rig.classified()
    rig.turn("Well, hm.")
    rig.classified(answers(substantive_update=0.1))
    assert rig.reply(brief_reply()) is not None


def test_past_the_budget_the_oldest_deltas_are_dropped_and_count_as_uncovered() -> None:
    rig = TriageRig(brief_pending_char_budget=100)
    for number in range(10):
        rig.says(f"This is line number {number} of many.")
    job = rig.brief("This is the end.")
    read = rig.read(job)
    assert [said.split("]")[0] for said in read] == ["[u9", "[u10", "[u11"]
    assert rig.coverage.uncovered == tuple(f"u{number}" for number in range(1, 9))


def test_of_one_delta_past_the_budget_the_oldest_words_go() -> None:
    rig = TriageRig(brief_pending_char_budget=100)
    job = rig.brief("word " * 100 + "and Friday at last")
    (said,) = rig.read(job)
    assert said.startswith("[u1] Speaker: … word word ")
    assert said.endswith("and Friday at last")
    assert len(said) <= len("[u1] : ") + 100


def test_a_clear_meanwhile_makes_the_result_stale_and_it_writes_nothing() -> None:
    rig = TriageRig()
    job = rig.brief("The launch is on Friday.")
    rig.service.clear()
    assert rig.cancelled == [job]
    before = len(rig.messages), len(rig.lines), len(rig.snapshots)
    assert rig.reply(brief_reply("The launch is on Friday [u1]")) is None
    assert (len(rig.messages), len(rig.lines), len(rig.snapshots)) == before


def test_a_turn_after_the_clear_waits_for_the_end_of_the_stale_update() -> None:
    rig = TriageRig()
    rig.brief("The launch is on Friday.")
    rig.service.clear()
    rig.turn("The budget is 40 thousand.")
    assert rig.classified() is None
    following = rig.fail("cancelled")
    assert following is not None
    assert "[u1]" not in rig.prompt(following)
    assert "[u2]" in rig.prompt(following)
    assert rig.troubles == []


def test_after_three_failures_of_the_same_deltas_they_are_set_aside_and_the_rest_moves_on() -> None:
    rig = TriageRig()
    rig.brief("Poison.")
    rig.fail()
    rig.brief("Something else.")
    rig.fail()
    assert rig.coverage.set_aside == ()
    rig.brief("A third thing.")
    rig.fail()
    assert rig.coverage.set_aside == ("u1",)
    assert rig.ops("set_aside") == [{"op": "set_aside", "ids": ["u1"]}]
    job = rig.brief("And on.")
    assert "[u1]" not in rig.prompt(job)
    assert "[u2]" in rig.prompt(job)


def test_a_server_that_is_away_sets_nothing_aside() -> None:
    rig = TriageRig()
    for _ in range(5):
        rig.brief("The launch is on Friday.")
        rig.fail("nobody answers", counts=False)
    assert rig.coverage.set_aside == ()
    assert rig.coverage.pending == 5
