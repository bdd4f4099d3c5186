from __future__ import annotations

from textual.pilot import Pilot

from stt_daemon.apps.tui.transcript import TranscriptPane
from stt_daemon.messages import LagChanged, SessionChanged, SpeechChanged
from stt_daemon.sessions.marks import Mark
from tests.tui.saying import gap, mark, partial, said, utterance
from tests.tui.screens import PaneApp, in_app, lines_of

ANSI_CYAN = 6


def drawn(app: PaneApp) -> str:
    return "\n".join(lines_of(app))


def loaded(count: int, text: str = "") -> TranscriptPane:
    pane = TranscriptPane()
    pane.load([utterance(number, text) for number in range(1, count + 1)])
    return pane


def test_a_line_has_its_time_in_bold_cyan_its_speaker_and_its_text() -> None:
    pane = TranscriptPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(said(1, "Hello there.", speaker="Ben"))
        await pilot.pause()
        assert "10:00:03 Ben: Hello there." in drawn(pilot.app)
        strip = pane.view.render_line(0)
        clock = next(segment for segment in strip if "10:00:03" in segment.text)
        assert clock.style is not None
        assert clock.style.bold
        assert clock.style.color is not None
        assert clock.style.color.number == ANSI_CYAN

    in_app(pane, do=do)


def test_tentative_words_are_dim_and_committed_ones_are_not() -> None:
    pane = TranscriptPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(partial("we could", "perhaps go", t0=9.0))
        await pilot.pause()
        dim = {
            segment.text.strip(): bool(segment.style and segment.style.dim)
            for segment in pane.view.render_line(0)
        }
        assert dim["we could"] is False
        assert dim["perhaps go"] is True

    in_app(pane, do=do)


def test_a_partial_gives_way_to_its_own_utterance_and_not_to_an_earlier_one() -> None:
    pane = TranscriptPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(partial("the open one", "", t0=6.0))
        pane.show(said(1, "The one before.", t0=3.0))
        await pilot.pause()
        assert lines_of(pilot.app)[2].endswith(
            "› the open one ".rstrip() + " " * 0
        ) or "› the open one" in drawn(pilot.app)
        pane.show(said(2, "The open one.", t0=6.2))
        await pilot.pause()
        assert "›" not in drawn(pilot.app)

    in_app(pane, do=do)


def test_a_partial_that_turned_out_to_be_nothing_goes_when_nothing_waits() -> None:
    pane = TranscriptPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(SpeechChanged(state="start", t=6.0))
        pane.show(partial("(cough)", "", t0=6.0))
        pane.show(LagChanged(seconds=0.0))
        assert pane.view.partial is not None
        pane.show(SpeechChanged(state="end", t=7.0))
        pane.show(LagChanged(seconds=1.5))
        assert pane.view.partial is not None
        pane.show(LagChanged(seconds=0.0))
        assert pane.view.partial is None

    in_app(pane, do=do)


def test_gaps_and_marks_are_lines_of_their_own_in_their_place() -> None:
    pane = TranscriptPane()

    async def do(pilot: Pilot[None]) -> None:
        pane.show(said(1))
        pane.show(gap(2, 4.0))
        pane.show(mark(7.0, "budget"))
        pane.show(said(3, "Begun before the mark.", t0=6.5))
        pane.show(said(4, "Begun after it.", t0=8.0))
        await pilot.pause()
        texts = [line.text for line in pane.view.entries]
        assert texts[1:] == [
            "nothing recorded for 12 s: device lost",
            "Begun before the mark.",
            "budget",
            "Begun after it.",
        ]

    in_app(pane, do=do)


def test_what_the_files_hold_is_shown_in_order() -> None:
    pane = TranscriptPane()
    pane.load([utterance(1), utterance(2)], [Mark(4.0, "2026-01-01T10:00:04+00:00", "here"), Mark(99.0, "")])
    assert [line.kind for line in pane.view.entries] == ["said", "mark", "said", "mark"]


def test_a_line_that_is_told_twice_is_shown_once() -> None:
    pane = loaded(3)
    pane.show(said(3))
    pane.show(said(4))
    pane.show(said(4))
    assert [line.id for line in pane.view.entries] == ["u1", "u2", "u3", "u4"]


def test_it_follows_at_the_end() -> None:
    pane = loaded(50)

    async def do(pilot: Pilot[None]) -> None:
        pane.show(said(51, "The newest."))
        await pilot.pause()
        assert "The newest." in drawn(pilot.app)
        assert pane.view.unseen == 0

    in_app(pane, do=do)


