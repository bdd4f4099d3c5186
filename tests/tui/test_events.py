"""Every event that reaches the interface: what it changes on the screen; hostile text changes no more."""

from __future__ import annotations

import dataclasses
import re
import typing
from typing import Any

import pytest

from stt_daemon.messages import (
    CaptureChanged,
    ChatSaid,
    ChildChanged,
    CommandChanged,
    CoverageChanged,
    FactChanged,
    Failed,
    LagChanged,
    LaneChanged,
    LevelMeasured,
    Message,
    ModeChanged,
    SessionChanged,
    SpeechChanged,
    SummaryChanged,
    ToggleChanged,
    TranscriptMissed,
    TriageChanged,
    TriageStateChanged,
    TurnEnded,
    ValueRead,
    Warned,
    message_types,
)
from stt_daemon.supervisor.routing import Origin, destinations
from tests.tui.interface import Shown, in_interface
from tests.tui.saying import HOSTILE, gap, mark, partial, reply, said
from tests.tui.screens import widths_of, written_by

ITEM = {"qid": "blocker", "type": "noul", "p": 0.72, "flagged": True, "confidence": 0.9}

SEEN: list[tuple[Message, str]] = [
    (SessionChanged(state="opened", id="20260202-080000", dir="/x"), "20260202-080000"),
    (ChildChanged(name="transcription", state="backoff", reason="killed by SIGKILL"), "killed by SIGKILL"),
    (ChildChanged(name="transcription", state="backoff"), "NOT RECORDING"),
    (LaneChanged(name="whisper", state="loading"), "loading the speech model"),
    (LaneChanged(name="llm", state="busy", depth=3), "[inf 3] · busy"),
    (CaptureChanged(state="lost", device="USB Mic", rate=48_000, reason="unplugged"), "unplugged"),
    (CaptureChanged(state="paused", device="USB Mic", rate=48_000), "○ paused"),
    (LevelMeasured(db=-6.0, clipping=False), "━━━━━━━━━━━─"),
    (SpeechChanged(state="start", t=1.0), "● live"),
    (partial("so what we", "could do", t0=5.0), "so what we could do"),
    (said(1, "a whole sentence"), "10:00:03 Anna: a whole sentence"),
    (LagChanged(seconds=12.0), "lag  12 s"),
    (gap(1, 90.0), "device lost"),
    (TurnEnded(utterances=("u1",)), "● live"),
    (ModeChanged(mode="chat", why="/chat"), "Chatting"),
    (ToggleChanged(name="send_transcripts", on=True), "r speech"),
    (mark(9.0, "look here"), "look here"),
    (ChatSaid(role="user", exchange=1, text="What now?"), "What now?"),
    (reply("*Nothing* more"), "Nothing more"),
    (ChatSaid(role="notice", exchange=0, text="the model is away"), "the model is away"),
    (CommandChanged(id="export", state="done", reason="written to x.md"), "written to x.md"),
    (CommandChanged(id="new", state="refused", reason="not now"), "not now"),
    (TriageChanged(stage="signals", ts=1.0, order=("blocker",), items=(ITEM,)), "blocker: 0.72"),
    (TriageChanged(stage="content", ts=1.0, brief="They agreed."), "They agreed."),
    (TriageStateChanged(state="unavailable", reason="no torch here"), "no torch here"),
    (CoverageChanged(through="u7", pending=2), "2"),
    (FactChanged(op="add", id="f1", text="x"), "● live"),
    (ValueRead(field="amount", status="accepted", value="42 EUR"), "42 EUR"),
    (Warned(where="audio", code="overflow", message="samples were lost"), "samples were lost"),
    (Failed(where="whisper", code="gone", message="no such model"), "no such model"),
]
"""What is not seen by itself (a turn, a fact) leaves the rest as it is."""


@pytest.mark.parametrize(("message", "text"), SEEN, ids=lambda value: getattr(value, "topic", ""))
def test_an_event_is_seen(message: Message, text: str) -> None:
    async def do(one: Shown) -> None:
        await one.tell(message)
        assert text in one.screen

    in_interface(do)


def test_the_summary_is_seen_in_its_tab_and_marked_until_then() -> None:
    async def do(one: Shown) -> None:
        await one.tell(SummaryChanged(summary="It was about ships.", recent=""))
        assert one.has("Summary•")
        await one.press("tab", "tab")
        assert one.has("It was about ships.")
        assert not one.has("Summary•")

    in_interface(do)


