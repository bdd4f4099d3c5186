"""Whatever the text: no crash, spans that quote, work that grows with the text and not faster."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.values import Kind, Search, ask, find, settle
from tests.unit.values.helpers import CHICAGO, NOW, always_yes, at, example, noise

KINDS: tuple[Kind, ...] = get_args(Kind)
FIELDS = example()

PIECES = st.sampled_from(
    [
        "9",
        "10",
        "9:30",
        "09:30",
        "14:20",
        "25:99",
        "2",
        "930",
        "am",
        "pm",
        "a.m.",
        "p.m.",
        "half",
        "past",
        "quarter",
        "to",
        "of",
        "nine",
        "thirty",
        "oh",
        "five",
        "o'clock",
        "noon",
        "midnight",
        "at",
        "by",
        "in",
        "around",
        "between",
        "and",
        "or",
        "-",
        "–",
        "—",
        "/",
        ",",
        ".",
        ":",
        ";",
        "?",
        "!",
        "$",
        "€",
        "%",
        "°",
        "F",
        "C",
        "f",
        "degrees",
        "minus",
        "dollars",
        "euros",
        "percent",
        "hundred",
        "thousand",
        "million",
        "point",
        "a",
        "an",
        "couple",
        "few",
        "minutes",
        "hours",
        "days",
        "weeks",
        "out",
        "from",
        "now",
        "tomorrow",
        "today",
        "tonight",
        "morning",
        "evening",
        "Friday",
        "October",
        "8th",
        "10/8",
        "2026-10-08",
        "the",
        "on",
        "EST",
        "Pacific",
        "time",
        "seal",
        "#",
        "AB12345",
        "1",
        "2",
        "3",
        "one",
        "two",
        "double",
        "pallets",
        "feet",
        "kg",
        "½",
        "٣",
        "é",
        "ﬁ",
        "中",
        "\u200b",
        "\u202e",
        "\x00",
        "’",
        "'",
        "1.200",
        "1,000",
        "1.2.3",
        "99999999999999999999",
        "ish",
        "+",
        "so",
        "maybe",
    ]
)
SPEECH = st.lists(st.tuples(PIECES, st.sampled_from((" ", "", "  ", "\n"))), max_size=40).map(
    lambda parts: "".join(piece + gap for piece, gap in parts)
)


@settings(deadline=None, max_examples=250)
@given(st.one_of(SPEECH, st.text(max_size=200)))
def test_any_text_is_read_without_a_crash_and_spans_quote_it(text: str) -> None:
    for kind in KINDS:
        end = 0
        for candidate in find(text, Search(kind, scale="F", labels=("seal",)), at()):
            span = candidate.span
            assert text[span.start : span.end] == span.text
            assert end <= span.start < span.end <= len(text)
            assert (candidate.value is None) == bool(candidate.why)
            end = span.end


@settings(deadline=None, max_examples=120)
@given(SPEECH, st.integers(0, 10_000))
def test_no_decider_gets_a_value_that_is_not_read_from_the_text(text: str, seed: int) -> None:
    asked = ask(FIELDS, text, now=NOW, zone=CHICAGO)
    readings = {field.name: candidates for field, candidates in asked.candidates}
    for decider in (always_yes, noise(seed)):
        for outcome in settle(asked, decider(asked)):
            if outcome.value is None:
                assert outcome.status != "accepted"
                continue
            (span,) = outcome.spans
            assert text[span.start : span.end] == span.text
            assert any(one.span == span and one.value == outcome.value for one in readings[outcome.field])
            if decider is always_yes:
                assert len(readings[outcome.field]) == 1


LONG = [
    "9:30 or 10 to 11 ",
    "today ",
    "9:30am tomorrow Friday ",
    "at 9 ",
    "one hundred and ",
    "one ",
    "1 ",
    "9",
    "1,000",
    "9:30:",
    "a half an hour and a half ",
    "$5 to ",
    "minus ",
    "seal one two ",
    "1-2-3-",
    "AB12345",
    "point five ",
    "in a couple of hours or so ",
    "-",
    "é",
    "twenty-three-",
    "EST ",
    "between 9 and ",
]


@pytest.mark.parametrize("piece", LONG)
def test_the_work_grows_no_faster_than_the_text(piece: str) -> None:
    """Counted in calls, so that a busy machine changes nothing."""
    for kind in KINDS:
        short, long = (_calls(piece * (size // len(piece)), kind) for size in (300, 1_200))
        assert long <= 5 * short + 500


@pytest.mark.parametrize("kind", KINDS)
def test_a_very_long_text_is_read(kind: Kind) -> None:
    text = "".join(LONG) * 500
    assert len(text) > 100_000
    for candidate in find(text, Search(kind), at()):
        assert text[candidate.span.start : candidate.span.end] == candidate.span.text


def _calls(text: str, kind: Kind) -> int:
    count = 0

    def note(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal count
        count += 1

    sys.setprofile(note)
    try:
        find(text, Search(kind, labels=("seal",)), at())
    finally:
        sys.setprofile(None)
    return count
