"""Header, banner, sizes, themes, and the way out."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from stt_daemon.apps.tui.arrangement import PaneName, arrange
from stt_daemon.apps.tui.footer import footer_rows
from stt_daemon.apps.tui.keys import KEYS
from stt_daemon.messages import (
    CaptureChanged,
    ChildChanged,
    ChildReady,
    Heartbeat,
    LagChanged,
    LaneChanged,
    LevelMeasured,
    SummaryChanged,
    TriageChanged,
)
from tests.tui.interface import LIVE, SESSION, Shown, in_interface
from tests.tui.saying import mark, partial, reply, said
from tests.tui.screens import check_screen, colours_of, widths_of


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times of triages and marks are shown as local ones."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def meeting(one: Shown) -> None:
    """A screen with something of everything."""
    items = ({"qid": "blocker", "type": "noul", "p": 0.72, "flagged": True},)
    await one.tell(*[said(n, speaker="Anna" if n % 3 else "Ben") for n in range(1, 12)])
    await one.tell(mark(30.0, "for the minutes"), partial("and then we", "could ship it", t0=40.0))
    await one.tell(reply("The beta ships on **Friday** [u9].\n\n- Anna tests\n- Ben packs"))
    await one.tell(LaneChanged(name="llm", state="busy", depth=1), LagChanged(seconds=2.0))
    await one.tell(
        TriageChanged(stage="content", ts=0.0, order=("blocker",), items=items, brief="All is well.")
    )
    await one.tell(SummaryChanged(summary="A meeting.", recent=""))


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
def test_the_screen_as_it_was_kept(
    size: tuple[int, int], renew: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def do(one: Shown) -> None:
        await meeting(one)
        check_screen(one.app, f"interface-{size[0]}x{size[1]}", renew)

    in_interface(do, size=size)


@pytest.mark.parametrize("name", ["help", "devices", "quitting", "lost", "light"])
def test_other_screens_as_they_were_kept(name: str, renew: bool) -> None:
    config = {"tui": {"theme": "light"}} if name == "light" else {}

    async def do(one: Shown) -> None:
        await meeting(one)
        if name == "help":
            await one.press("question_mark")
        elif name == "devices":
            await one.press("d")
        elif name == "quitting":
            await one.tell(LagChanged(seconds=12.0))
            await one.tell(ChildChanged(name="transcription", state="draining"))
        elif name == "lost":
            await one.tell(CaptureChanged(state="lost", device="USB Mic", rate=48_000, reason="unplugged"))
        check_screen(one.app, f"interface-{name}", renew)

    in_interface(do, size=(90, 40), config=config)


@pytest.mark.parametrize("keys", [(), ("question_mark",), ("d",), ("c", "x"), ("q",), ("slash", "a")])
def test_any_size_is_drawn(keys: tuple[str, ...]) -> None:
    async def do(one: Shown) -> None:
        await meeting(one)
        await one.press(*keys)
        for width, height in ((1, 1), (300, 2), (2, 12), (5, 3), (20, 6), (39, 100), (71, 12), (72, 17)):
            await one.pilot.resize_terminal(width, height)
            await one.settle()
            assert widths_of(one.app) == {width}, (width, height)

    in_interface(do)


def test_at_twenty_columns_state_and_lag_and_the_words_are_there() -> None:
    async def do(one: Shown) -> None:
        await one.tell(said(1, "some words"), LagChanged(seconds=3.0))
        assert one.has("● live", "3s", "words", "q quit")

    in_interface(do, size=(20, 12))


def test_a_resize_keeps_the_pane_the_user_is_in() -> None:
    async def do(one: Shown) -> None:
        await one.press("shift+tab")
        await one.pilot.resize_terminal(40, 12)
        await one.settle()
        assert one.app.deck.in_sight == {"chat"}
        await one.pilot.resize_terminal(120, 40)
        await one.settle()
        assert {"chat", "transcript"} < one.app.deck.in_sight

    in_interface(do)


def test_on_a_narrow_screen_tabs_name_the_panes_and_can_be_clicked() -> None:
    async def do(one: Shown) -> None:
        await one.tell(reply("news"))
        assert one.has("Transcript  Triage  Summary  Chat•")
        await one.pilot.click(offset=(one.line("Chat•").index("Chat"), 1))
        await one.settle()
        assert one.app.deck.in_sight == {"chat"}
        assert one.has("news")

    in_interface(do, size=(60, 20))


PANES: tuple[PaneName, ...] = ("transcript", "triage", "summary", "chat")


@pytest.mark.parametrize(
    ("width", "height", "front", "shown", "tabs"),
    [
        (120, 40, "transcript", {"transcript", "triage", "chat"}, ("triage", "summary")),
        (120, 40, "summary", {"transcript", "summary", "chat"}, ("triage", "summary")),
        (120, 12, "transcript", {"transcript", "triage"}, ("triage", "summary", "chat")),
        (120, 12, "chat", {"transcript", "chat"}, ("triage", "summary", "chat")),
        (40, 40, "chat", {"chat"}, PANES),
    ],
)
def test_which_panes_are_in_sight(
    width: int, height: int, front: PaneName, shown: set[str], tabs: tuple[str, ...]
) -> None:
    fronts = [front, *[name for name in PANES if name != front]]
    arrangement = arrange(width, height, PANES, fronts)
    assert arrangement.shown == shown
    assert arrangement.tabs == tabs


@pytest.mark.parametrize(("width", "height", "rows"), [(118, 40, 2), (78, 24, 2), (38, 12, 1), (118, 12, 1)])
def test_all_keys_are_in_the_footer(width: int, height: int, rows: int) -> None:
    found = footer_rows(width, height)
    assert len(found) == rows
    assert [key for row, _ in found for key in row] == list(KEYS)


# Not recording


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (CaptureChanged(state="muted", device="mic", rate=1), "NOT RECORDING · muted · m listens again"),
        (CaptureChanged(state="paused", device="mic", rate=1), "NOT RECORDING · paused · m records again"),
        (CaptureChanged(state="lost", device="mic", rate=1, reason="unplugged"), "no microphone (unplugged)"),
        (CaptureChanged(state="ended", device="x.wav", rate=1), "the source has ended"),
        (ChildChanged(name="transcription", state="failed", reason="given up"), "failed (given up)"),
        (ChildChanged(name="transcription", state="backoff"), "is being started again"),
    ],
)
def test_a_red_banner_says_that_and_why_nothing_is_recorded(
    change: CaptureChanged | ChildChanged, words: str
) -> None:
    async def do(one: Shown) -> None:
        assert not one.has("NOT RECORDING")
        await one.tell(change)
        assert one.has("NOT RECORDING", words)
        assert one.app.query_one("#banner").has_class("-alarm")
        await one.tell(ChildChanged(name="transcription", state="ready"), LIVE)
        assert not one.has("NOT RECORDING")

    in_interface(do)


def test_opening_a_source_is_an_alarm_only_when_it_takes_long() -> None:
    async def do(one: Shown) -> None:
        await one.tell(SESSION, CaptureChanged(state="starting", device="", rate=0))
        assert not one.has("NOT RECORDING")
        one.clock.advance(3.0)
        await one.tell(CaptureChanged(state="starting", device="", rate=0))
        assert one.has("NOT RECORDING · opening the source")

    in_interface(do, begun=False)


def test_models_that_load_are_named_with_the_time_they_take() -> None:
    async def do(one: Shown) -> None:
        began = one.clock.wall()
        await one.tell(LIVE, LaneChanged(name="whisper", state="loading", at=began))
        await one.tell(LaneChanged(name="laya", state="loading", at=began))
        one.clock.advance(7.0)
        await one.tell(LagChanged(seconds=7.0))
        assert one.has("loading the speech model 7 s · loading the triage model 7 s")
        await one.tell(said(1, "heard before the model is there"))
        await one.tell(LaneChanged(name="whisper", state="ready"), LaneChanged(name="laya", state="ready"))
        assert not one.has("loading the")

    in_interface(do, begun=False)


def test_the_meter_is_empty_while_nothing_is_recorded() -> None:
    async def do(one: Shown) -> None:
        await one.tell(LevelMeasured(db=-3.0, clipping=False))
        await one.tell(CaptureChanged(state="muted", device="mic", rate=1))
        assert "━" not in one.line("○ muted")

    in_interface(do)


# The way in and out


def test_it_is_ready_and_beats_its_heart() -> None:
    async def do(one: Shown) -> None:
        assert one.sent.of(ChildReady)
        assert one.sent.of(Heartbeat)

    in_interface(do, begun=False)


def test_the_way_out_shows_what_still_drains() -> None:
    async def do(one: Shown) -> None:
        await one.tell(LagChanged(seconds=42.0), LaneChanged(name="llm", state="busy", depth=1))
        await one.tell(ChildChanged(name="transcription", state="draining"))
        assert one.has("Stopping", "▸ Transcript", "42 s of audio to write down", "2 answers to finish")
        await one.tell(LagChanged(seconds=7.0))
        assert one.has("7 s of audio to write down")
        await one.tell(ChildChanged(name="transcription", state="stopped"))
        await one.tell(ChildChanged(name="assistant", state="draining"))
        assert one.has("✓ Transcript", "▸ Assistant")

    in_interface(do)


# Colours


@pytest.mark.parametrize("theme", ["dark", "light", "no-colour", "nord", "no such theme"])
def test_a_theme(theme: str) -> None:
    async def do(one: Shown) -> None:
        await meeting(one)
        assert one.has("● live", "sentence number 1 ")
        if theme == "no such theme":
            assert one.has("there is no theme no such theme")

    in_interface(do, config={"tui": {"theme": theme}})


def test_without_colours_there_are_only_greys() -> None:
    async def do(one: Shown) -> None:
        await meeting(one)
        await one.tell(CaptureChanged(state="lost", device="mic", rate=1))
        colours = colours_of(one.app)
        assert colours
        assert all(max(colour) - min(colour) <= 1 for colour in colours)

    in_interface(do, config={"tui": {"theme": "no-colour"}})
