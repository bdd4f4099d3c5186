"""The ledger: what counts as the same fact, what leaves, and that its lines are all there is to it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.triage.evidence import Delta
from stt_daemon.triage.fact import Noted, clip
from stt_daemon.triage.fact_ledger import BLOCK, FactLedger
from tests.unit.triage.lines import said


def ledger(max_facts: int = 200, max_chars: int = 240) -> FactLedger:
    return FactLedger(max_facts, max_chars)


def texts(facts: FactLedger) -> list[str]:
    return [fact.text for fact in facts.facts]


def record(facts: FactLedger, *written: str, read: list[Delta] | None = None) -> list[str]:
    """Add facts, each with the evidence it finds in `read` (by default its own words); the kept ones."""
    lines = said(*written) if read is None else read
    before = set(texts(facts))
    facts.add([Noted(text) for text in written], lines)
    return [text for text in texts(facts) if text not in before]


SAME = [
    ("The launch is on March 23.", "the launch is on march 23"),
    ("The launch is on March 23.", "Launch is on March twenty third."),
    ("The launch is on March 23.", "The launch will be on 23 March"),
    ("Anna will send the report to Ben by Friday.", "Anna sends the report to Ben by Friday"),
    ("The team uses Redis for caching.", "Team uses Redis for the caching"),
    ("The customer said that the export is slow.", "The export is slow"),
]

DIFFERENT = [
    ("The budget is 40,000 euros.", "The budget is 45,000 euros."),
    ("Anna sends the report by Friday.", "Ben sends the report by Friday."),
    ("Anna sends the report by Friday.", "Anna sends the report by Monday."),
    ("We ship on Friday.", "We do not ship on Friday."),
    ("We move to Postgres.", "We might move to Postgres."),
    ("Anna sends the report by Friday.", "Anna reviews the report by Friday."),
    ("Anna will fix the login.", "Anna fixed the login."),
    ("Anna pays Ben.", "Ben pays Anna."),
    ("Anna gets 5 and Ben 10.", "Anna gets 10 and Ben 5."),
    ("The move is from Monday to Friday.", "The move is from Friday to Monday."),
    ("The server is up.", "The server is down."),
    ("We deploy before the audit.", "We deploy after the audit."),
    ("It is 5 degrees.", "It is -5 degrees."),
    ("The call is at 10 am.", "The call is at 10 pm."),
    ("The response takes < 5 ms.", "The response takes > 5 ms."),
    ("The first release is stable.", "The second release is stable."),
    ("Launch on Friday?", "Launch on Friday."),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_the_same_fact_is_recorded_once(old: str, new: str) -> None:
    assert record(ledger(), old, new) == [old]


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
def test_a_difference_in_what_counts_is_another_fact(old: str, new: str) -> None:
    assert record(ledger(), old, new) == [old, new]
    assert record(ledger(), new, old) == [new, old]


def test_what_a_model_retells_from_its_ledger_is_not_recorded_again() -> None:
    facts = ledger()
    record(facts, "The launch of the app is planned for March 23.")
    later = said("Anything else?", "No, that is all.", first=9)
    assert (
        record(facts, "Launch is scheduled on March 23.", "The app launches on March 23.", read=later) == []
    )


def test_what_was_said_again_in_other_words_is_recorded() -> None:
    facts = ledger()
    record(facts, "Anna drafts the report by Friday.")
    again = said("Anna signs the report by Friday.", first=9)
    assert record(facts, "Anna signs the report by Friday.", read=again) == [
        "Anna signs the report by Friday."
    ]


def test_of_two_wordings_of_one_line_the_first_is_kept() -> None:
    read = said("The launch is on March twenty third.")
    assert record(ledger(), "Launch date is March 23", "The launch takes place on March 23", read=read) == [
        "Launch date is March 23"
    ]


def test_two_facts_of_one_line_are_both_kept() -> None:
    read = said("Anna drafts and reviews the report by Friday.")
    written = ["Anna drafts the report by Friday", "Anna reviews the report by Friday"]
    assert record(ledger(), *written, read=read) == written


def test_what_a_later_line_adds_to_an_old_fact_is_recorded() -> None:
    facts = ledger()
    record(facts, "Anna drafts the report by Friday.")
    later = said("And she reviews it as well.", first=9)
    assert record(facts, "Anna reviews the report by Friday.", read=later) == [
        "Anna reviews the report by Friday."
    ]


def test_a_correction_is_added_and_the_old_fact_stays() -> None:
    facts = ledger()
    record(facts, "The beta starts on April 3.")
    record(facts, "Correction: the beta starts on April 7, not on April 3.")
    assert len(facts) == 2


def test_an_added_fact_is_a_line_with_its_evidence() -> None:
    read = [Delta("u4", "Anna", "The budget is forty thousand euros.", 10.5, 12.0)]
    done = ledger().add([Noted("The budget is 40,000 euros", ("u4",))], read)
    assert done.lines == [
        {
            "op": "add",
            "id": "f1",
            "text": "The budget is 40,000 euros",
            "evidence": {"ids": ["u4"], "t0": 10.5, "t1": 12.0},
            "verified": True,
        }
    ]


@pytest.mark.parametrize(
    ("text", "verified"),
    [
        ("The budget is 40,000 euros", True),
        ("The budget is 45,000 euros", False),
        ("Carla keeps the budget", False),
        ("The budget is final by Tuesday", False),
        ("There is a budget", True),
        ("Lunch was excellent", False),
    ],
)
def test_a_fact_is_verified_when_its_numbers_and_names_were_said(text: str, verified: bool) -> None:
    read = said("The budget is forty thousand euros.")
    (line,) = ledger().add([Noted(text)], read).lines
    assert line["verified"] is verified


def test_a_number_that_a_verified_fact_holds_counts_as_said() -> None:
    facts = ledger()
    record(facts, "The budget is 40,000 euros.")
    (line,) = facts.add(
        [Noted("Half of the 40,000 goes to ads")], said("Half of it goes to ads.", first=9)
    ).lines
    assert line["verified"]


def test_an_unverified_fact_makes_nothing_true() -> None:
    facts = ledger()
    read = said("There is a budget for ads.")
    facts.add([Noted("The budget is 77,000 euros")], read)
    (line,) = facts.add([Noted("Ads cost 77,000 euros")], read).lines
    assert not line["verified"]


def test_a_number_is_no_longer_known_once_its_fact_has_left() -> None:
    facts = ledger(max_facts=1)
    record(facts, "The budget is 40,000 euros.", "Anna sends the report.")
    (line, _) = facts.add([Noted("Ads cost 40,000 euros")], said("Ads cost money.", first=9)).lines
    assert not line["verified"]


def test_the_oldest_facts_leave_at_the_limit_and_it_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    facts = ledger(max_facts=2)
    done = facts.add(
        [Noted(f"Item {n} is done") for n in (1, 2, 3, 4)], said("Items 1, 2, 3 and 4 are done.")
    )
    assert [(line["op"], line["id"]) for line in done.lines] == [
        ("add", "f1"), ("add", "f2"), ("add", "f3"), ("evict", "f1"), ("add", "f4"), ("evict", "f2"),
    ]  # fmt: skip
    assert texts(facts) == ["Item 3 is done", "Item 4 is done"]
    assert "f1 leaves it" in caplog.text


def test_an_evicted_fact_may_come_back() -> None:
    facts = ledger(max_facts=1)
    record(facts, "The office is closed.", "Anna sends the report.")
    assert record(facts, "The office is closed.") == ["The office is closed."]


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("short", 20, "short"),
        ("exactly twenty chars", 20, "exactly twenty chars"),
        ("it costs about 123456 euros", 20, "it costs about…"),
        ("it costs about 1234 euros", 20, "it costs about 1234…"),
        ("one,two, three four five six", 12, "one,two…"),
        ("x" * 30, 20, "x" * 19 + "…"),
        ("会议在" + "20262027" * 3, 12, "会议在…"),
    ],
)
def test_a_long_fact_is_cut_between_words(text: str, limit: int, kept: str) -> None:
    assert clip(text, limit) == kept


def test_two_facts_that_are_alike_once_cut_are_one() -> None:
    facts = ledger(max_chars=20)
    record(facts, "the server in room twelve is slow", "the server in room twelve is fast")
    assert texts(facts) == ["the server in room…"]


def test_control_bytes_do_not_enter_the_ledger() -> None:
    facts = ledger()
    record(facts, "The \x1b[31mserver\x07 is\nslow")
    assert texts(facts) == ["The [31mserver is slow"]


def test_clear_forgets_all_and_ids_go_on() -> None:
    facts = ledger()
    record(facts, "The budget is 40,000 euros.")
    assert facts.clear() == {"op": "clear"}
    assert (len(facts), facts.render_details(), facts.render_prompt()) == (0, "", ("", 0))
    assert not facts.holds(["40000"])
    (line,) = facts.add([Noted("The budget is 40,000 euros.")], said("The budget is set.")).lines
    assert (line["id"], line["verified"]) == ("f2", False)


def test_the_ledger_is_rebuilt_from_its_lines() -> None:
    facts = ledger(max_facts=3)
    lines = [*facts.add([Noted(f"Item {n} is open") for n in range(5)], said("Items.")).lines]
    lines += [facts.clear(), {"op": "update", "through": "u9"}, {"op": "set_aside", "ids": ["u3"]}]
    lines += facts.add([Noted("Anna sends the report")], said("Anna sends the report")).lines
    again = ledger(max_facts=3)
    again.restore(json.loads(json.dumps(lines)))
    assert again.facts == facts.facts
    assert again.render_details() == facts.render_details() == "- Anna sends the report [u1]"
    assert again.add([Noted("Anna sends the report")], []).lines == []


def test_a_line_that_cannot_be_read_is_skipped(caplog: pytest.LogCaptureFixture) -> None:
    good = {
        "op": "add",
        "id": "f7",
        "text": "x y",
        "evidence": {"ids": [], "t0": 0, "t1": 1},
        "verified": True,
    }
    facts = ledger()
    facts.restore(
        [
            {},
            {"op": "add"},
            {**good, "id": "x"},
            {**good, "id": 7},
            {**good, "text": None},
            {**good, "evidence": {"ids": "u1", "t0": 0, "t1": 1}},
            {**good, "evidence": {"ids": [3], "t0": 0, "t1": 1}},
            {**good, "evidence": {"ids": [], "t0": None, "t1": 1}},
            good,
            {**good, "id": "f3"},
            {"op": "evict", "id": "f99"},
            {"op": ["clear"]},
        ]
    )
    assert [fact.id for fact in facts.facts] == ["f7"]
    assert "skipped" in caplog.text


def test_a_lower_limit_evicts_with_the_next_fact() -> None:
    lines = ledger().add([Noted(f"Item {n} is open") for n in range(4)], said("Items.")).lines
    facts = ledger(max_facts=2)
    facts.restore(lines)
    done = facts.add([Noted("Anna sends the report")], said("Anna sends the report"))
    assert [line.get("id") for line in done.lines if line["op"] == "evict"] == ["f1", "f2", "f3"]


def test_the_prompt_marks_what_nobody_is_known_to_have_said() -> None:
    facts = ledger()
    facts.add([Noted("Carla pays 77")], said("Somebody pays."))
    assert facts.render_prompt() == ("- Carla pays 77 (unverified)\n", 0)


def test_the_prompt_only_grows_at_its_end() -> None:
    facts = ledger()
    before = ""
    for number in range(40):
        record(facts, f"Item {number} is open")
        text, _ = facts.render_prompt()
        assert text.startswith(before)
        assert text != before
        before = text


def test_the_oldest_facts_are_left_out_of_a_prompt_without_room_and_only_there() -> None:
    facts = ledger()
    record(facts, *(f"Item {number} is open" for number in range(100)))
    whole, none_left_out = facts.render_prompt(100_000)
    assert none_left_out == 0
    room = sum(fact.tokens for fact in facts.facts) // 2
    text, left_out = facts.render_prompt(room)
    assert 50 <= left_out <= 50 + BLOCK
    assert whole.endswith(text)
    assert len(facts) == 100
    assert record(facts, "Item 3 is open") == []
    assert facts.render_prompt(0) == ("", 100)


def test_the_front_of_a_full_prompt_stays_the_same_for_a_while() -> None:
    facts = ledger()
    record(facts, *(f"Item {number} is open" for number in range(100, 200)))
    room = facts.facts[0].tokens * 50
    starts = []
    for number in range(200, 248):
        record(facts, f"Item {number} is open")
        starts.append(facts.render_prompt(room)[1])
    assert len(set(starts)) <= 48 // BLOCK + 1


def test_one_fact_that_holds_several_claims_is_found() -> None:
    facts = ledger()
    record(facts, "Anna pays 500 on Friday", "Ben pays 700")
    assert facts.holds(["500", "friday", "anna"])
    assert not facts.holds(["500", "700"])
    assert not facts.holds([])


VOCABULARY = (
    "Anna Ben 3 40 twenty Friday March not might report budget server sends is the open. done, Größe 会议"
)
WORDS = st.sampled_from(VOCABULARY.split())
WRITTEN = st.lists(WORDS, min_size=0, max_size=7).map(" ".join)
STEPS = st.lists(
    st.one_of(st.just("clear"), st.lists(WRITTEN | st.text(max_size=60), max_size=4)), max_size=12
)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.integers(1, 5))
def test_a_fact_leaves_only_by_an_evict_line_or_a_clear_and_lines_rebuild_the_ledger(
    steps: list[str | list[str]], limit: int
) -> None:
    facts = FactLedger(limit, 24)
    written: list[dict[str, object]] = []
    for step in steps:
        before = {fact.id: fact for fact in facts.facts}
        if isinstance(step, str):
            written.append(facts.clear())
            before = {}
        else:
            lines = facts.add([Noted(text) for text in step], said("Anna said 3 things on Friday")).lines
            written += lines
            for line in lines:
                if line["op"] == "evict":
                    before.pop(line["id"], None)
        now = {fact.id: fact for fact in facts.facts}
        assert before.items() <= now.items()
        assert len(now) <= limit
        assert all(len(fact.text) <= 24 for fact in facts.facts)
        again = FactLedger(limit, 24)
        again.restore(written)
        assert again.facts == facts.facts
        assert again.render_prompt() == facts.render_prompt()
        assert vars(again) == vars(facts)
