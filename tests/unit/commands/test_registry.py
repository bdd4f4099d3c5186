"""The closed set of commands."""

from __future__ import annotations

import pytest

from stt_daemon.commands import Commands, Registry, UserCommand
from stt_daemon.commands.builtin import BUILTIN
from stt_daemon.commands.matching import spoken_matches
from stt_daemon.errors import ConfigError

TIMER = UserCommand("Timer", ["set a timer"], ["timer", "{length}"], {"length": "duration"})

MANUAL = """chat command idle new clear mute unmute pause resume mark note find export summarise rewind scope
forget triage transcripts yes no stop"""


def test_every_typed_form_of_the_manual_exists() -> None:
    names = {name for command in BUILTIN for name in command.names}
    assert names >= set(MANUAL.split())


def test_every_command_can_be_said_and_every_phrase_means_one_command() -> None:
    registry = Registry(BUILTIN)
    for command in registry.commands:
        assert command.phrases
        for pattern in command.phrases:
            example = {"minutes": "10", "count": "2", "format": "srt", "text": "zebra"}
            said = " ".join(example[p[1:-1]] if p.startswith("{") else p for p in pattern.parts)
            assert {match.command.id for match in spoken_matches(said, registry.commands)} == {command.id}, (
                said
            )


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (UserCommand("x", [], ["p"]), "no phrase"),
        (UserCommand("x", ["{a}"], ["p", "{a}"], {"a": "text"}), "fit everything"),
        (UserCommand("x", ["do {a}"], ["p"]), "{a}"),
        (UserCommand("x", ["do it all"], ["p", "{b}"]), "{b}"),
        (UserCommand("x", ["do {a} {b}"], ["p"], {"a": "text", "b": "text"}), "without a word between"),
        (UserCommand("x", ["do {a} and {a}"], ["p"], {"a": "text"}), "twice"),
        (UserCommand("x", ["do {a}"], ["{a}"], {"a": "text"}), "never the program"),
        (UserCommand("x", ["do {a}"], ["bin-{a}"], {"a": "text"}), "never the program"),
        (UserCommand("x", ["do {a}"], ["p", "{a}"], {"a": "float"}), "float"),
        (UserCommand("x", ["go"], []), "no program"),
        (UserCommand("x", ["go"], ["p\0"]), "NUL"),
        (UserCommand("...", ["go"], ["p"]), "name"),
        (
            UserCommand("stop", ["halt now please"], ["p"]),
            "'stop' belongs to the built-in command 'stop'",
        ),
        (UserCommand("x", ["Mute!"], ["p"]), "phrase 'mute' belongs to the built-in command 'mute'"),
        (UserCommand("x", ["look up {what}"], ["p"], {"what": "text"}), "built-in command 'find'"),
    ],
)
def test_a_command_that_cannot_be_used_is_an_error_that_says_why(entry: UserCommand, problem: str) -> None:
    with pytest.raises(ConfigError, match=r".") as caught:
        Commands([entry])
    assert problem in str(caught.value)


def test_all_problems_are_told_together() -> None:
    with pytest.raises(ConfigError) as caught:
        Commands(
            [UserCommand("a", [], ["p"]), UserCommand("b", ["mute"], ["p"]), UserCommand("c", ["go"], [])]
        )
    assert [line.partition(": ")[0] for line in str(caught.value).splitlines()] == [
        "[[commands]] entry 1 ('a')",
        "[[commands]] entry 2 ('b')",
        "[[commands]] entry 3 ('c')",
    ]


def test_two_user_commands_of_one_name_or_phrase_are_an_error() -> None:
    with pytest.raises(ConfigError, match="belongs to entry 1"):
        Commands([TIMER, UserCommand("timer", ["other words"], ["p"])])
    with pytest.raises(ConfigError, match="'set a timer' belongs to entry 1"):
        Commands([TIMER, UserCommand("clock", ["Set a timer"], ["p"])])
