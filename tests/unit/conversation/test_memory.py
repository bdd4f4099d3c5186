"""Condensing, rewinding, forgetting, and coming back from the file: no turn is lost silently."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.conversation import (
    CompactionAccepted,
    CompactionRejected,
    CompactionRequest,
    Conversation,
    ReplyFigures,
    RequestPlan,
    RequestRefused,
    accept_compaction,
)
from stt_daemon.conversation.compaction import summary_limit
from stt_daemon.conversation.counting import prompt_cost
from stt_daemon.conversation.plan import Limits
from stt_daemon.domain.citations import Citation
from tests.unit.conversation.helpers import NOW, THEN, WALL, conversation, talk, text_of, words

WINDOW = 2000


def full_chat(**limits: object) -> tuple[Conversation, RequestPlan]:
    chat = conversation(**{"history_max_tokens": 300, **limits})
    talk(chat, 10)
    asked, _ = chat.ask("and now?", wall=WALL)
    plan = chat.snapshot().plan(asked.number, window=WINDOW, count=words)
    assert isinstance(plan, RequestPlan)
    return chat, plan


def request_for(chat: Conversation, plan: RequestPlan, window: int = WINDOW) -> CompactionRequest:
    request = chat.snapshot().compaction(plan, window=window, count=words)
    assert isinstance(request, CompactionRequest)
    return request


def accepted(request: CompactionRequest, text: str = "They talked.") -> CompactionAccepted:
    result = accept_compaction(request, text, "stop", words)
    assert isinstance(result, CompactionAccepted)
    return result


def live(chat: Conversation) -> list[int]:
    return [e.number for e in chat.snapshot().view.exchanges]


def test_an_accepted_summary_replaces_its_turns_and_opens_the_next_request() -> None:
    chat, plan = full_chat()
    request = request_for(chat, plan)
    assert request.covers == (1, 2, 3, 4, 5, 6, 7, 8)
    (record,) = chat.condensed(accepted(request), wall=WALL)
    assert (record["type"], record["through"], record["text"]) == ("summary", 8, "They talked.")
    again = chat.snapshot().plan(11, window=WINDOW, count=words)
    assert isinstance(again, RequestPlan)
    assert again.left_out == ()
    assert again.messages[1].content.startswith(
        "Earlier in this chat, condensed:\n<summary>\nThey talked.\n</summary>\n\nquestion 9 "
    )


def test_the_next_summary_is_asked_to_hold_the_one_before() -> None:
    chat, plan = full_chat()
    chat.condensed(accepted(request_for(chat, plan), "Friday it is."), wall=WALL)
    chat.unanswered(11, wall=WALL)
    talk(chat, 8, start=12)
    asked, _ = chat.ask("more?", wall=WALL)
    again = chat.snapshot().plan(asked.number, window=WINDOW, count=words)
    assert isinstance(again, RequestPlan)
    assert "Friday it is." in text_of(request_for(chat, again).messages)


@pytest.mark.parametrize(
    ("reply", "finish_reason"),
    [("", "stop"), ("  \n", "stop"), ("They", "length"), ("word " * 5000, "stop"), ("[u9]", "stop")],
)
def test_a_bad_summary_is_rejected_and_the_turns_wait(reply: str, finish_reason: str) -> None:
    chat, plan = full_chat()
    request = request_for(chat, plan)
    result = accept_compaction(request, reply, finish_reason, words)
    assert isinstance(result, CompactionRejected)
    chat.condensing_failed(result.reason)
    assert live(chat) == list(range(1, 12))
    again = chat.snapshot().plan(11, window=WINDOW, count=words)
    assert isinstance(again, RequestPlan)
    assert again.condense == plan.condense
    assert again.alert is not None
    assert result.reason in again.alert.message


def test_a_summary_keeps_only_citations_that_stood_in_the_turns() -> None:
    chat = conversation(history_max_tokens=100)
    asked, _ = chat.ask("who?", wall=WALL)
    chat.answered(asked.number, "Anna [u4]. " + "word " * 200, wall=WALL)
    asked, _ = chat.ask("and?", wall=WALL)
    plan = chat.snapshot().plan(asked.number, window=WINDOW, count=words)
    assert isinstance(plan, RequestPlan)
    assert accepted(request_for(chat, plan), "Anna [u4], Bob [u77].").summary == "Anna [u4], Bob."


def test_a_summary_that_comes_after_a_rewind_into_its_turns_changes_nothing() -> None:
    chat, plan = full_chat()
    request = request_for(chat, plan)
    chat.rewind(5, wall=WALL)
    assert chat.condensed(accepted(request), wall=WALL) == []
    assert live(chat) == [1, 2, 3, 4, 5, 6]


def test_a_summary_that_comes_after_forget_changes_nothing() -> None:
    chat, plan = full_chat()
    request = request_for(chat, plan)
    chat.forget(wall=WALL)
    assert chat.condensed(accepted(request), wall=WALL) == []
    assert live(chat) == []


def test_what_does_not_fit_into_one_request_is_condensed_in_steps() -> None:
    chat, plan = full_chat()
    request = request_for(chat, plan, window=300)
    assert prompt_cost(request.messages, words) + request.max_tokens <= 300
    assert request.covers == tuple(range(1, len(request.covers) + 1))
    assert 0 < len(request.covers) < 8
    chat.condensed(accepted(request), wall=WALL)
    assert live(chat)[0] == request.covers[-1] + 1


def test_a_turn_too_long_to_condense_whole_is_clipped_and_named() -> None:
    chat = conversation(history_max_tokens=100)
    talk(chat, 1, size=900)
    asked, _ = chat.ask("now?", wall=WALL)
    plan = chat.snapshot().plan(asked.number, window=500, count=words)
    assert isinstance(plan, RequestPlan)
    request = request_for(chat, plan, window=500)
    assert request.clipped == (1,)
    assert "characters left out" in text_of(request.messages)
    assert prompt_cost(request.messages, words) + request.max_tokens <= 500


def test_a_window_too_small_to_condense_in_is_refused() -> None:
    chat, plan = full_chat()
    refused = chat.snapshot().compaction(plan, window=60, count=words)
    assert isinstance(refused, RequestRefused)


def test_a_summary_limit_never_crowds_out_the_turns() -> None:
    assert summary_limit(16_384, Limits()) == 1024
    assert summary_limit(4096, Limits(output_reserve=1024, history_max_tokens=2000)) == 500


def test_rewind_returns_what_it_dropped_and_keeps_the_rest() -> None:
    chat = conversation()
    talk(chat, 4)
    dropped, (record,) = chat.rewind(2, wall=WALL)
    assert [e.number for e in dropped] == [3, 4]
    assert (record["type"], record["to"]) == ("rewind", 2)
    assert live(chat) == [1, 2]
    assert chat.ask("next?", wall=WALL)[0].number == 5


def test_rewind_by_more_than_there_is_takes_all_and_by_nothing_none() -> None:
    chat = conversation()
    talk(chat, 2)
    assert chat.rewind(0, wall=WALL) == ((), [])
    assert [e.number for e in chat.rewind(9, wall=WALL)[0]] == [1, 2]
    assert chat.rewind(1, wall=WALL) == ((), [])


def test_rewinding_behind_a_summary_takes_the_summary_back_as_well() -> None:
    chat, plan = full_chat()
    chat.condensed(accepted(request_for(chat, plan), "All eight."), wall=WALL)
    chat.rewind(5, wall=WALL)
    view = chat.snapshot().view
    assert view.checkpoint.summary == ""
    assert live(chat) == [1, 2, 3, 4, 5, 6]


def test_a_reply_to_a_rewound_question_is_dropped() -> None:
    chat = conversation()
    asked, _ = chat.ask("one?", wall=WALL)
    chat.rewind(1, wall=WALL)
    chat.ask("two?", wall=WALL)
    assert chat.answered(asked.number, "late", wall=WALL) == []
    assert "late" not in str(chat.snapshot())


def test_a_reply_record_holds_what_the_call_cost() -> None:
    chat = conversation()
    asked, (question,) = chat.ask("one?", wall=WALL)
    figures = ReplyFigures("m", "stop", 120, 7, 100, False, 0.2, 1.5)
    (record,) = chat.answered(asked.number, "Yes [u3].", wall=WALL, cites=[Citation(NOW, 3)], figures=figures)
    assert question["text"] == "one?"
    assert record["cites"] == ["u3"]
    wanted = {
        "prompt_tokens": 120,
        "completion_tokens": 7,
        "cached_tokens": 100,
        "first_token_s": 0.2,
        "duration_s": 1.5,
    }
    assert wanted.items() <= record.items()
    json.dumps(record, allow_nan=False)


def test_unusable_lines_are_skipped_and_counted() -> None:
    chat = conversation()
    good = {"type": "user", "n": 1, "kind": "chat", "text": "one?", "session": NOW, "wall": WALL}
    bad = [
        {},
        {"type": "user"},
        {"type": "later"},
        {**good, "n": "1"},
        {**good, "n": True},
        {"type": "assistant", "n": 9, "text": ""},
    ]
    assert chat.restore([*bad, good, good], wall=WALL).skipped == len(bad) + 1
    assert live(chat) == [1]
    assert chat.snapshot().view.exchanges[0].settled


def test_a_question_whose_reply_never_came_is_lost_once() -> None:
    chat = conversation()
    _, records = chat.ask("What was it?", wall=WALL)
    first = conversation()
    restored = first.restore(records, wall=WALL)
    assert [exchange.user for exchange in restored.lost] == ["What was it?"]
    again = conversation().restore([*records, *restored.records], wall=WALL)
    assert (again.lost, again.records, again.skipped) == ((), [], 0)


def test_a_new_session_file_begins_with_the_whole_memory() -> None:
    chat, plan = full_chat()
    chat.condensed(accepted(request_for(chat, plan), "They agreed [u2]."), wall=WALL)
    records = chat.change_session("20260102-080000", wall=WALL)
    assert all(r["carried"] for r in records)
    other = conversation()
    assert other.restore(records, wall=WALL).skipped == 0
    other.change_session("20260102-080000", wall=WALL)
    settled = [e for e in chat.snapshot().view.exchanges if e.settled]
    assert len(records) == 1 + 11 + 10
    assert [e for e in other.snapshot().view.exchanges if e.reply] == settled
    assert other.snapshot().view.checkpoint == chat.snapshot().view.checkpoint


STEPS = st.lists(
    st.one_of(
        st.just(("ask",)),
        st.just(("answer",)),
        st.tuples(st.just("rewind"), st.integers(0, 4)),
        st.just(("condense",)),
        st.just(("forget",)),
        st.just(("session",)),
    ),
    max_size=40,
)


@settings(deadline=None)
@given(STEPS)
def test_the_file_gives_back_the_same_memory_and_no_turn_disappears(steps: list[tuple[object, ...]]) -> None:
    chat, records, model = conversation(history_max_tokens=60), [], []
    for place, step in enumerate(steps):
        if step[0] == "ask":
            asked, new = chat.ask(f"question {place} word word", wall=WALL)
            model.append(asked.number)
        elif step[0] == "answer":
            waiting = [e.number for e in chat.snapshot().view.exchanges if not e.settled]
            new = chat.answered(waiting[0], "reply " * 5, wall=WALL) if waiting else []
        elif step[0] == "rewind":
            dropped, new = chat.rewind(int(str(step[1])), wall=WALL)
            model = model[: len(model) - len(dropped)]
        elif step[0] == "forget":
            model = []
            new = chat.forget(wall=WALL)[1]
        elif step[0] == "session":
            records, new = [], chat.change_session(f"20260102-0800{place:02d}", wall=WALL)
        else:
            exchanges = chat.snapshot().view.exchanges
            plan = exchanges and chat.snapshot().plan(exchanges[-1].number, window=300, count=words)
            if not isinstance(plan, RequestPlan) or not plan.condense:
                continue
            new = chat.condensed(accepted(request_for(chat, plan)), wall=WALL)
        records += new
    view = chat.snapshot().view
    covered = [n for n in model if n <= view.checkpoint.through]
    assert covered + [e.number for e in view.exchanges] == model
    other = conversation()
    assert other.restore(json.loads(json.dumps(records)), wall=WALL).skipped == 0
    assert other.snapshot().view.checkpoint == view.checkpoint
    same = [(e.number, e.user, e.reply) for e in view.exchanges]
    assert [(e.number, e.user, e.reply) for e in other.snapshot().view.exchanges] == same
    if len(model) > 1:  # what was covered came back too: a rewind goes to the same place in both
        for memory in (chat, other):
            memory.rewind(len(view.exchanges) + 1, wall=WALL)
        assert live(other) == live(chat)


def faithful(request: CompactionRequest) -> str:
    """A model that keeps every decision it is shown and nothing else."""
    kept = dict.fromkeys(re.findall(r"We decided [^.]*\.", request.messages[-1].content))
    return " ".join(kept) or "Small talk."


def test_three_hours_of_chat_never_exceed_the_context_and_keep_the_first_hours_decision() -> None:
    window = 2048
    chat = conversation(output_reserve=400, history_max_tokens=16_384)
    condensed = 0
    for turn in range(3 * 60 * 2):
        question = f"Turn {turn}: " + "and what about the other thing we spoke of " * (1 + turn % 5)
        if turn == 40:
            question = "We decided to ship on Friday the 14th. " + question
        asked, _ = chat.ask(question, wall=WALL)
        plan = chat.snapshot().plan(asked.number, window=window, count=words)
        assert isinstance(plan, RequestPlan)
        while plan.condense:
            assert plan.alert is not None
            request = request_for(chat, plan, window)
            assert prompt_cost(request.messages, words) + request.max_tokens <= window
            if turn % 7 == 3:
                chat.condensing_failed("the model was silent")
                break
            assert chat.condensed(accepted(request, faithful(request)), wall=WALL)
            condensed += 1
            plan = chat.snapshot().plan(asked.number, window=window, count=words)
            assert isinstance(plan, RequestPlan)
        assert plan.prompt_tokens + 400 <= window
        chat.answered(
            asked.number, f"Reply {turn}: " + "it is as it was said before " * (1 + turn % 9), wall=WALL
        )
    assert condensed > 10
    assert "We decided to ship on Friday the 14th." in plan.messages[1].content
    assert f"Turn {turn}:" in plan.messages[-1].content


def test_a_restored_memory_still_knows_where_its_citations_point() -> None:
    chat = conversation()
    record = {"type": "summary", "through": 2, "text": "Anna said so [u4].", "session": THEN, "wall": WALL}
    chat.restore([record], wall=WALL)
    asked, _ = chat.ask("who?", wall=WALL)
    plan = chat.snapshot().plan(asked.number, window=WINDOW, count=words)
    assert isinstance(plan, RequestPlan)
    assert f"[{THEN}:u4]" in text_of(plan.messages)
    assert Citation(THEN, 4) in plan.index.known
