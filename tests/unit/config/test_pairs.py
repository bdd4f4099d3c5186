"""Settings that are impossible together, and names that mean two things."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.reading import error_lines, load


@pytest.mark.parametrize(
    ("text", "blamed", "other"),
    [
        (
            '[whisper]\nmodel = "tiny.en"\nlanguage = "fr"',
            'line 2: [whisper] model = "tiny.en"',
            '[whisper] language = "fr"',
        ),
        (
            "[vad]\nmin_speech_ms = 2000\nmax_segment_s = 2",
            "line 2: [vad] min_speech_ms = 2000",
            "[vad] max_segment_s = 2.0",
        ),
        (
            "[vad]\nend_silence_ms = 2000\nmax_segment_s = 2",
            "line 2: [vad] end_silence_ms = 2000",
            "[vad] max_segment_s = 2.0",
        ),
        (
            "[audio]\npre_roll_ms = 2000\n[vad]\nmax_segment_s = 2",
            "line 2: [audio] pre_roll_ms = 2000",
            "[vad] min_speech_ms = 120 and [vad] max_segment_s = 2.0",
        ),
        (
            "[vad]\nmax_segment_s = 1",
            "line 2: [vad] max_segment_s = 1.0",
            "[whisper] partial_interval_s = 1.0 and [whisper] partials = true",
        ),
        (
            '[audio]\nsource = "mic:A"\ndevice = "B"',
            'line 3: [audio] device = "B"',
            '[audio] source = "mic:A"',
        ),
        (
            "[llm]\ncontext_tokens = 1024\nmax_tokens = 512",
            "line 2: [llm] context_tokens = 1024",
            "[llm] output_reserve = 1024",
        ),
        (
            "[llm]\ncontext_tokens = 2048\nmax_tokens = 4096",
            "line 3: [llm] max_tokens = 4096",
            "[llm] context_tokens = 2048",
        ),
        (
            "[llm]\ncontext_tokens = 2048\n[triage]\nenabled = true",
            "line 4: [triage] enabled = true",
            "[triage] extract_max_tokens = 3072",
        ),
        (
            "[summary]\nenabled = true\nflush_every_n = 0\nflush_every_s = 0",
            "line 3: [summary] flush_every_n = 0",
            "[summary] flush_every_s = 0.0",
        ),
    ],
)
def test_an_impossible_pair_is_an_error_naming_both(
    tmp_path: Path, text: str, blamed: str, other: str
) -> None:
    (line,) = error_lines(tmp_path, text)
    assert line.startswith(f", {blamed} does not go with {other}")


@pytest.mark.parametrize(
    "text",
    [
        '[whisper]\nmodel = "tiny.en"',
        '[whisper]\nmodel = "tiny.en"\nlanguage = "en"',
        '[whisper]\nmodel = "small"\nlanguage = "fr"',
        "[llm]\ncontext_tokens = 8192",
        "[llm]\ncontext_tokens = 2048",
        '[audio]\nsource = "mic:A"\ndevice = "A"',
        "[whisper]\npartials = false\npartial_interval_s = 30",
        "[vad]\nend_silence_ms = 300",
    ],
)
def test_a_possible_pair_is_none(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text).warnings == ()


def test_a_pair_is_not_judged_by_a_refused_value(tmp_path: Path) -> None:
    lines = error_lines(
        tmp_path, '[whisper]\nmodel = 3\nlanguage = "fr"\n[vad]\nmin_speech_ms = 4000\nmax_segment_s = 0\n'
    )
    assert [line.split(" is not")[0] for line in lines] == [
        ", line 2: [whisper] model = 3",
        ", line 6: [vad] max_segment_s = 0",
    ]


def test_names_and_phrases_are_unique_whatever_their_case(tmp_path: Path) -> None:
    assert error_lines(
        tmp_path,
        """\
        [[commands]]
        name = "lamp"
        phrases = ["lights on"]
        argv = ["lamp"]
        [[commands]]
        name = "Lamp"
        phrases = ["Assistant  Stop", "Lights on"]
        argv = ["lamp"]
        """,
    ) == [
        ', line 6: [[commands]] entry 2 name repeats "Lamp", which entry 1 has already',
        ', line 7: [[commands]] entry 2 phrases repeats "Assistant  Stop", '
        "which [assistant] end_phrases has already",
        ', line 7: [[commands]] entry 2 phrases repeats "Lights on", which [[commands]] entry 1 has already',
    ]
