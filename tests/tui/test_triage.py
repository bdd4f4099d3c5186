from __future__ import annotations

import itertools
from typing import Any

import pytest
from textual.pilot import Pilot

from stt_daemon.apps.tui.jump import JumpTo
from stt_daemon.apps.tui.summary import SummaryPane, summary_lines
from stt_daemon.apps.tui.triage import TriagePane
from stt_daemon.apps.tui.triage_lines import bar, signal_line
from stt_daemon.apps.tui.triage_state import Triage
from stt_daemon.messages import (
    CoverageChanged,
    LaneChanged,
    SummaryChanged,
    TriageChanged,
    TriageStateChanged,
    ValueRead,
)
from stt_daemon.sessions.text import local_time
from tests.tui.screens import PaneApp, in_app, lines_of

QUESTIONS: dict[str, Any] = {
    "blocker": {
        "type": "noul",
        "instructions": "Blocked?",
        "criteria": {"true": "stuck", "false": "free"},
    },
    "decision_status": {"type": "choice", "instructions": "How far is it?", "criteria": ["open", "made"]},
    "urgency": {"type": "score", "instructions": "How urgent?", "criteria": ["low", "medium", "high"]},
}
ITEMS: tuple[dict[str, Any], ...] = (
    {"qid": "decision_status", "type": "choice", "selected": "made", "confidence": 0.912, "flagged": False},
    {"qid": "blocker", "type": "noul", "p": 0.72, "confidence": 0.72, "flagged": True},
    {"qid": "urgency", "type": "score", "expected": 1.2, "level": 1, "label": "medium", "flagged": False},
)
OK = TriageStateChanged(state="ok", questions=QUESTIONS)
TS = 1_767_261_622.0
ORDERS = list(itertools.permutations(range(3)))


def signals(ts: float = TS, items: tuple[dict[str, Any], ...] = ITEMS) -> TriageChanged:
    return TriageChanged(stage="signals", ts=ts, order=tuple(item["qid"] for item in items), items=items)


def content(brief: str, ts: float = TS) -> TriageChanged:
    return TriageChanged(
        stage="content", ts=ts, order=tuple(item["qid"] for item in ITEMS), items=ITEMS, brief=brief
    )


def cleared(ts: float) -> TriageChanged:
    return TriageChanged(stage="cleared", ts=ts)


def inside(app: PaneApp) -> list[str]:
    """The lines between the borders, without the blank ones at the end."""
    lines = [line[2:-2].rstrip() for line in lines_of(app)[1:-1]]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def text_of(item: dict[str, Any]) -> str:
    return "".join(piece.text for piece in signal_line(item, QUESTIONS).pieces)


def test_clock_signals_coverage_and_brief_stand_below_each_other() -> None:
    pane = TriagePane({"u9": "10:00:27"}.get)  # type: ignore[arg-type]

    async def do(pilot: Pilot[None]) -> None:
        for message in (OK, signals(), content("Summary:\nAll is well.")):
            pane.show(message)
        pane.show(CoverageChanged(through="u9", pending=2, uncovered=("u3",), unread_facts=4))
        await pilot.pause()
        assert inside(pilot.app) == [
            local_time(TS).strftime("%H:%M:%S"),
            "           decision_status: made (0.91)",
            "███████░░░ blocker: 0.72 ⚠",
            "█████░░░░░ urgency: medium",
            "",
            "brief read to 10:00:27 · 2 waiting · 1 in no fact u3 · 4 facts left out",
            "Summary:",
            "All is well.",
        ]

    in_app(pane, do=do)


@pytest.mark.parametrize(
    ("share", "filled"),
    [(0.0, 0), (0.04, 0), (0.06, 1), (0.72, 7), (1.0, 10), (7.0, 10), (-1.0, 0), (None, 0)],
)
def test_a_bar_has_ten_cells(share: float | None, filled: int) -> None:
    full, rest = bar(share)
    assert (len(full.text), len(rest.text)) == (filled, 10 - filled)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"qid": "x", "type": "noul", "p": float("nan"), "flagged": True}, "░░░░░░░░░░ x: ? ⚠"),
        ({"qid": "x", "type": "noul"}, "░░░░░░░░░░ x: ?"),
        ({"qid": "x", "type": "choice", "selected": None, "confidence": "much"}, "x: ? (?)"),
        ({"qid": "urgency", "type": "score", "level": 2, "label": "high"}, "██████████ urgency: high"),
        ({"qid": "unknown", "type": "score", "level": 3, "label": "c"}, "███░░░░░░░ unknown: c"),
        (
            {"qid": "urgency", "type": "score", "level": 99, "label": "[/]\x1b[2J"},
            "██████████ urgency: [/][2J",
        ),
        ({}, "?: ? (?)"),
    ],
)
def test_odd_answers_are_shown_as_well_as_can_be(item: dict[str, Any], text: str) -> None:
    assert text_of(item) == text


@pytest.mark.parametrize("state", ["loading", "no_questions", "unavailable", "disabled"])
def test_it_is_never_blank_and_says_why(state: Any) -> None:
    pane = TriagePane()

    async def do(pilot: Pilot[None]) -> None:
        assert inside(pilot.app)
        pane.show(TriageStateChanged(state=state))
        await pilot.pause()
        assert inside(pilot.app)
        pane.show(TriageStateChanged(state=state, reason="questions.json is missing"))
        await pilot.pause()
        assert "questions.json is missing" in inside(pilot.app)
        pane.show(OK)
        await pilot.pause()
        assert inside(pilot.app) == ["nothing judged yet"]

    in_app(pane, do=do)


