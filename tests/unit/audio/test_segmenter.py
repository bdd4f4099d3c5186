from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.audio.segmenter import (
    Closed,
    Decision,
    Discarded,
    Opened,
    Segmenter,
    SpeechBegan,
    SpeechCeased,
)
from stt_daemon.audio.vad import FRAME

MS = 16
SPEECH, SILENCE = 0.95, 0.02


def run(
    segmenter: Segmenter,
    probabilities: list[float],
    levels: list[float] | None = None,
    finish: str | None = "stop",
) -> list[Decision]:
    levels = [-20.0] * len(probabilities) if levels is None else levels
    decisions = [
        decision
        for probability, level in zip(probabilities, levels, strict=True)
        for decision in segmenter.push(probability, level)
    ]
    if finish is not None:
        decisions += segmenter.finish(finish, len(probabilities) * FRAME)  # type: ignore[arg-type]
    return decisions


def closed(decisions: list[Decision]) -> list[Closed]:
    return [decision for decision in decisions if isinstance(decision, Closed)]


def frames(milliseconds: float) -> int:
    return round(milliseconds / 32)


def test_speech_in_silence_is_padded_at_its_head_and_separately_at_its_tail() -> None:
    quiet, voice = frames(1000), frames(2000)
    segmenter = Segmenter(pre_roll_ms=300, tail_pad_ms=200, end_silence_ms=700)
    decisions = run(segmenter, [SILENCE] * quiet + [SPEECH] * voice + [SILENCE] * quiet)
    begin, end = quiet * FRAME, (quiet + voice) * FRAME
    assert decisions == [
        Opened(begin - 300 * MS),
        SpeechBegan(begin),
        SpeechCeased(end),
        Closed(begin - 300 * MS, end + 200 * MS, begin, end, voice * FRAME, "speech"),
    ]


def test_speech_from_the_first_sample_has_no_pre_roll() -> None:
    assert closed(run(Segmenter(), [SPEECH] * 20 + [SILENCE] * 40))[0].start == 0


def test_the_segment_closes_as_soon_as_the_end_silence_has_passed() -> None:
    segmenter = Segmenter(end_silence_ms=700)
    run(segmenter, [SPEECH] * 20, finish=None)
    counts = [len(segmenter.push(SILENCE, -60.0)) for _ in range(22)]
    assert counts[:21] == [0] * 21
    assert counts[21] == 2


def test_a_yes_of_180_ms_survives() -> None:
    (segment,) = closed(run(Segmenter(), [SILENCE] * 30 + [SPEECH] * 5 + [SILENCE] * 30))
    assert segment.voiced == 5 * FRAME


def test_a_click_is_no_speech_and_tells_nobody() -> None:
    decisions = run(Segmenter(min_speech_ms=120), [SILENCE] * 30 + [SPEECH] * 2 + [SILENCE] * 30)
    assert [type(decision) for decision in decisions] == [Opened, Discarded]


def test_a_soft_word_end_stays_inside_but_does_not_begin_speech() -> None:
    soft = 0.4
    assert run(Segmenter(threshold=0.5), [soft] * 100) == []
    (segment,) = closed(run(Segmenter(threshold=0.5), [SPEECH] * 10 + [soft] * 10 + [SILENCE] * 30))
    assert segment.speech_end == 20 * FRAME


def test_a_probability_that_hovers_does_not_keep_a_segment_open() -> None:
    decisions = run(Segmenter(), [SPEECH] * 10 + [SILENCE] + [0.45] * 60, finish=None)
    assert isinstance(decisions[-1], Closed)


def test_a_short_pause_does_not_split() -> None:
    talk = [SPEECH] * 20 + [SILENCE] * frames(500) + [SPEECH] * 20
    assert len(closed(run(Segmenter(end_silence_ms=700), talk + [SILENCE] * 40))) == 1
    assert len(closed(run(Segmenter(end_silence_ms=300), talk + [SILENCE] * 40))) == 2


def test_the_pre_roll_never_reaches_into_the_segment_before() -> None:
    talk = [SPEECH] * 20 + [SILENCE] * frames(320) + [SPEECH] * 20 + [SILENCE] * 40
    first, second = closed(run(Segmenter(end_silence_ms=300, tail_pad_ms=250, pre_roll_ms=300), talk))
    assert first.end <= second.start
    assert second.start < second.speech_start


