from __future__ import annotations

from textual.pilot import Pilot

from stt_daemon.apps.tui.chat import ChatPane, LineEntered
from stt_daemon.apps.tui.jump import JumpTo
from stt_daemon.messages import ChatSaid, CommandChanged, LaneChanged, ModeChanged
from tests.tui.saying import delta, reply
from tests.tui.screens import PaneApp, in_app, lines_of


def drawn(app: PaneApp) -> str:
    return "\n".join(lines_of(app))


def jumped_to(app: PaneApp) -> list[str]:
    return [message.utterance for message in app.posted if isinstance(message, JumpTo)]


def test_a_question_and_its_answer_are_shown_under_their_names() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(ChatSaid(role="user", exchange=1, text="What now?"))
        pane.show(reply("The **beta** ships."))
        await pilot.pause()
        assert [line.strip(" │") for line in lines_of(pilot.app)[1:7]] == [
            "", "You", "What now?", "", "Assistant", "The beta ships.",
        ]  # fmt: skip

    in_app(pane, do=do)


def test_a_reply_grows_in_place_and_ends_as_what_was_finally_said() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        for piece in ("The *be", "ta* sh", "ips [u1"):
            pane.show(delta(piece))
        await pilot.pause()
        assert "The beta ships [u1" in drawn(pilot.app)
        assert "…" in drawn(pilot.app)
        pane.show(reply("The beta ships [u12].", cites=("u12",)))
        await pilot.pause()
        assert "The beta ships [u12]." in drawn(pilot.app)
        assert "…" not in drawn(pilot.app)
        assert len(pane.view.entries) == 1

    in_app(pane, do=do)


def test_a_text_that_is_not_final_replaces_what_was_streamed() -> None:
    pane = ChatPane()
    pane.show(delta("thinking about"))
    pane.show(ChatSaid(role="assistant", exchange=1, text="Answer", final=False))
    pane.show(delta(" it is"))
    assert pane.view.entries[0].text == "Answer it is"


def test_two_replies_grow_side_by_side() -> None:
    pane = ChatPane()
    for exchange, piece in ((1, "a"), (2, "x"), (1, "b"), (2, "y")):
        pane.show(delta(piece, exchange))
    pane.show(reply("ab!", 1))
    assert [entry.text for entry in pane.view.entries] == ["ab!", "xy"]


def test_a_reply_that_broke_off_keeps_what_came_and_says_why() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(delta("Half an ans"))
        pane.show(reply("", finish_reason="withdrawn"))
        pane.show(reply("A long one", 2, finish_reason="length"))
        await pilot.pause()
        assert "Half an ans" in drawn(pilot.app)
        assert "(withdrawn)" in drawn(pilot.app)
        assert "(cut off at the token limit)" in drawn(pilot.app)

    in_app(pane, do=do)


def test_only_replies_are_read_as_markdown() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(ChatSaid(role="user", exchange=1, text="**mine** - x"))
        pane.show(ChatSaid(role="notice", exchange=1, text="**notice**"))
        pane.show(CommandChanged(id="export", state="failed", reason="**no** [/] room"))
        await pilot.pause()
        for text in ("**mine** - x", "› **notice**", "› /export failed: **no** [/] room"):
            assert text in drawn(pilot.app)

    in_app(pane, do=do)


def test_enter_goes_to_the_chosen_citation() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(reply("First [u3], then [u5, u9]."))
        pane.show(ChatSaid(role="notice", exchange=1, text="something else"))
        pane.view.focus()
        await pilot.press("enter", "right", "enter", "left", "left", "enter")
        await pilot.pause()

    assert jumped_to(in_app(pane, do=do)) == ["u3", "u5", "u9"]


def test_enter_does_nothing_where_nothing_is_cited() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.view.focus()
        await pilot.press("enter", "right", "enter")
        pane.show(reply("Nothing [3]."))
        await pilot.press("up", "enter")
        await pilot.pause()

    assert jumped_to(in_app(pane, do=do)) == []


def test_a_citation_can_be_clicked() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(reply("See [u42]."))
        await pilot.pause()
        await pilot.click(ChatPane, offset=(10, 3))
        await pilot.pause()

    assert jumped_to(in_app(pane, do=do)) == ["u42"]


def test_an_entered_line_goes_upwards_as_it_is() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.open_entry()
        await pilot.pause()
        await pilot.press(*"hello", "enter", "enter")
        await pilot.press("slash", *"mute", "enter")
        await pilot.pause()
        assert pane.entry.value == ""

    app = in_app(pane, do=do)
    assert [message.text for message in app.posted if isinstance(message, LineEntered)] == ["hello", "/mute"]


def test_a_command_is_begun_without_losing_what_was_typed() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.open_entry("/")
        await pilot.pause()
        await pilot.press(*"new")
        assert pane.entry.value == "/new"
        pane.open_entry("/")
        assert pane.entry.value == "/new"

    in_app(pane, do=do)


def test_up_and_down_bring_back_what_was_entered() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.open_entry()
        await pilot.pause()
        await pilot.press(*"one", "enter", *"two", "enter", "up", "up", "up")
        assert pane.entry.value == "one"
        await pilot.press("down")
        assert pane.entry.value == "two"
        await pilot.press("down", "down")
        assert pane.entry.value == ""

    in_app(pane, do=do)


def test_escape_leaves_the_input() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.open_entry()
        await pilot.pause()
        await pilot.press("escape")
        assert pane.view.has_focus

    in_app(pane, do=do)


def test_the_border_tells_mode_and_llm_lane() -> None:
    pane = ChatPane()

    async def do(pilot: Pilot[None]) -> None:
        assert "Chat [inf 0]" in lines_of(pilot.app)[0]
        pane.show(LaneChanged(name="llm", state="busy", depth=3))
        pane.show(LaneChanged(name="whisper", state="ready", depth=9))
        pane.show(ModeChanged(mode="command", why="key"))
        await pilot.pause()
        assert "Command [inf 3] · busy" in lines_of(pilot.app)[0]

    in_app(pane, do=do)


def test_the_chat_of_a_session_is_read_from_its_file() -> None:
    pane = ChatPane()
    pane.load(
        [
            {"type": "user", "n": 1, "text": "old question", "carried": True},
            {"type": "user", "n": 2, "text": "question"},
            {"type": "assistant", "n": 2, "text": "answer [u3]", "finish_reason": "stop"},
            {"type": "assistant", "n": 3, "text": ""},
            {"type": "rewind", "to": 1},
            {"type": "user", "n": None, "text": 5},
            {},
        ]
    )
    assert [(entry.kind, entry.text) for entry in pane.view.entries] == [
        ("user", "question"),
        ("assistant", "answer [u3]"),
    ]


def test_an_answer_is_copied_as_it_was_written() -> None:
    pane = ChatPane()
    pane.show(reply("The **beta** [u1]\n- x"))
    assert pane.line_text() == "The **beta** [u1]\n- x"
