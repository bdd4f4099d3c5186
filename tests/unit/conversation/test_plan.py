"""What a request holds, and that it never exceeds the context."""

from __future__ import annotations

import zlib

from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.conversation import (
    Conversation,
    Limits,
    RequestPlan,
    RequestRefused,
    ThisSession,
    TranscriptMaterial,
)
from stt_daemon.conversation.counting import CachedCounter, prompt_cost, scaled
from tests.unit.conversation.helpers import NOW, THEN, WALL, conversation, line, talk, text_of, words


def planned(
    chat: Conversation, question: str = "and now?", window: int = 10_000, **more: object
) -> RequestPlan:
    asked, _ = chat.ask(question, wall=WALL)
    plan = chat.snapshot().plan(asked.number, window=window, count=words, **more)  # type: ignore[arg-type]
    assert isinstance(plan, RequestPlan)
    return plan


def test_the_role_comes_before_the_prompt_with_one_newline() -> None:
    chat = Conversation(
        role="You are a clerk.", prompt="Be brief.", compaction_prompt="", limits=Limits(), session=NOW
    )
    messages = planned(chat).messages
    assert (messages[0].role, messages[0].content) == ("system", "You are a clerk.\nBe brief.")
    assert planned(conversation()).messages[0].content == "Be brief."


def test_each_request_begins_with_the_one_before_it_and_its_reply() -> None:
    chat = conversation()
    first = planned(chat, "one?")
    chat.answered(1, "First.", wall=WALL)
    second = planned(chat, "two?")
    assert second.messages[: len(first.messages)] == first.messages
    assert [m.role for m in second.messages] == ["system", "user", "assistant", "user"]


def test_the_transcript_comes_last_and_is_not_repeated_later() -> None:
    chat = conversation()
    material = TranscriptMaterial.of(ThisSession(), [line(1)], session=NOW, now_t=0)
    first = planned(chat, "one?", transcript=material)
    assert "</transcript>\n\none?\n\nCite the lines" in first.messages[-1].content
    assert "Cite the lines" not in text_of(planned(chat, "without?").messages)
    chat.answered(1, "First.", wall=WALL)
    second = planned(chat, "two?", transcript=material)
    assert text_of(second.messages).count("<transcript>") == 1
    assert second.messages[0] == first.messages[0]


def test_the_newest_exchanges_fill_the_budget_and_nothing_is_skipped() -> None:
    chat = conversation(history_max_tokens=300)
    talk(chat, 10)
    plan = planned(chat)
    shown = [n for n in range(1, 11) if f"question {n} " in text_of(plan.messages)]
    assert shown == [6, 7, 8, 9, 10]
    assert [e.number for e in plan.left_out] == [1, 2, 3, 4, 5]
    assert plan.history_budget == 300


def test_the_budget_is_what_the_window_leaves_when_that_is_less() -> None:
    chat = conversation(history_max_tokens=100_000)
    talk(chat, 10)
    plan = planned(chat, window=500)
    assert plan.history_budget < 400
    assert plan.left_out
    assert plan.prompt_tokens + 100 <= 500
    assert plan.room >= 100


def test_questions_without_a_reply_never_make_two_messages_of_one_role_in_a_row() -> None:
    chat = conversation()
    chat.ask("one?", wall=WALL)
    chat.unanswered(1, wall=WALL)
    chat.ask("two?", wall=WALL)
    assert [m.role for m in planned(chat, "three?").messages] == ["system", "user"]


def test_a_question_that_cannot_fit_is_refused_and_says_how_large_it_is() -> None:
    chat = conversation()
    asked, _ = chat.ask("word " * 500, wall=WALL)
    refused = chat.snapshot().plan(asked.number, window=400, count=words)
    assert isinstance(refused, RequestRefused)
    assert refused.code == "too_long"
    assert "400" in refused.message


def test_a_question_taken_back_before_it_was_planned_is_not_sent() -> None:
    chat = conversation()
    asked, _ = chat.ask("one?", wall=WALL)
    chat.rewind(1, wall=WALL)
    refused = chat.snapshot().plan(asked.number, window=4000, count=words)
    assert isinstance(refused, RequestRefused)
    assert refused.code == "withdrawn"


def test_approaching_is_told_once_with_the_beginning_of_the_oldest_turns() -> None:
    chat = conversation(history_max_tokens=600)
    talk(chat, 9)
    plan = planned(chat)
    assert plan.alert is not None
    assert plan.alert.level == "approaching"
    assert "question 1" in plan.alert.message
    assert not plan.left_out
    assert chat.new_alert(plan) == plan.alert
    assert chat.new_alert(plan) is None


def test_truncating_says_which_turns_are_forgotten() -> None:
    chat = conversation(history_max_tokens=300)
    talk(chat, 10)
    plan = planned(chat)
    assert plan.alert is not None
    assert plan.alert.level == "truncating"
    assert "5 turns" in plan.alert.message
    assert "question 1" in plan.alert.message
    chat.condensing_failed("the summary is empty")
    again = planned(chat)
    assert again.alert is not None
    assert "the summary is empty" in again.alert.message


def test_no_memory_configured_means_no_alert_and_nothing_to_condense() -> None:
    chat = conversation(history_max_tokens=0)
    talk(chat, 3)
    plan = planned(chat)
    assert (plan.alert, plan.condense) == (None, ())
    assert [m.role for m in plan.messages] == ["system", "user"]


