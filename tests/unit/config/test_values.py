"""A value that is not accepted is explained; all of them at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.reading import error_lines, load


def test_all_problems_are_reported_together_in_order_with_all_they_need(tmp_path: Path) -> None:
    assert error_lines(
        tmp_path,
        """\
        [vad]
        threshold = "0.5"
        min_speech_ms = true

        [supervisor]
        placement = "fork"
        restarts = 500

        [[commands]]
        name = "lamp"
        phrases = []
        argv = "lamp on"
        """,
    ) == [
        ', line 2: [vad] threshold = "0.5" is not accepted: use a number above 0 and below 1, without quotes',
        ", line 3: [vad] min_speech_ms = true is not accepted: use a whole number from 0 to 5000",
        ', line 6: [supervisor] placement = "fork" is not accepted: use "process" or "thread"',
        ", line 7: [supervisor] restarts = 500 is not accepted: use a whole number from 0 to 100",
        ", line 11: [[commands]] entry 1 phrases = [] is not accepted: a command without a phrase could "
        'never be said; use a list of at least one phrase, such as ["lights on"]',
        ', line 12: [[commands]] entry 1 argv = "lamp on" is not accepted: use a list of texts that starts '
        'with the program, such as ["notify-send", "{text}"]',
    ]


def test_a_whole_number_is_taken_where_a_number_is_meant(tmp_path: Path) -> None:
    assert load(tmp_path, "[vad]\nmax_segment_s = 20\n").config.vad.max_segment_s == 20.0


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("[vad]\nthreshold = nan", "= nan is not accepted"),
        ("[vad]\nthreshold = 2024-01-01", "= 2024-01-01 is not accepted"),
        ("[vad]\nthreshold = {a = 1}", "= {...} is not accepted"),
        ("[vad]\nthreshold = 0x" + "f" * 5000, "[vad] threshold = 0xfff"),
        ("[audio]\nkeep = 1", "keep = 1 is not accepted: use true or false"),
        ('[audio]\nkeep = "true"', "use true or false, without quotes"),
        ("[audio]\ndevice = 3", "device = 3 is not accepted: use text in quotes"),
        ('[audio]\nsource = "mic:"', "the name of the microphone is missing"),
        ('[whisper]\nlanguage = "english"', 'such as "en", "de" or "fr"'),
        ('[whisper]\nhotwords = ["a", 2]', "item 2: use a list of texts"),
        ('[whisper]\nhotwords = "a"', "use a list of texts"),
        ("[llm]\ncontext_tokens = 100", "use a whole number from 512 to 100000000, or 0 to ask the server"),
        (
            '[llm]\nbase_url = "localhost:8080"',
            "it is not a web address; use an address that starts with http://",
        ),
        ('[llm]\nbase_url = "ftp://me:pw@host"', "ftp://***@host"),
        ('[triage]\ndefault_checkpoint = "english"', 'use "multilingual"'),
        ('[triage]\npreload = ["english"]', 'use ["multilingual"]'),
        ("[triage]\npreload = []", 'use ["multilingual"]'),
        ('[assistant]\nrole = "\\u0000"', "it holds a NUL character"),
        ('[[commands]]\nphrases = ["a"]\nargv = ["b"]', "[[commands]] entry 1 name is missing"),
        (
            '[[commands]]\nname = "a"\nphrases = ["a"]\nargv = ["{x}"]\nparams = {x = "text"}',
            "what was said can become an argument, never the program",
        ),
    ],
)
def test_a_refused_value_is_shown_with_what_is_accepted(tmp_path: Path, setting: str, said: str) -> None:
    (line,) = error_lines(tmp_path, setting)
    assert said in line
    assert "pydantic" not in line.lower()
    assert "input should" not in line.lower()


@pytest.mark.parametrize("setting", ["api_key = 12345", 'api_key = "12345\\n"', 'api_key_env = "sk-12345"'])
def test_a_refused_key_is_never_shown(tmp_path: Path, setting: str) -> None:
    (line,) = error_lines(tmp_path, f"[llm]\n{setting}\n")
    assert "12345" not in line
    assert '"***" is not accepted' in line


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    (line,) = error_lines(tmp_path, '[audio]\ndevice = "\\u001b[2J\\u009b"\n')
    assert line.isprintable()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('llm = "x"', "llm is a section: write [llm] once"),
        ("[[llm]]", "llm is a section: write [llm] once"),
        ("[commands]\nname = 'x'", "commands is a list: write [[commands]]"),
    ],
)
def test_a_section_of_the_wrong_shape_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    (line,) = error_lines(tmp_path, text)
    assert said in line


def test_a_key_inside_a_misplaced_table_is_not_shown(tmp_path: Path) -> None:
    (line,) = error_lines(tmp_path, '[llm.model]\napi_key = "sk-12345"\n')
    assert "[llm] model = {...} is not accepted" in line
