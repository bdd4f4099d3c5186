from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from stt_daemon.errors import UsageError
from stt_daemon.sessions import FORMATS, Mark, render
from tests.unit.sessions.builders import gap, utterance

any_text = st.text(st.characters(categories=None), max_size=40)  # type: ignore[arg-type]
nasty = st.one_of(any_text, st.text("<>-&*_`[]()!#\\:/wW.@{}~|$ab\n", max_size=30))


def test_txt_is_one_line_an_utterance_with_gaps_marked() -> None:
    text = render(
        "txt", [utterance("Hello.", 3661.9), gap(3670, 3675.25), utterance("Bye.", 3676, speaker="")]
    )
    assert text == "01:01:01 Speaker: Hello.\n01:01:10 [5.2 s missing: device lost]\n01:01:16 Bye.\n"


def test_srt_times_hold_over_hours_and_round_up_cleanly() -> None:
    text = render("srt", [utterance("One.", 59.9996, 61), utterance("Two.", 360_000.5, 360_002)])
    assert text == ("1\n00:01:00,000 --> 00:01:01,000\nOne.\n\n2\n100:00:00,500 --> 100:00:02,000\nTwo.\n\n")


def test_vtt_uses_points_and_escapes() -> None:
    text = render("vtt", [utterance("a < b & c --> d", 1, 3)])
    assert text == "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\na &lt; b &amp; c --&gt; d\n\n"


def test_short_cues_stay_up_but_not_into_the_next() -> None:
    text = render("srt", [utterance("Yes.", 1, 1.1), utterance("No.", 1.5, 1.6), utterance("Oh.", 9, 9)])
    assert re.findall(r"--> (\S+)", text) == ["00:00:01,500", "00:00:02,200", "00:00:09,700"]


def test_subtitles_leave_gaps_and_empty_text_out() -> None:
    assert render("srt", [gap(0, 1), utterance(" \x07", 1, 2)]) == ""
    assert render("vtt", [gap(0, 1)]) == "WEBVTT\n\n"


def test_srt_tags_are_disarmed_and_arrows_shortened() -> None:
    text = render("srt", [utterance("x --> <b>y</b> {\\an8} 1 < 2", 0, 2)])
    cue = text.splitlines()[2]
    assert "-->" not in cue
    assert "<b" not in cue
    assert "{\\" not in cue
    assert cue.replace("\u2060", "") == "x -> <b>y</b> {\\an8} 1 < 2"


@given(st.lists(nasty, max_size=4))
def test_no_text_can_end_a_cue_or_start_another(said: list[str]) -> None:
    items = [utterance(text, n, n + 1, number=n + 1) for n, text in enumerate(said)]
    for form in ("srt", "vtt"):
        blocks = render(form, items).removeprefix("WEBVTT\n\n").split("\n\n")[:-1]
        assert all(block.count("-->") == 1 for block in blocks)
        assert len(blocks) <= len(said)


@given(nasty, nasty)
def test_markdown_shows_the_words_and_nothing_else(said: str, speaker: str) -> None:
    markdown = MarkdownIt("gfm-like", {"linkify": False}).parse(
        render("md", [utterance(said, speaker=speaker)])
    )
    kinds = [token.type for token in markdown]
    assert kinds == ["heading_open", "inline", "heading_close", "paragraph_open", "inline", "paragraph_close"]
    inline = {child.type for child in markdown[4].children or []}
    assert inline <= {"strong_open", "strong_close", "text", "text_special"}


CHAT = [
    {"type": "user", "n": 1, "text": "from before", "carried": True},
    {"type": "user", "n": 2, "text": "What *is* it?", "wall": "2026-01-31T12:00:05.000+01:00"},
    {
        "type": "assistant",
        "n": 2,
        "text": "Two things:\n\n- one [u1]\n2. two\n===\n    three",
        "wall": "2026-01-31T12:00:09.000+01:00",
        "cites": ["u1", "20260101-090000:u7"],
    },
    {"type": "command", "id": "mute", "state": "done"},
    {"type": "user", "n": 3, "text": "Never mind."},
    {"type": "assistant", "n": 3, "text": ""},
    {"type": "rewind", "to": 2},
]


def test_the_chat_is_a_section_of_markdown_with_the_times_of_what_it_cites() -> None:
    text = render("md", [utterance("It is.", 61)], about={"chat": CHAT})
    assert text.split("## Chat\n\n")[1] == (
        "**12:00:05** You: What \\*is\\* it?\n\n"
        "**12:00:09** Assistant: Two things:\\\n"
        "&#45; one \\[u1\\]\\\n&#50;. two\\\n&#61;==\\\nthree\n\n*u1 00:01:01*\n\n"
        "You (taken back): Never mind.\n\n"
        "Assistant (taken back): (no reply)\n"
    )


def test_subtitles_and_text_hold_no_chat_and_no_marks() -> None:
    items = [utterance("It is.", 1), Mark(2.0, "2026-01-31T12:00:00.000+01:00", "a note")]
    for form in ("srt", "vtt", "txt"):
        made = render(form, items, about={"chat": CHAT, "title": "T"})
        assert "Never mind" not in made
        assert ("a note" in made) is (form == "txt")


@given(st.lists(nasty, max_size=4).map("\n".join))
def test_a_reply_in_markdown_is_paragraphs_of_words_and_nothing_else(said: str) -> None:
    chat = [{"type": "assistant", "n": 1, "text": said, "wall": said, "cites": [said]}]
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(render("md", [], about={"chat": chat}))
    assert {token.type for token in tokens} <= {
        *("heading_open", "heading_close", "inline", "paragraph_open", "paragraph_close")
    }
    assert len([token for token in tokens if token.type == "heading_open"]) == 2
    children = {child.type for token in tokens for child in token.children or []}
    assert children <= {"strong_open", "strong_close", "text", "text_special", "hardbreak"}


def test_bare_addresses_are_no_links_in_markdown() -> None:
    text = render("md", [utterance("see https://x.example and www.y.example or a@b.example")])
    assert r"https\://x.example" in text
    assert r"www\.y.example" in text
    assert r"a\@b.example" in text


def test_json_holds_everything_known() -> None:
    made = json.loads(
        render("json", [utterance("Hé"), gap(1, 2, seq=2)], about={"language": "en", "duration_s": 11.0})
    )
    assert made["language"] == "en"
    assert [line["type"] for line in made["transcript"]] == ["utterance", "gap"]
    assert made["transcript"][0]["text"] == "Hé"


@given(any_text)
def test_no_format_passes_control_characters(said: str) -> None:
    for form in FORMATS:
        made = render(form, [utterance(said, speaker=said)], about={"title": said})
        made.encode()
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", made)


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        render("docx", [])
    assert caught.value.mend == "accepted: txt, md, srt, vtt, json"