def test_away_from_the_end_it_stays_and_counts_what_is_new() -> None:
    pane = loaded(50)

    async def do(pilot: Pilot[None]) -> None:
        pane.view.focus()
        await pilot.press("pageup")
        before = lines_of(pilot.app)[1:-1]
        for number in range(51, 54):
            pane.show(said(number))
        pane.show(partial("more", "", t0=999.0))
        await pilot.pause()
        assert [line[:75] for line in lines_of(pilot.app)[1:-1]] == [line[:75] for line in before]
        assert "3 new ↓" in lines_of(pilot.app)[-1]
        await pilot.press("G")
        await pilot.pause()
        assert "new" not in lines_of(pilot.app)[-1]
        assert "number 53" in drawn(pilot.app)

    in_app(pane, do=do)


def test_scrolling_down_to_the_end_follows_again() -> None:
    pane = loaded(50)

    async def do(pilot: Pilot[None]) -> None:
        pane.view.focus()
        await pilot.press("pageup")
        assert not pane.view.following
        await pilot.press("pagedown", "pagedown")
        assert pane.view.following

    in_app(pane, do=do)


def test_the_badge_can_be_clicked() -> None:
    pane = loaded(50)

    async def do(pilot: Pilot[None]) -> None:
        pane.view.focus()
        await pilot.press("g")
        pane.show(said(51))
        await pilot.pause()
        await pilot.click(TranscriptPane, offset=(70, 23))
        await pilot.pause()
        assert pane.view.following

    in_app(pane, do=do)


def test_told_not_to_follow_it_stays_at_the_top() -> None:
    pane = TranscriptPane(follow=False)

    async def do(pilot: Pilot[None]) -> None:
        for number in range(1, 60):
            pane.show(said(number))
        await pilot.pause()
        assert pane.view.scroll_offset.y == 0
        assert pane.view.unseen > 0

    in_app(pane, do=do)


def test_every_line_is_reached_going_up_one_by_one_with_lines_of_all_lengths() -> None:
    pane = TranscriptPane()
    pane.load([utterance(n, f"start{n} " + "word " * (n * 7 % 60)) for n in range(1, 120)])

    async def do(pilot: Pilot[None]) -> None:
        view = pane.view
        for expected in range(118, -1, -1):
            view.action_cursor(-1)
            assert view.cursor == expected
            seen = " ".join(view.render_line(y).text for y in range(view.size.height))
            assert f"start{expected + 1} " in seen

    in_app(pane, do=do, size=(60, 20))


def test_scrolling_up_row_by_row_moves_every_row_by_one() -> None:
    pane = TranscriptPane()
    pane.load([utterance(n, "wide words of uneven lengths come here " * (n % 6 + 1)) for n in range(1, 80)])

    async def do(pilot: Pilot[None]) -> None:
        view = pane.view
        rows = [view.render_line(y).text for y in range(view.size.height)]
        while view.scroll_offset.y > 0:
            view.scroll_to(y=view.scroll_offset.y - 1, animate=False)
            moved = [view.render_line(y).text for y in range(view.size.height)]
            assert moved[1:] == rows[:-1]
            rows = moved
        assert rows[0].startswith("10:00:03")

    in_app(pane, do=do, size=(47, 15))


def test_a_resize_keeps_the_line_that_is_read_and_breaks_only_what_is_near() -> None:
    pane = loaded(2000, "several words that need more than one row in a window as narrow as this one")

    async def do(pilot: Pilot[None]) -> None:
        pane.jump("u1000")
        await pilot.pause()
        top = pane.view.in_sight()[0]
        await pilot.resize_terminal(40, 24)
        await pilot.pause()
        assert pane.view.in_sight()[0] == top
        assert pane.view._rows.exact < 200

    in_app(pane, do=do)


def test_a_resize_at_the_end_stays_at_the_end() -> None:
    pane = loaded(200, "several words that need more than one row in a window as narrow as this one")

    async def do(pilot: Pilot[None]) -> None:
        for width in (40, 20, 120, 1, 80):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert pane.view.in_sight()[-1] == 199

    in_app(pane, do=do)


def test_a_citation_brings_its_line_into_sight() -> None:
    pane = loaded(500)

    async def do(pilot: Pilot[None]) -> None:
        assert pane.jump("u17")
        await pilot.pause()
        assert "number 17 " in drawn(pilot.app)
        assert pane.view.cursor == 16
        assert not pane.jump("u999")
        assert pane.clock_of("u17") == "10:00:51"
        assert pane.clock_of("u999") == ""

    in_app(pane, do=do)


