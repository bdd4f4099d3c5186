"""The questions put to each window of the transcript: reading the file, and what makes it valid.

Any thread. A file is taken whole or not at all, and what is wrong with it names the question.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from stt_daemon.domain.text import one_line, whole

log = logging.getLogger(__name__)

QuestionType = Literal["choice", "noul", "score"]

MAX_OPTIONS = 44
"""Laya gives the options of a question 192 - 16 tokens together, and cannot do with less than 4 for each."""

_TYPES = ("choice", "noul", "score")
_NOUL_KEYS = ("false", "true")


@dataclass(frozen=True)
class Question:
    """One question. `labels` are the options of a choice, the levels of a score in order, () for a noul.

    `descriptions` tell what each label means, "" where the file says nothing.
    """

    qid: str
    type: QuestionType
    instructions: str
    labels: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()

    @property
    def settled(self) -> bool:
        """A choice of one: the answer is known without asking."""
        return self.type == "choice" and len(self.labels) == 1


@dataclass(frozen=True)
class QuestionSet:
    """A valid file. `raw` is its content as Laya takes it; nobody may change it."""

    raw: dict[str, Any]
    questions: tuple[Question, ...]

    @property
    def order(self) -> tuple[str, ...]:
        """The ids in the order of the file."""
        return tuple(question.qid for question in self.questions)

    @property
    def asked(self) -> dict[str, Any]:
        """What goes to Laya: all but the choices of one."""
        return {question.qid: self.raw[question.qid] for question in self.questions if not question.settled}

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    def __len__(self) -> int:
        return len(self.questions)


@dataclass(frozen=True)
class QuestionsProblem:
    """Why a file cannot be used: one line that names the file and, if one is at fault, the question."""

    reason: str


class _Invalid(Exception):  # noqa: N818 - becomes a QuestionsProblem
    """The message names the question."""


def load_questions(path: str | Path) -> QuestionSet | None:
    """The questions of a file, None if it cannot be used; the log has the reason. Never raises."""
    found = read_questions(path)
    if isinstance(found, QuestionSet):
        return found
    log.warning("%s", found.reason)
    return None


def read_questions(path: str | Path) -> QuestionSet | QuestionsProblem:
    """The questions of a file, or why it cannot be used. Never raises."""
    file = one_line(str(path))
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return QuestionsProblem(f"{file} does not exist (copy questions.example.json there)")
    except UnicodeDecodeError as error:
        return QuestionsProblem(f"{file} is not UTF-8 text: byte {error.start} is wrong")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return QuestionsProblem(f"{file} cannot be read: {one_line(why)}")
    try:
        content = json.loads(text, object_pairs_hook=_without_twins, parse_constant=_not_a_number)
    except json.JSONDecodeError as error:
        return QuestionsProblem(
            f"{file} is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        )
    except RecursionError:
        return QuestionsProblem(f"{file} is nested too deep")
    except (_Invalid, ValueError) as error:
        return QuestionsProblem(f"{file}: {one_line(str(error))}")
    try:
        return _checked(content)
    except _Invalid as error:
        return QuestionsProblem(f"{file}: {one_line(str(error))}")


def _checked(content: Any) -> QuestionSet:
    """Validate what a file holds."""
    if not isinstance(content, dict):
        raise _Invalid("the top level must be an object of questions")
    if not content:
        raise _Invalid("it holds no question")
    raw = {qid: _whole(definition) for qid, definition in content.items()}
    return QuestionSet(raw, tuple(_question(whole(qid), definition) for qid, definition in raw.items()))


def _question(qid: str, definition: Any) -> Question:
    name = f"question {qid!r}"
    if not qid.strip():
        raise _Invalid("a question has no id")
    if not isinstance(definition, dict):
        raise _Invalid(f"{name} must be an object with type and instructions")
    kind = definition.get("type")
    if kind not in _TYPES:
        raise _Invalid(f"{name} has the type {kind!r}; known are {', '.join(_TYPES)}")
    instructions = definition.get("instructions")
    if not isinstance(instructions, str) or not instructions.strip():
        raise _Invalid(f"{name} has no instructions (a text is needed)")
    if "labels" in definition:
        _check_noul_labels(name, kind, definition["labels"])
    criteria = definition.get("criteria")
    labels, descriptions = _CRITERIA[kind](name, criteria)
    if len(labels) > MAX_OPTIONS:
        raise _Invalid(f"{name} has {len(labels)} options; {MAX_OPTIONS} are the most that Laya can read")
    return Question(qid, cast("QuestionType", kind), instructions, labels, descriptions)


_Labelled = tuple[tuple[str, ...], tuple[str, ...]]


def _choice(name: str, criteria: Any) -> _Labelled:
    if not isinstance(criteria, (dict, list)) or not criteria:
        raise _Invalid(
            f"{name} is a choice and needs criteria: a list of labels, or labels with descriptions"
        )
    for label in criteria:
        if not isinstance(label, str) or not label.strip():
            raise _Invalid(f"{name} has a label that is no text: {label!r}")
    labels = tuple(criteria)
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise _Invalid(f"{name} has the label {twice!r} twice")
    if isinstance(criteria, dict):
        return labels, tuple(_text(criteria[label]) for label in labels)
    return labels, ("",) * len(labels)


def _score(name: str, criteria: Any) -> _Labelled:
    if not isinstance(criteria, list) or not criteria:
        raise _Invalid(f"{name} is a score and needs criteria: a list of levels, the lowest first")
    if any(level is None for level in criteria):
        raise _Invalid(f"{name} has a level that is null")
    return tuple(_text(level) for level in criteria), ("",) * len(criteria)


def _noul(name: str, criteria: Any) -> _Labelled:
    if criteria is None:
        return (), ()
    if not isinstance(criteria, dict):
        raise _Invalid(f'{name} is a noul; its criteria, if any, are an object with "true" and "false"')
    keys = [key.lower() for key in criteria]
    if not set(keys) <= set(_NOUL_KEYS):
        raise _Invalid(f'{name} is a noul; its criteria may have no other keys than "true" and "false"')
    if len(set(keys)) < len(keys):
        raise _Invalid(f"{name} describes one answer twice")
    return (), ()


_CRITERIA = {"choice": _choice, "score": _score, "noul": _noul}


def _check_noul_labels(name: str, kind: str, labels: Any) -> None:
    """An optional pair of other words for yes and no; Laya refuses every call with a wrong one."""
    words = labels if isinstance(labels, dict) and set(labels) == set(_NOUL_KEYS) else {}
    texts = {word.strip() for word in words.values() if isinstance(word, str)} - {""}
    if kind != "noul" or len(texts) != len(_NOUL_KEYS):
        raise _Invalid(f'{name}: "labels" is for a noul and maps "true" and "false" to two different texts')


def _text(value: Any) -> str:
    """A label or description as Laya reads it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _whole(value: Any) -> Any:
    """The value without halves of surrogate pairs, which neither Laya nor a file takes."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {whole(key): _whole(item) for key, item in value.items()}
    return value


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Invalid(f"{twice!r} is there twice")
    return found


def _not_a_number(name: str) -> None:
    raise _Invalid(f"{name} is no number")
