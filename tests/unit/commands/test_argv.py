"""From arguments to the words of a process."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.commands.argv import ArgvRefused, Program, build_argv
from stt_daemon.commands.values import Duration, TimeOfDay


def test_each_type_has_one_way_of_being_written() -> None:
    program = Program(("p", "{a}", "{b}", "{c}", "{d}"))
    args = {"a": "buy milk; rm -rf /", "b": 25, "c": Duration(600), "d": TimeOfDay(21, 5)}
    assert build_argv(program, args) == ("p", "buy milk; rm -rf /", "25", "600", "21:05")


def test_an_argument_is_never_read_as_a_placeholder() -> None:
    assert build_argv(Program(("p", "{a}", "{b}")), {"a": "{b}", "b": "x"}) == ("p", "{b}", "x")


@pytest.mark.parametrize("text", ["-rf", "--help", " -x", "–x", "－x"])
def test_an_argument_that_would_become_an_option_is_refused(text: str) -> None:
    assert isinstance(build_argv(Program(("p", "{a}")), {"a": text}), ArgvRefused)
    assert isinstance(build_argv(Program(("p", "{a}{b}")), {"a": "", "b": text}), ArgvRefused)


def test_a_dash_is_fine_after_fixed_text_or_the_end_of_options() -> None:
    assert build_argv(Program(("p", "--text={a}")), {"a": "-5"}) == ("p", "--text=-5")
    assert build_argv(Program(("p", "--", "{a}")), {"a": "-5"}) == ("p", "--", "-5")


@pytest.mark.parametrize("text", ["a\0b", "a\nb", "\x1b[2J", "\ud800"])
def test_control_characters_are_refused(text: str) -> None:
    assert isinstance(build_argv(Program(("p", "{a}")), {"a": text}), ArgvRefused)


def test_a_missing_argument_is_refused() -> None:
    assert isinstance(build_argv(Program(("p", "{a}")), {}), ArgvRefused)


@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_an_argument_never_changes_the_program_or_the_number_of_words(first: str, second: str) -> None:
    program = Program(("/usr/bin/p", "fixed", "{a}", "--b={b}", "{a}{b}", "{unknown", "--", "{b}"))
    built = build_argv(program, {"a": first, "b": second})
    if not isinstance(built, ArgvRefused):
        assert len(built) == 8
        assert built[:2] == ("/usr/bin/p", "fixed")
        assert built[2:6] == (first, f"--b={second}", first + second, "{unknown")
        assert not built[2].startswith("-")
        assert not any("\0" in word for word in built)
