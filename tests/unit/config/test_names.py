"""Unknown, misplaced and outdated names."""

from __future__ import annotations

from pathlib import Path

import pytest

from stt_daemon.config import Config, InvalidConfigError
from tests.unit.config.reading import error_lines, load, warning_lines

UNKNOWN = "is not a known key and has no effect"
NO_SECTION = "is not a known section and has no effect"


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("[vad]\ntreshold = 0.6", f"line 2: [vad] treshold {UNKNOWN}; did you mean threshold?"),
        ("[vad]\nMax-Segment-S = 9", f"line 2: [vad] Max-Segment-S {UNKNOWN}; did you mean max_segment_s?"),
        ("[vad]\nbase_urll = 1", f"line 2: [vad] base_urll {UNKNOWN}; did you mean base_url in [llm]?"),
        ("[vad]\nqqqq = 1", f"line 2: [vad] qqqq {UNKNOWN}"),
        ("[whispr]\nqqqq = 1", f"line 1: [whispr] {NO_SECTION}; did you mean [whisper]?"),
        ("[[command]]\nqqqq = 1", f"line 1: [[command]] {NO_SECTION}; did you mean [[commands]]?"),
        ("[qqqq]", f"line 1: [qqqq] {NO_SECTION}"),
        ("qqqq = 1", f"line 1: qqqq {UNKNOWN}"),
        ("whispr = 1", f"line 1: whispr {UNKNOWN}; did you mean the section [whisper]?"),
    ],
)
def test_an_unknown_name_warns_with_the_nearest_known_one_and_starts(
    tmp_path: Path, text: str, warned: str
) -> None:
    assert warning_lines(tmp_path, text) == [warned]
    assert load(tmp_path, text).config == Config()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base_url = "http://h"', "line 1: base_url belongs in [llm]"),
        ('[whisper]\nbase_url = "http://h"', "line 2: [whisper] base_url belongs in [llm]"),
        ('[lmm]\nbase_url = "http://h"', "line 2: [lmm] base_url belongs in [llm]"),
        ('[tool.llm]\nbase_url = "http://h"', "line 2: [tool.llm] base_url belongs in [llm]"),
        ('[llm.server]\nbase_url = "http://h"', "line 2: [llm.server] base_url belongs in [llm]"),
        ('[[llms]]\n[[llms]]\nbase_url = ""', "line 3: [[llms]] entry 2 base_url belongs in [llm]"),
        ("[vad]\nphrases = []", "line 2: [vad] phrases belongs in [[commands]]"),
        ("[vad]\ndevice = ''", "line 2: [vad] device belongs in [audio] or [whisper] or [triage]"),
        ("model = 'x'", "line 1: model belongs in [whisper] or [llm]"),
        (
            '[[commands]]\nname = "a"\nphrases = ["a"]\nargv = ["a"]\nbase_url = ""',
            "line 5: [[commands]] entry 1 base_url belongs in [llm]",
        ),
    ],
)
def test_a_key_at_the_wrong_level_is_an_error_that_names_its_section(
    tmp_path: Path, text: str, said: str
) -> None:
    assert error_lines(tmp_path, text) == [f", {said}; it would have no effect here"]


def test_a_misplaced_key_is_not_shown(tmp_path: Path) -> None:
    (line,) = error_lines(tmp_path, 'api_key = "sk-secret"')
    assert "sk-secret" not in line


def test_each_stale_triage_key_warns_once_with_its_own_explanation(tmp_path: Path) -> None:
    stale = ["socket", "model", "predict_timeout_s", "checkpoint", "subfolder", "max_len"]
    warned = warning_lines(tmp_path, "[triage]\n" + "".join(f"{key} = 1\n" for key in stale))
    for number, (key, line) in enumerate(zip(stale, warned, strict=True), start=2):
        assert line.startswith(f"line {number}: [triage] {key} is an old key without effect: ")
    assert len({line.split(": ")[2] for line in warned}) == len(stale)
    assert "default_checkpoint took its place" in warned[3]


def test_warnings_are_known_beside_the_problems(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfigError) as raised:
        load(tmp_path, "[vad]\ntreshold = 1\nthreshold = 2\n")
    assert len(raised.value.problems) == 1
    assert [problem.key for problem in raised.value.warnings] == ["treshold"]
