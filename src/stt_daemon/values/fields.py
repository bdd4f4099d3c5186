"""The file of fields: what is looked for, what is asked about each candidate, and the thresholds. Pure.

Reading is strict, like that of the configuration: a key that is not known is a problem with its name, since a
guard that silently is not asked lets a wrong value through.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast, get_args

from stt_daemon.values.finders import Search
from stt_daemon.values.typed import Kind

VERSION = 1
MOST_FIELDS = 20
MOST_GUARDS = 12
LONGEST_TEMPLATE = 400
"""Characters. A question longer than this would be cut before the model sees its options."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PLACE = re.compile(r"\{[^{}]*\}")
_OPTIONS: dict[str, frozenset[str]] = {
    "temperature": frozenset(("scale",)),
    "identifier": frozenset(("labels", "digits")),
    "quantity": frozenset(("units",)),
}


@dataclass(frozen=True)
class Thresholds:
    """Probabilities: at least `present` and every guard at most `guard`; below `rejected` is a clear no."""

    present: float = 0.60
    guard: float = 0.20
    rejected: float = 0.40
    calibrated: bool = False


@dataclass(frozen=True)
class Field:
    """One thing to read. `question` and `guards` are templates with {span} and {reading}."""

    name: str
    search: Search
    question: str
    guards: Mapping[str, str]
    thresholds: Thresholds = field(default_factory=Thresholds)


@dataclass(frozen=True)
class FieldSet:
    """A valid file. `raw` is what it holds, to write it again with other thresholds."""

    fields: tuple[Field, ...]
    time_zone: str
    raw: Mapping[str, Any]

    def named(self, name: str) -> Field | None:
        return next((one for one in self.fields if one.name == name), None)

    def with_thresholds(self, fitted: Mapping[str, Thresholds]) -> str:
        """The text of the file with these thresholds in place, everything else as it was."""
        raw = copy.deepcopy(dict(self.raw))
        for name, chosen in fitted.items():
            raw["fields"][name]["thresholds"] = {
                "present": chosen.present,
                "guard": chosen.guard,
                "rejected": chosen.rejected,
                "calibrated": chosen.calibrated,
            }
        return json.dumps(raw, ensure_ascii=False, indent=2) + "\n"


@dataclass(frozen=True)
class FieldsProblem:
    """Why a file cannot be used, in one line that names the place."""

    reason: str


class _ProblemError(Exception):
    """What is wrong, on its way out of the reading."""


def parse_fields(text: str) -> FieldSet | FieldsProblem:
    """The fields of a file's text; never raises."""
    try:
        raw = json.loads(text, object_pairs_hook=_without_doubles)
        return _file(raw)
    except _ProblemError as problem:
        return FieldsProblem(str(problem))
    except (ValueError, RecursionError) as error:
        return FieldsProblem(f"not JSON: {error}")


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise _ProblemError(f"{_doubled([key for key, _ in pairs])!r} stands there twice")
    return result


def _doubled(keys: list[str]) -> str:
    return next(key for n, key in enumerate(keys) if key in keys[:n])


def _file(raw: Any) -> FieldSet:
    top = _object(raw, "the file", {"version", "fields"}, {"time_zone"})
    if top["version"] != VERSION or isinstance(top["version"], bool):
        raise _ProblemError(f"version: {VERSION} is the version that is read")
    zone = top.get("time_zone", "")
    if not isinstance(zone, str):
        raise _ProblemError("time_zone: not a text")
    fields = top["fields"]
    if not isinstance(fields, dict) or not 1 <= len(fields) <= MOST_FIELDS:
        raise _ProblemError(f"fields: 1 to {MOST_FIELDS} of them are needed")
    return FieldSet(tuple(_field(name, one) for name, one in fields.items()), zone, top)


def _field(name: str, raw: Any) -> Field:
    where = f"fields.{name}"
    if not _NAME.fullmatch(name):
        raise _ProblemError(f"{where}: a name is made of small letters, digits and _")
    kind = raw.get("kind") if isinstance(raw, dict) else None
    known = _OPTIONS.get(kind, frozenset()) if isinstance(kind, str) else frozenset()
    one = _object(raw, where, {"kind", "question", "guards"}, {"thresholds", *known})
    if kind not in get_args(Kind):
        raise _ProblemError(f"{where}.kind: one of {', '.join(get_args(Kind))}")
    guards = one["guards"]
    if not isinstance(guards, dict) or not 1 <= len(guards) <= MOST_GUARDS:
        raise _ProblemError(f"{where}.guards: 1 to {MOST_GUARDS} of them are needed")
    for guard in guards:
        if not _NAME.fullmatch(guard):
            raise _ProblemError(f"{where}.guards.{guard}: a name is made of small letters, digits and _")
    return Field(
        name,
        _search(cast("Kind", kind), one, where),
        _template(one["question"], f"{where}.question", {"{span}", "{reading}"}),
        {guard: _template(text, f"{where}.guards.{guard}", {"{span}"}) for guard, text in guards.items()},
        _thresholds(one.get("thresholds", {}), f"{where}.thresholds"),
    )


def _search(kind: Kind, one: Mapping[str, Any], where: str) -> Search:
    scale, labels = one.get("scale", ""), one.get("labels", [])
    digits, units = one.get("digits", 5), one.get("units", {})
    if scale not in ("", "F", "C"):
        raise _ProblemError(f"{where}.scale: F, C or nothing")
    if not isinstance(labels, list) or not all(
        isinstance(label, str) and label.isalpha() for label in labels
    ):
        raise _ProblemError(f"{where}.labels: a list of words")
    if isinstance(digits, bool) or not isinstance(digits, int) or not 3 <= digits <= 20:
        raise _ProblemError(f"{where}.digits: a number from 3 to 20")
    if not isinstance(units, dict) or not all(isinstance(unit, str) and unit for unit in units.values()):
        raise _ProblemError(f"{where}.units: words and how their unit is written")
    return Search(
        kind,
        scale=scale,
        labels=tuple(label.lower() for label in labels),
        digits=digits,
        units={word.lower(): unit for word, unit in units.items()},
    )


def _template(raw: Any, where: str, needed: set[str]) -> str:
    if not isinstance(raw, str) or not raw.strip() or len(raw) > LONGEST_TEMPLATE:
        raise _ProblemError(f"{where}: a text of at most {LONGEST_TEMPLATE} characters")
    places = set(_PLACE.findall(raw))
    if not needed <= places or not places <= {"{span}", "{reading}"}:
        raise _ProblemError(f"{where}: it needs {' and '.join(sorted(needed))}, and no other place")
    return raw


def _thresholds(raw: Any, where: str) -> Thresholds:
    given = _object(raw, where, set(), {"present", "guard", "rejected", "calibrated"})
    numbers = {}
    for key in ("present", "guard", "rejected"):
        value = given.get(key, getattr(Thresholds(), key))
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise _ProblemError(f"{where}.{key}: a number from 0 to 1")
        numbers[key] = float(value)
    if numbers["rejected"] > numbers["present"]:
        raise _ProblemError(f"{where}.rejected: not above present")
    if not isinstance(given.get("calibrated", False), bool):
        raise _ProblemError(f"{where}.calibrated: true or false")
    return Thresholds(**numbers, calibrated=given.get("calibrated", False))


def _object(raw: Any, where: str, needed: set[str], more: set[str]) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise _ProblemError(f"{where}: not an object")
    for key in sorted(needed - raw.keys()):
        raise _ProblemError(f"{where}.{key}: missing")
    for key in raw:
        if key not in needed | more:
            raise _ProblemError(f"{where}.{key}: not known")
    return raw