def test_search_starts_at_the_nearest_match_above_and_goes_round() -> None:
    pane = loaded(300)

    async def do(pilot: Pilot[None]) -> None:
        assert pane.find("NUMBER 4") == 11
        here = pane.view.search.here
        assert here == 48
        await pilot.pause()
        assert "11/11 “NUMBER 4”" in lines_of(pilot.app)[-1]
        pane.find_next(1)
        assert pane.view.search.here == 3
        pane.find_next(-1)
        assert pane.view.search.here == 48
        await pilot.pause()
        assert "number 49 " in drawn(pilot.app)

    in_app(pane, do=do)


def test_the_search_line_searches_while_it_is_typed_and_closes() -> None:
    pane = loaded(300)

    async def do(pilot: Pilot[None]) -> None:
        pane.open_search()
        await pilot.pause()
        await pilot.press(*"number", "space", *"12")
        await pilot.pause()
        assert "11/11" in lines_of(pilot.app)[-1]
        await pilot.press("up")
        await pilot.pause()
        assert "10/11" in lines_of(pilot.app)[-1]
        await pilot.press("enter", "down")
        await pilot.pause()
        assert "10/11" in lines_of(pilot.app)[-1]
        await pilot.press("escape")
        await pilot.pause()
        assert pane.view.has_focus
        assert "/11" not in lines_of(pilot.app)[-1]

    in_app(pane, do=do)


def test_new_lines_are_found_and_do_not_move_the_match() -> None:
    pane = loaded(300)

    async def do(pilot: Pilot[None]) -> None:
        pane.find("number 12")
        pane.find_next(-1)
        here = pane.view.search.here
        pane.show(mark(900.5, "marked"))
        pane.show(said(301, "number 12 again"))
        assert pane.view.search.here == here
        assert len(pane.view.search) == 12

    in_app(pane, do=do)


def test_a_query_is_no_pattern_and_may_find_nothing() -> None:
    pane = loaded(5)

    async def do(pilot: Pilot[None]) -> None:
        assert pane.find("[/") == 0
        await pilot.pause()
        assert "no “[/”" in lines_of(pilot.app)[-1]
        assert pane.find("") == 0

    in_app(pane, do=do)


def test_the_selected_line_is_copied_else_the_last_one() -> None:
    pane = loaded(5)

    async def do(pilot: Pilot[None]) -> None:
        assert pane.line_text() == "10:00:15 Anna: This is sentence number 5 of the meeting."
        await pilot.click(TranscriptPane, offset=(20, 2))
        await pilot.pause()
        assert pane.line_text() == "10:00:06 Anna: This is sentence number 2 of the meeting."

    in_app(pane, do=do)


def test_what_is_copied_is_whole_even_where_the_screen_cannot_show_it() -> None:
    pane = loaded(1, "a 👩‍🔬 lab")
    assert pane.line_text() == "10:00:03 Anna: a 👩‍🔬 lab"


def test_dragging_selects_text_over_rows_and_lines() -> None:
    pane = loaded(3, "one two three four five six seven eight nine ten eleven twelve")

    async def do(pilot: Pilot[None]) -> None:
        await pilot.mouse_down(TranscriptPane, offset=(17, 1))
        await pilot.hover(TranscriptPane, offset=(20, 4))
        await pilot.mouse_up(TranscriptPane, offset=(20, 4))
        await pilot.pause()
        text = pilot.app.screen.get_selected_text()
        assert text is not None
        first, second = text.split("\n")
        assert first.endswith("one two three four five six seven eight nine ten eleven twelve")
        assert second.startswith("10:00:06 Anna: one two")

    in_app(pane, do=do, size=(50, 12))


def test_a_new_session_is_marked_and_its_ids_begin_again() -> None:
    pane = TranscriptPane()
    pane.show(SessionChanged(state="opened", id="20260101-100000", dir="/x"))
    pane.show(said(1, "Old."))
    pane.show(SessionChanged(state="closed", id="20260101-100000", dir="/x"))
    pane.show(SessionChanged(state="opened", id="20260101-110000", dir="/y"))
    pane.show(said(1, "New."))
    assert [line.text for line in pane.view.entries] == ["Old.", "session 20260101-110000", "New."]

    async def do(pilot: Pilot[None]) -> None:
        assert pane.jump("u1")
        assert pane.view.cursor == 2

    in_app(pane, do=do)


def test_what_was_broken_into_rows_is_not_kept_for_ever() -> None:
    pane = loaded(3000)

    async def do(pilot: Pilot[None]) -> None:
        for number in range(1, 3001, 10):
            pane.jump(f"u{number}")
        assert len(pane.view._laid_out) <= 1024

    in_app(pane, do=do)
