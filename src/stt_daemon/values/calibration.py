"""Fitting the thresholds of each field to recorded answers. Pure; deterministic for a seed.

The order of what counts: no wrong value on any recording, then the most accepted positives, then the tightest
guard. A wrong value is acted on, an unclear one only costs a look. A seeded 30 % of the positives and of the
negatives of each field is held out, to show how the choice does on phrasings it was not made for.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from stt_daemon.errors import SttDaemonError
from stt_daemon.values.cases import Case, Recording, Replay
from stt_daemon.values.fields import Field, FieldSet, Thresholds
from stt_daemon.values.gate import decide
from stt_daemon.values.questions import main_id

PRESENT_SWEEP = tuple(n / 100 for n in range(60, 76, 5))
GUARD_SWEEP = tuple(n / 100 for n in range(20, 51, 5))
HELD_OUT = 0.30


@dataclass(frozen=True)
class Counts:
    """What a setting makes of some cases in one recording."""

    positives: int = 0
    negatives: int = 0
    accepted: int = 0
    wrong: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.positives + other.positives,
            self.negatives + other.negatives,
            self.accepted + other.accepted,
            self.wrong + other.wrong,
        )


@dataclass(frozen=True)
class FieldFit:
    """The outcome for one field. `chosen` is None if every setting let a wrong value through.

    The counts are of the chosen thresholds, or of those in force if none was chosen; one entry a recording.
    """

    field: str
    chosen: Thresholds | None
    fitted: tuple[Counts, ...]
    held_out: tuple[Counts, ...]


@dataclass(frozen=True)
class Fit:
    """All fields, and for the reliability plot each main answer with whether it was right to say yes."""

    seed: int
    fields: tuple[FieldFit, ...]
    points: tuple[tuple[float, bool], ...]

    @property
    def thresholds(self) -> dict[str, Thresholds]:
        """What goes into the file: of fields for which a setting was found."""
        return {one.field: one.chosen for one in self.fields if one.chosen is not None}


def fit(fields: FieldSet, cases: Sequence[Case], recordings: Sequence[Recording], *, seed: int = 0) -> Fit:
    """The thresholds that hold on all recordings. Raises StaleRecordingError, SttDaemonError for too few."""
    if len(recordings) < 2:
        raise SttDaemonError("two recordings are needed, to see how far the answers move", code="recording")
    held = held_out(cases, seed)
    fits, points = [], []
    for one in fields.fields:
        mine = [case for case in cases if case.field == one.name]
        if not mine:
            continue
        replays = [[recording.replay(case, one) for case in mine] for recording in recordings]
        fits.append(_fit_field(one, replays, held))
        points += [point for some in replays for replay in some for point in _points(replay, one)]
    return Fit(seed, tuple(fits), tuple(points))


def held_out(cases: Sequence[Case], seed: int) -> frozenset[str]:
    """The ids of the held-out cases: of each field the same share of positives and of negatives."""
    chosen: set[str] = set()
    groups: dict[tuple[str, bool], list[str]] = {}
    for case in cases:
        groups.setdefault((case.field, case.positive), []).append(case.id)
    for (name, positive), ids in groups.items():
        ids.sort()
        drawn = random.Random(f"{seed}:{name}:{positive}").sample(ids, round(HELD_OUT * len(ids)))
        chosen.update(drawn)
    return frozenset(chosen)


def count(replay: Replay, one: Field) -> Counts:
    """One case under a field's thresholds. A positive with another value than its own is wrong, too."""
    case = replay.case
    outcome = decide(one, replay.candidates, replay.answers)
    value = outcome.value.plain if outcome.value is not None else ""
    right = case.positive and value == case.value
    return Counts(int(case.positive), int(not case.positive), int(right), int(bool(value) and not right))


def _fit_field(one: Field, replays: Sequence[Sequence[Replay]], held: frozenset[str]) -> FieldFit:
    """`replays` holds the same cases once for each recording."""
    fitting = [[replay for replay in some if replay.case.id not in held] for some in replays]
    held_back = [[replay for replay in some if replay.case.id in held] for some in replays]
    best: tuple[tuple[int, float, float], Thresholds] | None = None
    for guard in GUARD_SWEEP:
        for present in PRESENT_SWEEP:
            limits = replace(one.thresholds, present=present, guard=guard, calibrated=True)
            tried = _counts(replace(one, thresholds=limits), fitting)
            if any(counts.wrong for counts in tried):
                continue
            rank = (sum(counts.accepted for counts in tried), -guard, present)
            if best is None or rank > best[0]:
                best = (rank, limits)
    chosen = best[1] if best else None
    final = replace(one, thresholds=chosen or one.thresholds)
    return FieldFit(one.name, chosen, _counts(final, fitting), _counts(final, held_back))


def _counts(one: Field, replays: Sequence[Sequence[Replay]]) -> tuple[Counts, ...]:
    return tuple(sum((count(replay, one) for replay in some), Counts()) for some in replays)


def _points(replay: Replay, one: Field) -> list[tuple[float, bool]]:
    meant = replay.case.truly_meant(replay.candidates)
    points = []
    for number in range(1, len(replay.candidates) + 1):
        main = replay.answers.get(main_id(one, number))
        if main is not None:
            points.append((main, number in meant))
    return points