def test_no_event_is_without_a_test() -> None:
    origins: tuple[Origin, ...] = ("supervisor", "transcription", "assistant")
    reaching = {
        kind
        for kind in message_types()
        if any("tui" in destinations(origin, kind.topic) for origin in origins)
    }
    # The bridge turns what was missed into the lines themselves.
    assert reaching == {type(message) for message, _ in SEEN} | {SummaryChanged, TranscriptMissed}


def test_a_reply_streams() -> None:
    async def do(one: Shown) -> None:
        for piece in ("The ans", "wer is", " 42."):
            await one.tell(ChatSaid(role="assistant", exchange=1, delta=piece, final=False))
        assert one.has("The answer is 42.")

    in_interface(do)


def test_the_level_falls_slowly_and_shows_clipping() -> None:
    async def do(one: Shown) -> None:
        await one.tell(LevelMeasured(db=0.0, clipping=True))
        loud = one.line("● live").count("━")
        await one.tell(LevelMeasured(db=-60.0, clipping=False))
        assert loud == 12
        assert 0 < one.line("● live").count("━") < loud

    in_interface(do)


def test_the_language_of_the_last_words_is_shown() -> None:
    async def do(one: Shown) -> None:
        await one.tell(dataclasses.replace(said(1), language="fr"))
        assert "  fr  lag" in one.line("● live")

    in_interface(do)


def test_the_same_warning_twice_is_one_toast_and_many_make_room() -> None:
    async def do(one: Shown) -> None:
        warned = Warned(where="audio", code="x", message="the very same")
        await one.tell(warned, warned)
        assert one.screen.count("the very same") == 1
        await one.tell(*[Warned(where="w", code="x", message=f"number {n}") for n in range(20)])
        assert one.has("number 19")
        assert sum(f"number {n}" in one.screen for n in range(20)) <= 4

    in_interface(do)


def test_a_toast_tells_what_a_command_came_to_when_the_chat_is_out_of_sight() -> None:
    async def do(one: Shown) -> None:
        await one.tell(CommandChanged(id="export", state="done", reason="written to x.md"))
        assert one.has("written to x.md")

    in_interface(do, size=(60, 20))


# Hostile text, in every field of every message

SEQUENCE = re.compile(r"\x1b\[[0-9;]*[mHABCD]")
STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def hostile(kind: Any, text: str) -> Any:
    """A message, or a value of that type, with the text wherever one may be."""
    origin = typing.get_origin(kind)
    if origin is typing.Literal:
        return typing.get_args(kind)[0]
    if origin is tuple:
        return (hostile(typing.get_args(kind)[0], text),)
    if origin is dict:
        return {text: text, "qid": text, "type": "choice", "selected": text, "reason": text}
    if origin is typing.Union or origin is type(int | None):
        return hostile(typing.get_args(kind)[0], text)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        names = [field.name for field in dataclasses.fields(kind)]
        return typing.cast(Any, kind)(**{name: hostile(hints[name], text) for name in names})
    return {str: text, int: 3, float: 1.5, bool: True, Any: text}[kind]


def assert_harmless(one: Shown, name: str) -> None:
    written = SEQUENCE.sub("", written_by(one.app)).replace("\n", "")
    assert not STEERING.search(written), name
    assert widths_of(one.app) == {one.app.size.width}, name


@pytest.mark.parametrize("size", [(120, 40), (40, 12)])
def test_hostile_text_changes_nothing_outside_its_own_line(size: tuple[int, int]) -> None:
    public = [kind for kind in message_types() if kind.public or kind is TriageStateChanged]

    async def do(one: Shown) -> None:
        for name, text in HOSTILE.items():
            # Not the states of children: there are few, and the way out covers the screen.
            await one.tell(*[hostile(kind, text) for kind in public if kind is not ChildChanged])
            for keys in ((), ("s",), ("tab",), ("tab",)):
                await one.press(*keys)
                assert_harmless(one, name)
        for name, text in HOSTILE.items():
            await one.tell(ChildChanged(name="transcription", state="draining", reason=text))
            assert_harmless(one, name)

    in_interface(do, size=size)


def test_bracketed_text_is_shown_unchanged_in_a_toast_the_header_and_the_banner() -> None:
    text = "a [/INST] b [/] [bold]c"

    async def do(one: Shown) -> None:
        await one.tell(Warned(where="[red]w", code="c", message=text))
        await one.tell(CaptureChanged(state="lost", device="[/mic]", rate=1, reason=text))
        assert one.screen.count(text) == 2
        assert one.has("[red]w", "[/mic]")

    in_interface(do)


def test_no_event_and_no_order_of_them_needs_a_session_first() -> None:
    async def do(one: Shown) -> None:
        await one.tell(*[message for message, _ in reversed(SEEN)])
        assert one.has("lag")

    in_interface(do, begun=False)