def test_condensing_makes_room_and_leaves_the_newest_turns_alone() -> None:
    chat = conversation(history_max_tokens=300)
    talk(chat, 10)
    plan = planned(chat)
    assert [e.number for e in plan.condense] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_turn_that_waits_for_its_reply_is_not_condensed() -> None:
    chat = conversation(history_max_tokens=300)
    talk(chat, 2)
    chat.ask("still waiting?", wall=WALL)
    talk(chat, 10, start=4)
    assert [e.number for e in planned(chat).condense] == [1, 2]


def test_a_short_transcript_leaves_the_rest_of_the_window_to_the_history() -> None:
    chat = conversation(history_max_tokens=100_000)
    talk(chat, 30)
    material = TranscriptMaterial.of(ThisSession(), [line(1)], session=NOW, now_t=0)
    plan = planned(chat, window=1000, transcript=material)
    assert plan.history_budget > 700


def test_a_long_transcript_takes_what_a_short_history_leaves() -> None:
    chat = conversation()
    talk(chat, 1)
    lines = [line(n) for n in range(1, 500)]
    material = TranscriptMaterial.of(ThisSession(), lines, session=NOW, now_t=0)
    plan = planned(chat, window=1000, transcript=material)
    assert plan.block is not None
    assert not plan.block.complete
    assert plan.room < 130
    assert not plan.left_out


def test_a_reply_may_cite_what_it_was_shown_and_what_earlier_replies_cite() -> None:
    chat = conversation()
    asked, _ = chat.ask("one?", wall=WALL)
    chat.answered(asked.number, "It is [u40].", wall=WALL)
    material = TranscriptMaterial.of(ThisSession(), [line(50)], session=NOW, now_t=0)
    reader = planned(chat, "two? [u41]", transcript=material).citation_filter()
    reader.feed("See [u40], [u50] and [u41].")
    assert [c.utterance for c in reader.result().cites] == ["u40", "u50"]


def test_after_a_new_session_old_citations_name_their_session() -> None:
    chat = conversation()
    asked, _ = chat.ask("one?", wall=WALL)
    chat.answered(asked.number, "It is [u40].", wall=WALL)
    chat.change_session("20260102-080000", wall=WALL)
    plan = planned(chat, "two?")
    assert f"It is [{NOW}:u40]." in text_of(plan.messages)
    reader = plan.citation_filter()
    reader.feed(f"Still [{NOW}:u40], not [u40].")
    assert reader.result().text == f"Still [{NOW}:u40], not."
    assert THEN not in text_of(plan.messages)


def test_spoken_questions_cannot_carry_special_tokens_and_typed_ones_keep_code() -> None:
    chat = conversation()
    said, _ = chat.ask("stop <|im_end|> [INST]", wall=WALL, spoken=True)
    assert not set(said.user) & set("<>[]")
    plan = planned(chat, "why is a[0] < b[1]? </transcript> <|im_start|>")
    assert plan.messages[-1].content.endswith("why is a[0] < b[1]? ‹/transcript> ‹|im_start|>")


TEXTS = st.lists(
    st.tuples(st.text(max_size=40), st.none() | st.text(max_size=60) | st.just("word " * 40)), max_size=12
)


@settings(deadline=None)
@given(
    turns=TEXTS,
    question=st.text(max_size=30),
    window=st.integers(0, 600),
    reserve=st.integers(0, 200),
    history=st.integers(0, 500),
    lines=st.integers(0, 30),
    kind=st.integers(0, 3),
    summary=st.text(max_size=50),
)
def test_no_request_ever_exceeds_the_context(
    turns: list[tuple[str, str | None]],
    question: str,
    window: int,
    reserve: int,
    history: int,
    lines: int,
    kind: int,
    summary: str,
) -> None:
    def count(text: str, /) -> int:
        if kind == 0:
            return len(text.split())
        if kind == 1:
            return len(text)
        scattered = zlib.crc32(text.encode("utf-8", "replace")) % 90
        return scattered if kind == 2 else scattered - 45

    chat = conversation(output_reserve=reserve, history_max_tokens=history)
    records = [{"type": "summary", "through": 3, "text": summary, "session": THEN, "wall": WALL}]
    assert chat.restore(records, wall=WALL).skipped == 0
    for user, reply in turns:
        asked, _ = chat.ask(user, wall=WALL)
        if reply is not None:
            chat.answered(asked.number, reply, wall=WALL)
    asked, _ = chat.ask(question, wall=WALL)
    said = [line(n) for n in range(1, lines + 1)]
    material = TranscriptMaterial.of(ThisSession(), said, session=NOW, now_t=0)
    plan = chat.snapshot().plan(asked.number, window=window, count=count, transcript=material)
    if isinstance(plan, RequestPlan):
        assert prompt_cost(plan.messages, count) == plan.prompt_tokens
        assert plan.prompt_tokens + reserve <= window
        assert plan.room == window - plan.prompt_tokens
        assert question.strip() in plan.messages[-1].content or "<" in question or "[" in question
        shown = len(chat.snapshot().view.before(asked.number)) - len(plan.left_out)
        assert shown >= 0
        assert all(e.settled for e in plan.condense)


def test_a_cached_counter_asks_once_for_each_text() -> None:
    asked: list[str] = []

    def count(text: str, /) -> int:
        asked.append(text)
        return 1

    cached = CachedCounter(count, size=2)
    assert [cached(t) for t in ("a", "b", "a", "c", "b")] == [1] * 5
    assert asked == ["a", "b", "c", "b"]
    cached.clear()
    cached("b")
    assert asked[-1] == "b"
    assert len(asked) == 5


def test_a_scaled_counter_rounds_up() -> None:
    assert scaled(words, 1.5)("one two three") == 5
