"""Labelled phrasings and recorded answers: what thresholds are fitted and tested on. Pure parsing of text.

A case says what one field should come to in one text, and which words are truly meant, so that an oracle
can answer for it. A recording holds the answers of one classifier, each under the hash of the request that
produced it: after any change of a question, a text or the way it is read, the recording is stale and refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, Literal, cast, get_args

from stt_daemon.errors import ConfigError, SttDaemonError
from stt_daemon.values.candidates import Candidate
from stt_daemon.values.fields import Field, FieldSet
from stt_daemon.values.reading import Asked, ask
from stt_daemon.values.zones import zone_named

Order = Literal["plain", "swapped"]
Expected = Literal["accepted", "unparseable", "none"]


class StaleRecordingError(SttDaemonError):
    """A recording that answers other requests than the present ones."""

    code = "stale_recording"


@dataclass(frozen=True)
class Case:
    """`span`: the words that are truly meant, "" if none are; `value`: what they come to, in plain form.

    `expected` is the outcome with answers that are right: "accepted" with the value, "unparseable" where
    words are meant that cannot be read, "none" where nothing is meant. `why` groups negatives by kind.
    """

    id: str
    field: str
    text: str
    now: datetime
    zone: tzinfo
    expected: Expected
    span: str = ""
    value: str = ""
    why: str = ""
    near: datetime | None = None

    @property
    def positive(self) -> bool:
        return self.expected == "accepted"

    def asked(self, one: Field, order: Order = "plain") -> Asked:
        """The request about this case's field."""
        near = {one.name: self.near} if self.near else {}
        swapped = order == "swapped"
        return ask((one,), self.text, now=self.now, zone=self.zone, near=near, swapped=swapped)

    def truly_meant(self, candidates: tuple[Candidate, ...]) -> set[int]:
        """The numbers of the candidates that share words with what is meant."""
        if not self.span:
            return set()
        start = self.text.index(self.span)
        end = start + len(self.span)
        return {
            number
            for number, candidate in enumerate(candidates, start=1)
            if candidate.span.start < end and start < candidate.span.end
        }


@dataclass(frozen=True)
class Answered:
    """The answers to one case's request: the probability of yes by question id."""

    hash: str
    answers: Mapping[str, float | None]


@dataclass(frozen=True)
class Recording:
    """The answers of one classifier to all cases, in one order of the options."""

    order: Order
    model: str
    cases: Mapping[str, Answered] = field(default_factory=dict)

    def replay(self, case: Case, one: Field) -> Replay:
        """The answers recorded for a case. Raises StaleRecordingError."""
        asked = case.asked(one, self.order)
        recorded = self.cases.get(case.id)
        if recorded is None or recorded.hash != request_hash(asked):
            raise StaleRecordingError(
                f"the recording does not answer {case.id} as it is asked now",
                mend="record again after a change of questions, texts or reading",
            )
        found = asked.candidates[0][1] if asked.candidates else ()
        return Replay(case, found, recorded.answers)


@dataclass(frozen=True)
class Replay:
    """A case with its candidates as they are found now and the answers recorded about them."""

    case: Case
    candidates: tuple[Candidate, ...]
    answers: Mapping[str, float | None]


def request_hash(asked: Asked) -> str:
    """Stands for the text and every question in the order it is asked, options included."""
    content = json.dumps([asked.text, asked.questions], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def parse_cases(text: str, fields: FieldSet) -> tuple[Case, ...]:
    """The cases of a file with one JSON object a line. Raises SttDaemonError that names the line."""
    cases: list[Case] = []
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            case = _case(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError, ConfigError) as error:
            raise SttDaemonError(f"cases, line {number}: {error}", code="cases") from error
        if case.id in seen or fields.named(case.field) is None:
            raise SttDaemonError(f"cases, line {number}: a double id or an unknown field", code="cases")
        seen.add(case.id)
        cases.append(case)
    return tuple(cases)


def write_recording(recording: Recording) -> str:
    """As text: one line about the recording, one for each case."""
    head = {"order": recording.order, "model": recording.model}
    lines = [
        {"case": name, "hash": one.hash, "answers": dict(one.answers)}
        for name, one in recording.cases.items()
    ]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (head, *lines))


def parse_recording(text: str) -> Recording:
    """What `write_recording` wrote. Raises SttDaemonError that names the line."""
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    head: dict[str, Any] = {}
    cases: dict[str, Answered] = {}
    for number, line in lines:
        try:
            one = json.loads(line)
            if not head:
                head = {"order": one["order"], "model": str(one["model"])}
                if head["order"] not in get_args(Order):
                    raise ValueError(f"order {head['order']!r}")
            else:
                cases[str(one["case"])] = Answered(str(one["hash"]), _probabilities(one["answers"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SttDaemonError(f"recording, line {number}: {error!r}", code="recording") from error
    if not head:
        raise SttDaemonError("the recording is empty", code="recording")
    return Recording(cast("Order", head["order"]), head["model"], cases)


def hashes(cases: Iterable[Case], fields: FieldSet, order: Order) -> dict[str, str]:
    """The request hash of each case, for whoever records."""
    found = {}
    for case in cases:
        one = fields.named(case.field)
        if one is not None:
            found[case.id] = request_hash(case.asked(one, order))
    return found


def _probabilities(raw: Mapping[str, Any]) -> dict[str, float | None]:
    return {str(name): None if value is None else float(value) for name, value in raw.items()}


def _case(raw: Mapping[str, Any]) -> Case:
    expected = raw["expected"]
    if expected not in get_args(Expected):
        raise ValueError(f"expected {expected!r}")
    now = datetime.fromisoformat(raw["now"])
    zone = zone_named(raw["zone"])
    near = raw.get("near")
    case = Case(
        str(raw["id"]),
        str(raw["field"]),
        str(raw["text"]),
        now if now.tzinfo else now.replace(tzinfo=zone),
        zone,
        expected,
        str(raw.get("span", "")),
        str(raw.get("value", "")),
        str(raw.get("why", "")),
        datetime.fromisoformat(near).replace(tzinfo=zone) if near else None,
    )
    if case.span not in case.text or case.positive != bool(case.value):
        raise ValueError("the span is not in the text, or a value stands where none is accepted")
    return case
