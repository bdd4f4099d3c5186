"""Whatever a text holds, it changes nothing outside its own line, and columns stay where they are."""

from __future__ import annotations

import re

import pytest
from textual.pilot import Pilot

from stt_daemon.apps.tui.chat import ChatPane
from stt_daemon.apps.tui.summary import SummaryPane
from stt_daemon.apps.tui.transcript import TranscriptPane
from stt_daemon.apps.tui.triage import TriagePane
from stt_daemon.messages import (
    ChatSaid,
    CommandChanged,
    CoverageChanged,
    SessionChanged,
    SummaryChanged,
    TriageChanged,
    TriageStateChanged,
    ValueRead,
)
from tests.tui.saying import HOSTILE, delta, gap, mark, partial, reply, said
from tests.tui.screens import in_app, lines_of, widths_of, written_by

_OWN_SEQUENCES = re.compile(r"\x1b\[[0-9;]*[mH]")
SIZES = [(80, 24), (20, 12)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_in_every_field_of_every_pane(text: str, size: tuple[int, int]) -> None:
    transcript, chat, triage, summary = TranscriptPane(), ChatPane(), TriagePane(), SummaryPane()
    transcript.load([])
    item = {"qid": text, "type": "choice", "selected": text, "flagged": True, "confidence": 0.5}
    scored = {"qid": text + "2", "type": "score", "label": text, "level": 1}
    question = {"type": text, "instructions": text, "criteria": {text: text}}

    async def do(pilot: Pilot[None]) -> None:
        for pane in (transcript, chat, triage, summary):
            pane.styles.display = "none"
        for pane in (transcript, chat, triage, summary):
            pane.styles.display = "block"
            if pane is transcript:
                pane.show(SessionChanged(state="opened", id="a", dir=text))
                pane.show(SessionChanged(state="opened", id=text, dir=text))
                pane.show(said(1, text, speaker=text))
                pane.show(gap(2, 4.0, text))
                pane.show(mark(7.0, text))
                pane.show(partial(text, text, t0=9.0))
                pane.find(text)
            elif pane is chat:
                pane.show(ChatSaid(role="user", exchange=1, text=text))
                pane.show(ChatSaid(role="notice", exchange=1, text=text))
                pane.show(CommandChanged(id=text, state="failed", reason=text))
                pane.show(reply(text))
                pane.show(delta(text, 2))
                pane.entry.value = text
            elif pane is triage:
                pane.show(TriageStateChanged(state="unavailable", reason=text, questions={text: question}))
                both = {"order": (text,), "items": (item, scored)}
                pane.show(TriageChanged(stage="content", ts=1.0, brief=text, **both))
                pane.show(CoverageChanged(through=text, uncovered=(text, text)))
                pane.show(ValueRead(field=text, status="accepted", value=text, span=text, utterance=text))
            else:
                pane.show(SummaryChanged(summary=text, recent=text))
            for _ in range(2):
                await pilot.pause()
                _only_its_own_line(pilot, size)
                if pane is triage:
                    pane.toggle_questions()
            pane.styles.display = "none"

    in_app(transcript, chat, triage, summary, size=size, do=do)


def _only_its_own_line(pilot: Pilot[None], size: tuple[int, int]) -> None:
    app = pilot.app
    assert widths_of(app) == {size[0]}
    lines = lines_of(app)
    assert lines[0][0] == "╭"
    assert lines[0][-1] == "╮"
    assert all(line[0] == line[-1] == "│" for line in lines[1:-1])
    assert lines[-1][0] == "╰"
    assert lines[-1][-1] == "╯"
    rest = _OWN_SEQUENCES.sub("", written_by(app))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200d\ufe0f\u202a-\u202e\u2066-\u2069]", rest)


def test_what_is_pasted_into_the_input_is_held_to_the_same() -> None:
    chat = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        chat.entry.value = "a\x1b]52;c;eA==\x07b\u202ec\nd"
        assert chat.entry.value == "a]52;c;eA==bc d"

    in_app(chat, do=do)


@pytest.mark.parametrize("size", [(120, 40), (40, 12), (20, 10), (3, 3), (1, 1)])
def test_no_size_is_too_small(size: tuple[int, int]) -> None:
    panes = (TranscriptPane(), ChatPane(), TriagePane(), SummaryPane())

    async def do(pilot: Pilot[None]) -> None:
        for number, text in enumerate(HOSTILE.values(), 1):
            panes[0].show(said(number, text))
            panes[1].show(reply(text, number))
        for width, height in ((1, 1), (2, 40), (200, 2), (80, 24)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()

    in_app(*panes, size=size, do=do)
