"""Every key: what it sends, or what it shows. No key decides anything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from stt_daemon.apps.tui.keys import KEYS, MORE_KEYS
from stt_daemon.apps.tui.quitting import QuittingScreen
from stt_daemon.messages import (
    CaptureChanged,
    ChatSaid,
    ControlReceived,
    ModeChanged,
    ShutdownRequested,
    ToggleChanged,
)
from tests.tui.interface import Shown, in_interface
from tests.tui.saying import reply, said

Check = Callable[[Shown], Awaitable[None]]


async def _questions(one: Shown) -> None:
    assert not one.has("Is somebody stuck?")
    await one.press("s")
    assert one.has("Questions [inf 0]", "Is somebody stuck?")
    await one.press("s")
    assert one.has("Triage [inf 0]")
    assert not one.has("Is somebody stuck?")


async def _chat(one: Shown) -> None:
    await one.press("c")
    assert one.sent.lines == ["/chat"]
    await one.tell(ModeChanged(mode="chat", why="/chat"))
    await one.press(*"hi q", "enter")
    assert one.sent.lines == ["/chat", "hi q"]
    await one.press("escape", "c")
    assert one.sent.lines == ["/chat", "hi q"]  # in chat mode already: only the input is opened


async def _command(one: Shown) -> None:
    await one.press("colon", *"find x", "enter")
    assert one.sent.lines == ["/find x"]


async def _mute(one: Shown) -> None:
    await one.press("m")
    await one.tell(CaptureChanged(state="muted", device="mic", rate=48_000))
    await one.press("m")
    await one.tell(CaptureChanged(state="paused", device="mic", rate=48_000))
    await one.press("m")
    assert one.sent.lines == ["/mute", "/unmute", "/resume"]


async def _search(one: Shown) -> None:
    await one.tell(*[said(n, "needle" if n in (3, 50) else "hay") for n in range(1, 100)])
    await one.press("slash", *"needle")
    assert one.has("2/2 “needle”", "10:02:30")
    await one.press("up")
    assert one.has("1/2 “needle”", "10:00:09")
    await one.press("down")
    assert one.has("2/2 “needle”")
    await one.press("escape")
    assert not one.has("“needle”")


async def _to_triage(one: Shown) -> None:
    await one.tell(ToggleChanged(name="send_to_triage", on=False))
    await one.press("t")
    await one.tell(ToggleChanged(name="send_to_triage", on=True))
    await one.press("t")
    assert one.sent.lines == ["/triage on", "/triage off"]


async def _transcripts(one: Shown) -> None:
    await one.tell(ToggleChanged(name="send_transcripts", on=True))
    await one.press("r")
    await one.tell(ToggleChanged(name="send_transcripts", on=False))
    await one.press("r")
    assert one.sent.lines == ["/transcripts off", "/transcripts on"]


async def _devices(one: Shown) -> None:
    await one.press("d")
    assert one.has("Audio inputs", "● Built-in Audio", "default", "Monitor of it", "what the computer plays")
    await one.press("escape")
    assert not one.has("Audio inputs")


async def _copy(one: Shown) -> None:
    await one.tell(said(1, "first"), said(2, "second"), ChatSaid(role="user", exchange=1, text="Why?"))
    await one.tell(reply("Because.\nReally."))
    await one.press("up", "up", "y")
    assert "first" in one.copied[-1]
    assert "second" not in one.copied[-1]
    await one.press("shift+tab", "y")
    assert one.copied[-1] == "Because.\nReally."


async def _ends(one: Shown) -> None:
    await one.tell(*[said(n) for n in range(1, 200)])
    await one.press("g")
    assert one.has("sentence number 1 of")
    assert not one.has("number 199")
    await one.tell(said(200))
    assert one.has("1 new ↓")
    await one.press("G")
    assert one.has("number 200")
    assert not one.has("new ↓")


async def _help(one: Shown) -> None:
    await one.press("question_mark")
    for key in (*KEYS, *MORE_KEYS):
        assert key.does in one.screen, key
    await one.press("escape")
    assert not one.has("esc closes")


async def _quit(one: Shown, key: str = "q") -> None:
    await one.press(key)
    assert len(one.sent.of(ShutdownRequested)) == 1
    assert isinstance(one.app.screen, QuittingScreen)
    await one.press(key)
    assert len(one.sent.of(ShutdownRequested)) == 2
    assert one.app.return_code is None, "the end comes from the supervisor, when all is drained"


def sends(key: str, line: str) -> Check:
    async def check(one: Shown) -> None:
        await one.press(key)
        assert one.sent.lines == [line]

    return check


CHECKS: dict[str, Check] = {
    "s": _questions,
    "c": _chat,
    "colon": _command,
    "m": _mute,
    "space": sends("space", "/mark"),
    "slash": _search,
    "t": _to_triage,
    "r": _transcripts,
    "n": sends("n", "/new"),
    "x": sends("x", "/clear"),
    "e": sends("e", "/export"),
    "d": _devices,
    "y": _copy,
    "g": _ends,
    "G": _ends,
    "question_mark": _help,
    "q": _quit,
    "i": sends("i", "/idle"),
}


@pytest.mark.parametrize("key", CHECKS)
def test_a_key(key: str) -> None:
    in_interface(CHECKS[key], size=(120, 50))


def test_no_key_is_without_a_test() -> None:
    tried = {*CHECKS, "ctrl+c,ctrl+q", "tab", "shift+tab", "ctrl+p"}
    assert {key.keys for key in (*KEYS, *MORE_KEYS)} == tried


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+q"])
@pytest.mark.parametrize("where", ["", "c", "slash", "question_mark", "d", "ctrl+p"])
def test_these_keys_quit_from_everywhere(key: str, where: str) -> None:
    async def do(one: Shown) -> None:
        if where:
            await one.press(where)
        await _quit(one, key)

    in_interface(do)


def test_tab_goes_from_pane_to_pane_and_shift_tab_back() -> None:
    async def do(one: Shown) -> None:
        seen = []
        for key in ("tab", "tab", "tab", "tab", "shift+tab"):
            await one.press(key)
            seen.append(one.app.deck.here)
        assert seen == ["triage", "summary", "chat", "transcript", "chat"]

    in_interface(do)


def test_the_palette_lists_every_key_and_does_what_the_key_does() -> None:
    async def do(one: Shown) -> None:
        names = {command.title for command in one.app.get_system_commands(one.app.screen)}
        for key in (*KEYS, *MORE_KEYS):
            if key.keys != "ctrl+p":
                assert f"{key.label.capitalize()} ({key.shown})" in names
        await one.press("ctrl+p", *"mark")
        for _ in range(50):
            if one.has("Mark this moment"):
                break
            await one.pilot.pause(0.05)
        await one.press("down", "enter")
        for _ in range(50):
            if one.sent.lines:
                break
            await one.pilot.pause(0.05)
        assert one.sent.lines == ["/mark"]

    in_interface(do)


def test_letters_typed_into_the_chat_are_no_keys() -> None:
    async def do(one: Shown) -> None:
        await one.press("c", *"qxnmtresdyg", "enter")
        assert one.sent.lines == ["/chat", "qxnmtresdyg"]
        assert not one.sent.of(ShutdownRequested)

    in_interface(do)


def test_without_triage_its_keys_do_nothing_and_are_dimmed() -> None:
    async def do(one: Shown) -> None:
        await one.press("s", "t")
        assert not one.sent.of(ControlReceived)
        assert not one.has("Triage [")
        assert not one.has("Summary")
        assert one.has("s questions")

    in_interface(do, config={})


def test_a_click_on_a_key_of_the_footer_is_that_key() -> None:
    async def do(one: Shown) -> None:
        x = one.line("m mute").index("m mute")
        await one.pilot.click(offset=(x, one.app.size.height - 2))
        await one.settle()
        assert one.sent.lines == ["/mute"]

    in_interface(do)


def test_a_citation_leads_to_its_line_and_an_unknown_one_says_so() -> None:
    async def do(one: Shown) -> None:
        await one.tell(*[said(n) for n in range(1, 200)])
        await one.tell(reply("It was said early [u3]."))
        await one.press("shift+tab", "enter")
        assert one.has("sentence number 3 of")
        assert one.app.deck.here == "transcript"
        await one.tell(reply("Or not [u999].", 2))
        await one.press("shift+tab", "escape", "enter")
        assert one.has("u999 is not in the transcript")

    in_interface(do)
