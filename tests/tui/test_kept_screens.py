"""How the panes look: characters and styles at the sizes that matter. See `screens` for renewing them."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from stt_daemon.apps.tui.chat import ChatPane
from stt_daemon.apps.tui.summary import SummaryPane
from stt_daemon.apps.tui.transcript import TranscriptPane
from stt_daemon.apps.tui.triage import TriagePane
from stt_daemon.messages import (
    ChatSaid,
    CommandChanged,
    CoverageChanged,
    LaneChanged,
    SummaryChanged,
    TriageChanged,
    TriageStateChanged,
    ValueRead,
)
from tests.tui.saying import delta, gap, partial, reply, said
from tests.tui.screens import check_screen, in_app

SIZES = [(120, 40), (80, 24), (40, 12), (20, 12)]


def transcript() -> TranscriptPane:
    pane = TranscriptPane()
    for number in range(1, 30):
        pane.show(said(number, speaker="Anna" if number % 2 else "Ben"))
    pane.show(gap(30, 90.0))
    pane.show(said(31, "a [/INST] b [/] 日本語テスト ❤️ and words that go on and on and on"))
    pane.show(partial("and then we could", "perhaps go over the numbers", t0=95.0))
    return pane


def chat() -> ChatPane:
    pane = ChatPane()
    pane.show(LaneChanged(name="llm", state="busy", depth=2))
    pane.show(ChatSaid(role="user", exchange=1, text="What did we decide?"))
    pane.show(
        reply(
            "The beta ships on **Friday** [u22], *if*:\n\n1. tests pass\n2. `make` works\n\n```sh\nmake\n```"
        )
    )
    pane.show(CommandChanged(id="export", state="done", reason="written to session.md"))
    pane.show(CommandChanged(id="new", state="asked", reason="Really?"))
    pane.show(delta("Anna tests [u22], and", 2))
    return pane


def triage() -> TriagePane:
    pane = TriagePane(lambda _: "10:00:27")
    items = (
        {
            "qid": "decision_status",
            "type": "choice",
            "selected": "made",
            "confidence": 0.91,
            "flagged": False,
        },
        {"qid": "blocker", "type": "noul", "p": 0.72, "flagged": True},
        {"qid": "deadline", "type": "noul", "p": 0.31, "flagged": False},
    )
    brief = "Summary:\nThe beta ships on Friday.\n\nDecisions:\n- Anna tests, Ben packs, both look at it."
    pane.show(TriageStateChanged(state="unavailable", reason="Laya answered with an error"))
    pane.show(TriageChanged(stage="content", ts=0.0, items=items, brief=brief))
    pane.show(CoverageChanged(through="u9", pending=3, uncovered=("u3", "u4")))
    pane.show(ValueRead(field="amount", status="accepted", value="1200", span="twelve", utterance="u7"))
    return pane


def summary() -> SummaryPane:
    pane = SummaryPane()
    pane.show(
        SummaryChanged(summary="- The beta ships on Friday.\n- Anna tests.", recent="Ben: And the notes?")
    )
    return pane


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("make", [transcript, chat, triage, summary])
def test_it_looks_as_it_was_kept(
    make: Callable[[], Widget], size: tuple[int, int], renew: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()

    async def do(pilot: Pilot[None]) -> None:
        check_screen(pilot.app, f"{make.__name__}-{size[0]}x{size[1]}", renew)

    in_app(make(), size=size, do=do)
