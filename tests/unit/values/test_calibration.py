"""The fit on synthetic recordings: of a noisy oracle, and of answers made to test one rule."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from stt_daemon.errors import SttDaemonError
from stt_daemon.values import Field, FieldSet, Thresholds
from stt_daemon.values.calibration import GUARD_SWEEP, PRESENT_SWEEP, Fit, count, fit, held_out
from stt_daemon.values.cases import (
    Answered,
    Case,
    Order,
    Recording,
    StaleRecordingError,
    hashes,
    parse_cases,
    parse_recording,
    request_hash,
    write_recording,
)
from stt_daemon.values.questions import guard_id, main_id
from stt_daemon.values.report import plot, reliability, table
from tests.unit.values.helpers import cases, example

FIELDS = example()
CASES = cases(FIELDS)


def named(case: Case, fields: FieldSet = FIELDS) -> Field:
    found = fields.named(case.field)
    assert found is not None
    return found


def noisy_oracle(seed: int, order: Order = "plain", spread: float = 0.06) -> Recording:
    """Knows what is meant and says so with noise; now and then it mistakes what is meant."""
    drawn = random.Random(seed)
    recorded = {}
    for case in CASES:
        field = named(case)
        asked = case.asked(field, order)
        answers: dict[str, float | None] = {}
        found = asked.candidates[0][1] if asked.candidates else ()
        meant = case.truly_meant(found)
        for number in range(1, len(found) + 1):
            true = number in meant
            said = true != (drawn.random() < 0.03)
            answers[main_id(field, number)] = noise(drawn, 0.85 if said else 0.15, spread)
            for guard in field.guards:
                answers[guard_id(field, number, guard)] = noise(drawn, 0.10 if true else 0.7, spread)
        recorded[case.id] = Answered(request_hash(asked), answers)
    return Recording(order, f"noisy {seed}", recorded)


def noise(drawn: random.Random, centre: float, spread: float) -> float:
    return min(1.0, max(0.0, drawn.gauss(centre, spread)))


RECORDINGS = (noisy_oracle(1), noisy_oracle(2, "swapped"))


def made(answers: dict[str, tuple[float, float]]) -> Recording:
    """A recording of the seal cases only: main and guard probability by case id."""
    recorded = {}
    for case in SEALS:
        field = named(case)
        asked = case.asked(field)
        main, guard = answers[case.id]
        given: dict[str, float | None] = {main_id(field, 1): main}
        given |= {guard_id(field, 1, name): guard for name in field.guards}
        recorded[case.id] = Answered(request_hash(asked), given)
    return Recording("plain", "made", recorded)


def seal(number: int, text: str, value: str) -> Case:
    model = next(case for case in CASES if case.field == "seal_number")
    expected = "accepted" if value else "none"
    return replace(model, id=f"s{number:02d}", text=text, expected=expected, span=value, value=value)  # type: ignore[arg-type]


SEALS = tuple(
    [seal(n, f"seal {55000 + n}", str(55000 + n)) for n in range(10)]
    + [seal(n, f"old seal {55000 + n}", "") for n in range(10, 20)]
)
ONLY_SEALS = FieldSet(tuple(field for field in FIELDS.fields if field.name == "seal_number"), "", FIELDS.raw)


def chosen(result: Fit) -> Thresholds | None:
    (one,) = result.fields
    return one.chosen


def test_no_wrong_value_comes_before_everything_else() -> None:
    """One negative looks like a positive up to a guard of 0.31: accepting it would win nine positives."""
    answers = {case.id: (0.9, 0.33) for case in SEALS if case.positive}
    answers |= {case.id: (0.1, 0.9) for case in SEALS if not case.positive}
    answers["s00"] = (0.9, 0.21)
    held = held_out(SEALS, 0)
    tempting = next(case.id for case in SEALS if not case.positive and case.id not in held)
    answers[tempting] = (0.9, 0.31)
    result = fit(ONLY_SEALS, SEALS, (made(answers), made(answers)), seed=0)
    limits = chosen(result)
    assert limits is not None
    assert limits.guard < 0.31
    assert all(counts.wrong == 0 for counts in result.fields[0].fitted)


def test_then_the_most_accepted_positives_and_ties_go_to_the_tightest_guard() -> None:
    answers = {case.id: ((0.9, 0.33) if case.positive else (0.1, 0.9)) for case in SEALS}
    limits = chosen(fit(ONLY_SEALS, SEALS, (made(answers), made(answers))))
    assert limits is not None
    assert limits.guard == 0.35
    assert limits.calibrated


def test_a_setting_must_hold_on_both_recordings() -> None:
    good = {case.id: ((0.9, 0.33) if case.positive else (0.1, 0.9)) for case in SEALS}
    held = held_out(SEALS, 0)
    moved = next(case.id for case in SEALS if not case.positive and case.id not in held)
    limits = chosen(fit(ONLY_SEALS, SEALS, (made(good), made({**good, moved: (0.9, 0.25)}))))
    assert limits is not None
    assert limits.guard == 0.20


def test_without_a_setting_that_is_never_wrong_the_thresholds_stay() -> None:
    answers = {case.id: (0.9, 0.0) for case in SEALS}
    result = fit(ONLY_SEALS, SEALS, (made(answers), made(answers)))
    assert chosen(result) is None
    assert result.thresholds == {}
    assert "No setting without a wrong value: seal_number" in table(result)


def test_the_hold_out_is_a_seeded_share_of_each_fields_positives_and_negatives() -> None:
    held = held_out(CASES, 7)
    assert held == held_out(tuple(reversed(CASES)), 7)
    assert held != held_out(CASES, 8)
    for field in FIELDS.fields:
        for positive in (True, False):
            group = [case for case in CASES if case.field == field.name and case.positive == positive]
            assert sum(case.id in held for case in group) == round(0.3 * len(group))


def test_the_held_out_cases_do_not_decide() -> None:
    held = held_out(SEALS, 0)
    good = {case.id: ((0.9, 0.1) if case.positive else (0.1, 0.9)) for case in SEALS}
    spoilt = {**good, next(case.id for case in SEALS if not case.positive and case.id in held): (0.9, 0.0)}
    result = fit(ONLY_SEALS, SEALS, (made(spoilt), made(spoilt)), seed=0)
    assert chosen(result) is not None
    assert [counts.wrong for counts in result.fields[0].held_out] == [1, 1]


def test_a_noisy_oracle_gives_thresholds_without_a_wrong_value_on_what_was_fitted() -> None:
    result = fit(FIELDS, CASES, RECORDINGS, seed=3)
    assert {one.field for one in result.fields} == {field.name for field in FIELDS.fields}
    accepted = positives = 0
    for one in result.fields:
        assert one.chosen is not None
        assert one.chosen.guard in GUARD_SWEEP
        assert one.chosen.present in PRESENT_SWEEP
        for counts in one.fitted:
            assert counts.wrong == 0
            accepted += counts.accepted
            positives += counts.positives
    assert accepted > 0.5 * positives
    assert result == fit(FIELDS, CASES, RECORDINGS, seed=3)


def test_a_positive_with_another_value_counts_as_wrong() -> None:
    case = replace(SEALS[0], value="99999")
    recording = made({one.id: (0.9, 0.0) for one in SEALS})
    counts = count(recording.replay(case, named(case)), named(case))
    assert (counts.accepted, counts.wrong) == (0, 1)


def test_a_recording_of_other_questions_is_refused() -> None:
    field = named(SEALS[0])
    reworded = replace(field, question="Might “{span}” ({reading}) be the seal?")
    fields = replace(ONLY_SEALS, fields=(reworded,))
    answers = {case.id: (0.9, 0.0) for case in SEALS}
    with pytest.raises(StaleRecordingError, match=r"s\d\d"):
        fit(fields, SEALS, (made(answers), made(answers)))


@pytest.mark.parametrize(
    "change",
    [{"text": "seal 99999 instead"}, {"id": "unknown"}],
    ids=["another text", "a case without an answer"],
)
def test_a_recording_of_other_cases_is_refused(change: dict[str, str]) -> None:
    recording = made({case.id: (0.9, 0.0) for case in SEALS})
    with pytest.raises(StaleRecordingError):
        recording.replay(replace(SEALS[0], **change), named(SEALS[0]))  # type: ignore[arg-type]


def test_the_order_of_the_options_and_the_moment_are_part_of_the_request() -> None:
    case = next(case for case in CASES if case.id == "arrival_time-001")
    plain, swapped = (hashes([case], FIELDS, order)[case.id] for order in ("plain", "swapped"))
    later = replace(case, now=case.now.replace(day=9))
    assert len({plain, swapped, hashes([later], FIELDS, "plain")[case.id]}) == 3


def test_one_recording_is_not_enough() -> None:
    with pytest.raises(SttDaemonError, match="two recordings"):
        fit(FIELDS, CASES, RECORDINGS[:1])


def test_a_recording_survives_being_written() -> None:
    assert parse_recording(write_recording(RECORDINGS[1])) == RECORDINGS[1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"order": "other", "model": "m"}',
        '{"order": "plain", "model": "m"}\n{"case": 1}',
        "nothing",
    ],
)
def test_a_damaged_recording_is_refused(text: str) -> None:
    with pytest.raises(SttDaemonError):
        parse_recording(text)


@pytest.mark.parametrize(
    "change",
    [
        {"expected": "maybe"},
        {"now": "then"},
        {"zone": "Nowhere"},
        {"field": "weight"},
        {"expected": "accepted"},
        {"span": "six dollars"},
        {"id": None},
    ],
    ids=str,
)
def test_a_damaged_case_is_refused_with_its_line(change: dict[str, str | None]) -> None:
    case = {
        "id": "a",
        "field": "amount",
        "text": "$5",
        "now": "2026-01-01",
        "zone": "UTC",
        "expected": "none",
    }
    assert parse_cases(json.dumps(case), FIELDS)
    damaged = {key: value for key, value in {**case, **change}.items() if value is not None}
    with pytest.raises(SttDaemonError, match="line 2"):
        parse_cases("\n" + json.dumps(damaged), FIELDS)


def test_the_report_shows_each_field_and_how_far_probabilities_can_be_trusted() -> None:
    result = fit(FIELDS, CASES, RECORDINGS)
    text = table(result)
    for field in FIELDS.fields:
        assert text.count(f"| {field.name} |") == 2
    picture = ET.fromstring(plot(result.points))
    dots = [one for one in picture if one.tag.endswith("circle")]
    assert len(dots) == len(reliability(result.points)) > 1
    assert sum(number for _, _, number in reliability(result.points)) == len(result.points)


def test_reliability_is_the_mean_and_the_share_of_each_tenth() -> None:
    points = [(0.92, True), (0.98, False), (1.0, True), (0.0, False), (float("nan"), True)]
    assert reliability(points) == [(0.0, 0.0, 1), (pytest.approx(0.9666, abs=1e-3), pytest.approx(2 / 3), 3)]
    assert "<svg" in plot([])
