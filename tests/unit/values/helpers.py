"""Deciders that stand for the classifier, and short ways to read a text."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from stt_daemon.values import (
    Asked,
    At,
    Candidate,
    Field,
    FieldSet,
    Kind,
    Outcome,
    Search,
    find,
    parse_fields,
    settle,
)
from stt_daemon.values.cases import Case, parse_cases
from stt_daemon.values.questions import guard_id, main_id

ROOT = Path(__file__).parents[3]
CHICAGO = ZoneInfo("America/Chicago")
VIENNA = ZoneInfo("Europe/Vienna")
NOW = datetime(2026, 10, 8, 8, 0, tzinfo=CHICAGO)

Decider = Callable[[Asked], Mapping[str, float | None]]


def example() -> FieldSet:
    """The file that ships."""
    fields = parse_fields((ROOT / "values.example.json").read_text("utf-8"))
    assert isinstance(fields, FieldSet)
    return fields


def cases(fields: FieldSet) -> tuple[Case, ...]:
    return parse_cases((ROOT / "tests" / "values" / "cases.jsonl").read_text("utf-8"), fields)


def at(when: str = "", zone: ZoneInfo = CHICAGO, near: str = "") -> At:
    """Local times as "2026-10-08T08:00"; the default is a Thursday morning in Chicago."""
    now = datetime.fromisoformat(when).replace(tzinfo=zone) if when else NOW
    return At(now, zone, datetime.fromisoformat(near).replace(tzinfo=zone) if near else None)


def one(text: str, kind: Kind = "instant", when: At | None = None, **options: object) -> Candidate:
    """The only candidate of a text."""
    found = find(text, Search(kind, **options), when or at())  # type: ignore[arg-type]
    assert len(found) == 1, found
    return found[0]


def read(text: str, kind: Kind = "instant", when: At | None = None, **options: object) -> str:
    """How the only candidate of a text is read; "" if it is left open."""
    candidate = one(text, kind, when, **options)
    assert bool(candidate.why) == (candidate.value is None)
    return candidate.value.plain if candidate.value is not None else ""


def clock(text: str, when: At | None = None) -> str:
    """The same for a moment, as "10-08 09:30"."""
    return read(text, when=when)[5:16].replace("T", " ")


def oracle(case: Case, one_field: Field) -> Decider:
    """Knows which words are meant."""

    def answer(asked: Asked) -> Mapping[str, float | None]:
        meant = case.truly_meant(asked.candidates[0][1] if asked.candidates else ())
        return answers(asked, lambda n: 0.95 if n in meant else 0.04, lambda n: 0.03 if n in meant else 0.9)

    return answer


def answers(
    asked: Asked, main: Callable[[int], float], guard: Callable[[int], float]
) -> dict[str, float | None]:
    """Probabilities for every question, from the number of the candidate."""
    found: dict[str, float | None] = {}
    for field, candidates in asked.candidates:
        for number in range(1, len(candidates) + 1):
            found[main_id(field, number)] = main(number)
            for name in field.guards:
                found[guard_id(field, number, name)] = guard(number)
    return found


def always_yes(asked: Asked) -> Mapping[str, float | None]:
    """Wants every candidate: yes to what it means, no to each guard."""
    return answers(asked, lambda _: 1.0, lambda _: 0.0)


def yes_to_everything(asked: Asked) -> Mapping[str, float | None]:
    return dict.fromkeys(asked.questions, 1.0)


def always_no(asked: Asked) -> Mapping[str, float | None]:
    return dict.fromkeys(asked.questions, 0.0)


def noise(seed: int) -> Decider:
    """Anything, numbers that are none included."""
    drawn = random.Random(seed)

    def answer(asked: Asked) -> Mapping[str, float | None]:
        strange = (None, float("nan"), -1.0, 7.0)
        return {
            name: drawn.choice(strange) if drawn.random() < 0.05 else drawn.choice((0.0, 1.0, drawn.random()))
            for name in asked.questions
        }

    return answer


def outcome(asked: Asked, decider: Decider) -> Outcome | None:
    """The outcome of a request about one field."""
    found = settle(asked, decider(asked))
    assert len(found) <= 1
    return found[0] if found else None
