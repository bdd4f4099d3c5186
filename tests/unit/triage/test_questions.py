"""A questions file is taken whole or refused with a reason that names the question."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.triage.questions import (
    MAX_OPTIONS,
    QuestionSet,
    QuestionsProblem,
    load_questions,
    read_questions,
)

EXAMPLE = Path(__file__).parents[3] / "questions.example.json"
NOUL = {"type": "noul", "instructions": "It rains."}


def written(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "questions.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def taken(tmp_path: Path, content: Any) -> QuestionSet:
    found = read_questions(written(tmp_path, content))
    assert isinstance(found, QuestionSet), found
    return found


def reason(tmp_path: Path, content: Any) -> str:
    found = read_questions(written(tmp_path, content))
    assert isinstance(found, QuestionsProblem)
    assert found.reason.isprintable()
    return found.reason


def choice(criteria: Any) -> dict[str, Any]:
    return {"q": {"type": "choice", "instructions": "Which?", "criteria": criteria}}


def test_the_example_holds_the_eight_questions_of_the_brief_in_order() -> None:
    found = load_questions(EXAMPLE)
    assert found is not None
    assert [(question.qid, question.type) for question in found] == [
        ("substantive_update", "noul"),
        ("opportunity", "noul"),
        ("blocker", "noul"),
        ("decision_status", "choice"),
        ("action_item", "noul"),
        ("responsibility_clarity", "choice"),
        ("deadline", "noul"),
        ("open_question", "noul"),
    ]


def test_raw_is_what_the_file_says_and_the_order_is_its_own(tmp_path: Path) -> None:
    content = {"z": NOUL, "a": {**NOUL, "criteria": {"TRUE": "yes", "false": "no"}}}
    found = taken(tmp_path, content)
    assert found.raw == content
    assert found.order == ("z", "a")
    assert len(found) == 2


def test_a_question_knows_its_labels_and_what_they_mean(tmp_path: Path) -> None:
    described = next(iter(taken(tmp_path, choice({"a": "first", "b": None, "c": {"than": 1}}))))
    assert described.labels == ("a", "b", "c")
    assert described.descriptions == ("first", "", '{"than": 1}')
    listed = next(iter(taken(tmp_path, choice(["x", "y"]))))
    assert (listed.labels, listed.descriptions) == (("x", "y"), ("", ""))
    score = {"q": {"type": "score", "instructions": "How?", "criteria": ["low", 2, "high"]}}
    assert next(iter(taken(tmp_path, score))).labels == ("low", "2", "high")


def test_a_choice_of_one_is_not_asked(tmp_path: Path) -> None:
    found = taken(tmp_path, {**choice(["only"]), "other": NOUL})
    assert list(found.asked) == ["other"]
    assert found.order == ("q", "other")


def test_as_many_options_as_laya_can_read_are_taken_and_one_more_is_not(tmp_path: Path) -> None:
    assert taken(tmp_path, choice([f"o{n}" for n in range(MAX_OPTIONS)]))
    assert MAX_OPTIONS == (192 - 16) // 4
    levels = {"q": {"type": "score", "instructions": "How?", "criteria": ["l"] * (MAX_OPTIONS + 1)}}
    for content in (choice([f"o{n}" for n in range(140)]), levels):
        said = reason(tmp_path, content)
        assert "'q'" in said
        assert "44" in said


@pytest.mark.parametrize(
    "definition",
    [
        None,
        [],
        "noul",
        {},
        {"instructions": "x"},
        {"type": "noul"},
        {"type": "noul", "instructions": ""},
        {"type": "noul", "instructions": None},
        {"type": "noul", "instructions": ["x"]},
        {"type": "bool", "instructions": "x"},
        {"type": "Noul", "instructions": "x"},
        {"type": ["noul"], "instructions": "x"},
        {"type": "choice", "instructions": "x"},
        {"type": "choice", "instructions": "x", "criteria": []},
        {"type": "choice", "instructions": "x", "criteria": {}},
        {"type": "choice", "instructions": "x", "criteria": "a"},
        {"type": "choice", "instructions": "x", "criteria": [["a"], "b"]},
        {"type": "choice", "instructions": "x", "criteria": ["a", 1]},
        {"type": "choice", "instructions": "x", "criteria": ["a", " "]},
        {"type": "choice", "instructions": "x", "criteria": ["a", "a"]},
        {"type": "score", "instructions": "x"},
        {"type": "score", "instructions": "x", "criteria": []},
        {"type": "score", "instructions": "x", "criteria": {"a": "b"}},
        {"type": "score", "instructions": "x", "criteria": ["a", None]},
        {"type": "noul", "instructions": "x", "criteria": ["a"]},
        {"type": "noul", "instructions": "x", "criteria": {"yes": "a"}},
        {"type": "noul", "instructions": "x", "criteria": {"true": "a", "True": "b"}},
        {"type": "noul", "instructions": "x", "labels": {"true": "a", "false": "a"}},
        {"type": "noul", "instructions": "x", "labels": {"true": "a"}},
        {"type": "noul", "instructions": "x", "labels": 3},
        {"type": "choice", "instructions": "x", "criteria": ["a"], "labels": {"true": "a", "false": "b"}},
    ],
)
def test_one_malformed_question_refuses_the_file_and_is_named(tmp_path: Path, definition: Any) -> None:
    assert "'broken'" in reason(tmp_path, {"fine": NOUL, "broken": definition})


@pytest.mark.parametrize(
    "content", [[], "[1]", "3", "null", '"text"', {}, {" ": NOUL}, "", "{", '{"a": NaN}']
)
def test_a_file_that_is_no_object_of_questions_is_refused(tmp_path: Path, content: Any) -> None:
    assert "questions.json" in reason(tmp_path, content)


def test_a_question_that_stands_twice_is_named(tmp_path: Path) -> None:
    one = json.dumps(NOUL)
    assert "'a'" in reason(tmp_path, f'{{"a": {one}, "a": {one}}}')


def test_a_missing_file_says_where_to_get_one(tmp_path: Path) -> None:
    found = read_questions(tmp_path / "questions.json")
    assert isinstance(found, QuestionsProblem)
    assert "questions.json does not exist" in found.reason
    assert "questions.example.json" in found.reason


@pytest.mark.parametrize("content", [b"\xff\xfe{\x00}\x00", b'{"a": "\xe4"}', b"[" * 100_000])
def test_bytes_of_any_kind_are_refused_and_never_raise(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "questions.json"
    path.write_bytes(content)
    assert isinstance(read_questions(path), QuestionsProblem)


def test_a_folder_a_nul_and_an_unreadable_name_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, "a\0b", tmp_path / ("n" * 5000)):
        assert isinstance(read_questions(path), QuestionsProblem)


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "questions.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"a": NOUL}).encode())
    assert isinstance(read_questions(path), QuestionSet)


def test_half_a_surrogate_pair_never_gets_to_laya(tmp_path: Path) -> None:
    found = taken(
        tmp_path, '{"q": {"type": "noul", "instructions": "x\\ud800", "criteria": {"true": "\\udc00"}}}'
    )
    json.dumps(found.raw, ensure_ascii=False).encode("utf-8")


def test_loading_gives_none_and_logs_the_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert load_questions(written(tmp_path, {"broken": 1})) is None
    assert "'broken'" in caplog.text


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "instructions", "criteria", "true"]) | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(content=_JSON)
def test_whatever_json_holds_it_is_taken_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert isinstance(read_questions(path), (QuestionSet, QuestionsProblem))