def test_ninety_seconds_without_a_pause_are_cut_at_the_quietest_points() -> None:
    count = frames(90_000)
    levels = [-20.0] * count
    dips = [frames(20_000), frames(44_000), frames(64_000)]
    for dip in dips:
        levels[dip - 2 : dip + 3] = [-50.0] * 5
    segments = closed(run(Segmenter(max_segment_s=28.0), [SPEECH] * count, levels))
    assert [segment.reason for segment in segments] == ["max"] * 3 + ["stop"]
    assert [segment.end // FRAME for segment in segments[:3]] == dips
    assert segments[0].start == 0
    assert segments[-1].end == count * FRAME
    assert [segment.start for segment in segments[1:]] == [segment.end for segment in segments[:-1]]


def test_a_dip_of_the_detector_marks_a_pause_when_the_level_does_not() -> None:
    count = frames(40_000)
    probabilities = [SPEECH] * count
    dip = frames(18_000)
    probabilities[dip - 2 : dip + 3] = [0.6] * 5
    assert closed(run(Segmenter(max_segment_s=28.0), probabilities))[0].end == dip * FRAME


def test_speech_goes_on_across_a_forced_cut() -> None:
    decisions = run(Segmenter(max_segment_s=5.0), [SPEECH] * frames(12_000) + [SILENCE] * 30)
    assert sum(isinstance(decision, SpeechBegan) for decision in decisions) == 1
    assert sum(isinstance(decision, SpeechCeased) for decision in decisions) == 1


def test_the_end_of_a_word_behind_a_forced_cut_is_kept_however_short() -> None:
    count = frames(5000)
    levels = [-20.0] * count
    levels[count - 4 : count - 1] = [-90.0] * 3
    segmenter = Segmenter(max_segment_s=5.0)
    decisions = run(segmenter, [SPEECH] * count, levels, finish=None)
    decisions += run(segmenter, [SILENCE] * 30, finish=None)
    assert closed(decisions)[-1].reason == "speech"
    assert closed(decisions)[-1].start == closed(decisions)[0].end


def test_stopping_in_the_middle_of_a_word_keeps_all_of_it() -> None:
    segmenter = Segmenter()
    run(segmenter, [SPEECH] * 50, finish=None)
    assert closed(segmenter.finish("stop", 50 * FRAME - 100))[0].end == 50 * FRAME - 100


def test_nothing_is_taken_from_before_a_restart() -> None:
    segmenter = Segmenter(pre_roll_ms=300)
    run(segmenter, [SPEECH] * 50, finish="lost")
    segmenter.restart(100_000)
    decisions = segmenter.push(SPEECH, -20.0)
    assert decisions == [Opened(100_000)]


sound = st.lists(
    st.tuples(
        st.sampled_from([SILENCE, 0.3, 0.4, 0.6, SPEECH]),
        st.floats(-80, -5),
        st.integers(1, 60),
    ),
    max_size=40,
)
settings = st.fixed_dictionaries(
    {
        "min_speech_ms": st.sampled_from([0, 120, 500]),
        "end_silence_ms": st.sampled_from([32, 100, 300, 700]),
        "pre_roll_ms": st.sampled_from([0, 300, 1000]),
        "tail_pad_ms": st.sampled_from([0, 250]),
        "max_segment_s": st.sampled_from([0.2, 2.0, 5.0]),
    }
)


@given(sound=sound, options=settings)
def test_segments_are_disjoint_in_order_and_bounded_and_lose_no_clear_speech(
    sound: list[tuple[float, float, int]], options: dict[str, float]
) -> None:
    probabilities = [p for p, _, count in sound for _ in range(count)]
    levels = [level for _, level, count in sound for _ in range(count)]
    decisions = run(Segmenter(**options), probabilities, levels)  # type: ignore[arg-type]
    position = 0
    kept: list[range] = []
    opened: int | None = None
    for decision in decisions:
        if isinstance(decision, Opened):
            assert opened is None
            assert decision.start >= position
            opened = decision.start
        elif isinstance(decision, Closed):
            assert decision.start == opened
            assert position <= decision.start <= decision.speech_start < decision.speech_end <= decision.end
            assert decision.end - decision.start <= max(options["max_segment_s"] * 16_000, 4 * FRAME)
            assert decision.end <= len(probabilities) * FRAME
            assert 0 < decision.voiced <= decision.end - decision.start + FRAME
            position, opened = decision.end, None
            kept.append(range(decision.start, decision.end))
        elif isinstance(decision, Discarded):
            assert decision.start == opened
            assert decision.voiced < max(1, options["min_speech_ms"] * MS)
            position, opened = max(position, decision.start), None
            kept.append(range(decision.start, decision.start))
    assert opened is None
    discarded = [d for d in decisions if isinstance(d, Discarded)]
    if not discarded:
        for index, probability in enumerate(probabilities):
            if probability >= 0.5:
                assert any(index * FRAME in part for part in kept), index


@given(sound=sound)
def test_beginnings_and_ends_of_speech_alternate(sound: list[tuple[float, float, int]]) -> None:
    probabilities = [p for p, _, count in sound for _ in range(count)]
    decisions = run(Segmenter(max_segment_s=2.0), probabilities)
    told = [d for d in decisions if isinstance(d, (SpeechBegan, SpeechCeased))]
    assert [type(d) for d in told] == [SpeechBegan, SpeechCeased] * (len(told) // 2)
    assert [d.at for d in told] == sorted(d.at for d in told)


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.9])
def test_the_threshold_decides_what_begins_speech(threshold: float) -> None:
    assert run(Segmenter(threshold=threshold), [threshold - 0.01] * 50) == []
    assert closed(run(Segmenter(threshold=threshold), [threshold] * 50))