def test_clearing_empties_it() -> None:
    pane = TriagePane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(ValueRead(field="due", status="accepted", value="Friday"))
        for message in (OK, signals(), content("Brief."), cleared(TS + 1)):
            pane.show(message)
        await pilot.pause()
        assert inside(pilot.app) == ["nothing judged yet"]
        pane.show(content("Too late.", TS))
        await pilot.pause()
        assert inside(pilot.app) == ["nothing judged yet"]

    in_app(pane, do=do)


@pytest.mark.parametrize("order", ORDERS)
def test_whatever_order_the_last_of_each_stage_comes_in_the_later_one_holds(order: tuple[int, ...]) -> None:
    messages = (signals(30.0), content("The brief.", 20.0), cleared(10.0))
    triage = Triage()
    for at in order:
        triage.follow(messages[at])
    assert triage.ts == 30.0
    assert triage.content is not None
    assert triage.content.brief == "The brief."


@pytest.mark.parametrize("order", ORDERS)
def test_a_later_clearing_holds_in_any_order(order: tuple[int, ...]) -> None:
    messages = (signals(10.0), content("The brief.", 20.0), cleared(30.0))
    triage = Triage()
    for at in order:
        triage.follow(messages[at])
    assert triage.ts is None
    assert triage.signals is triage.content is None


def test_new_signals_keep_the_brief() -> None:
    triage = Triage()
    triage.follow(content("Still true.", 10.0))
    triage.follow(signals(20.0, ITEMS[:1]))
    assert triage.content is not None
    assert triage.signals is not None
    assert len(triage.signals.items) == 1


def test_values_stand_with_the_signals_and_the_newest_of_a_field_holds() -> None:
    pane = TriagePane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(OK)
        pane.show(ValueRead(field="amount", status="unclear", why="two numbers"))
        pane.show(ValueRead(field="due", status="accepted", value="Friday"))
        pane.show(ValueRead(field="amount", status="accepted", value="1200", span="twelve", utterance="u7"))
        pane.show(ValueRead(field="rate", status="unparseable", span="a lot"))
        await pilot.pause()
        assert [line.strip() for line in inside(pilot.app)] == [
            "due: Friday",
            "amount: 1200 “twelve” u7",
            "rate: unparseable “a lot” ⚠",
        ]
        pane.view.focus()
        await pilot.press("enter")
        await pilot.pause()

    app = in_app(pane, do=do)
    assert [message.utterance for message in app.posted if isinstance(message, JumpTo)] == ["u7"]


def test_the_questions_swap_in_and_back() -> None:
    pane = TriagePane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(OK)
        pane.view.focus()
        pane.toggle_questions()
        await pilot.pause()
        assert inside(pilot.app) == [
            "blocker · noul", "Blocked?", "  • true: stuck", "  • false: free", "",
            "decision_status · choice", "How far is it?", "  • open", "  • made", "",
            "urgency · score", "How urgent?", "  • 0 low", "  • 1 medium", "  • 2 high",
        ]  # fmt: skip
        assert "Questions [inf 0]" in lines_of(pilot.app)[0]
        assert pane.questions.has_focus
        pane.toggle_questions()
        await pilot.pause()
        assert inside(pilot.app) == ["nothing judged yet"]
        assert pane.view.has_focus

    in_app(pane, do=do)


def test_without_questions_their_view_says_so() -> None:
    pane = TriagePane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(TriageStateChanged(state="no_questions", reason="questions.json is missing"))
        pane.toggle_questions()
        await pilot.pause()
        assert inside(pilot.app) == ["no questions are loaded", "questions.json is missing"]

    in_app(pane, do=do)


def test_a_long_brief_can_be_scrolled_and_stays_where_it_is_read() -> None:
    pane = TriagePane()
    brief = "\n".join(f"- point {number}" for number in range(60))

    async def do(pilot: Pilot[None]) -> None:
        pane.show(content(brief))
        await pilot.pause()
        pane.view.focus()
        await pilot.press("pagedown", "pagedown")
        await pilot.pause()
        before = inside(pilot.app)
        assert "- point 36" in before
        pane.show(content(brief + "\n- one more", TS + 1))
        await pilot.pause()
        assert inside(pilot.app) == before
        await pilot.press("G")
        await pilot.pause()
        assert "- one more" in inside(pilot.app)

    in_app(pane, do=do)


def test_the_border_tells_what_the_llm_lane_does() -> None:
    pane = TriagePane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(LaneChanged(name="llm", state="busy", depth=1))
        await pilot.pause()
        assert "Triage [inf 1] · busy" in lines_of(pilot.app)[0]

    in_app(pane, do=do)


def test_what_is_shown_is_copied() -> None:
    pane = TriagePane()
    for message in (OK, content("A.\nB.")):
        pane.show(message)
    assert pane.line_text().endswith("\nA.\nB.")


def test_the_summary_and_the_words_after_it() -> None:
    pane = SummaryPane()

    async def do(pilot: Pilot[None]) -> None:
        assert inside(pilot.app) == ["nothing summed up yet"]
        pane.show(SummaryChanged(summary="- One.\n- Two.", recent="Anna: And three."))
        await pilot.pause()
        assert inside(pilot.app) == ["- One.", "- Two.", "", "Since then", "Anna: And three."]
        assert pane.line_text() == "- One.\n- Two.\n\nSince then\nAnna: And three."

    in_app(pane, do=do)


def test_a_summary_is_never_blank() -> None:
    assert summary_lines(" \n", "")
