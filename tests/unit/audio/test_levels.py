from __future__ import annotations

import numpy as np

from stt_daemon.audio.levels import (
    FLOOR_DB,
    frame_levels_db,
    is_clipped,
    is_digital_silence,
    level_db,
    loud_level_db,
)


def sine(peak: float, count: int = 16_000) -> np.ndarray:
    return (peak * 32767 * np.sin(2 * np.pi * 200 * np.arange(count) / 16_000)).astype(np.int16)


def test_a_full_scale_sine_is_three_decibels_below_full_scale() -> None:
    assert abs(level_db(sine(1.0)) + 3.01) < 0.05


def test_silence_and_nothing_are_at_the_floor() -> None:
    assert level_db(np.zeros(100, np.int16)) == FLOOR_DB
    assert level_db(np.zeros(0, np.int16)) == FLOOR_DB
    assert frame_levels_db(np.zeros((2, 512), np.float32)).tolist() == [FLOOR_DB, FLOOR_DB]


def test_a_clean_peak_of_085_is_not_clipping() -> None:
    assert not is_clipped(sine(0.85))


def test_flat_tops_at_either_rail_are_clipping() -> None:
    loud = np.clip(sine(1.0).astype(np.int32) * 2, -32768, 32767).astype(np.int16)
    assert is_clipped(loud)
    assert is_clipped(np.minimum(loud, 0))
    assert is_clipped(np.array([0, -32767, -32768, -32767, 0], np.int16))


def test_single_full_scale_samples_are_not_clipping() -> None:
    assert not is_clipped(np.array([0, 32767, 0, 32767, 32767, 0, -32768, 0], np.int16))


def test_clipping_of_one_channel_among_several_is_seen() -> None:
    frames = np.zeros((100, 2), np.int16)
    frames[10:14, 1] = 32767
    assert is_clipped(frames)
    frames[:] = 0
    frames[10, :] = 32767
    assert not is_clipped(frames)


def test_one_step_of_noise_is_quiet_and_not_digital_silence() -> None:
    quiet = np.zeros(1600, np.int16)
    assert is_digital_silence(quiet)
    quiet[7] = 1
    assert not is_digital_silence(quiet)


def test_the_loud_level_does_not_sink_with_pauses() -> None:
    half_silent = np.concatenate([sine(0.5), np.zeros(16_000, np.int16)])
    assert abs(loud_level_db(half_silent, 16_000) - loud_level_db(sine(0.5), 16_000)) < 0.5
