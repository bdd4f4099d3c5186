from __future__ import annotations

import numpy as np
import pytest

from stt_daemon.audio.resample import Resampler
from stt_daemon.audio.sound_path import SoundPath


def tone(rate: int, seconds: float, frequency: float = 440.0) -> np.ndarray:
    return (8000 * np.sin(2 * np.pi * frequency * np.arange(round(rate * seconds)) / rate)).astype(np.int16)


def in_pieces(rate: int, samples: np.ndarray, size: int) -> np.ndarray:
    resampler = Resampler(rate)
    parts = [resampler.push(samples[at : at + size]) for at in range(0, len(samples), size)]
    return np.concatenate([*parts, resampler.flush()])


@pytest.mark.parametrize("rate", [8000, 11_025, 22_050, 24_000, 44_100, 48_000, 96_000])
def test_pieces_of_any_size_give_the_same_sound_and_length(rate: int) -> None:
    sound = tone(rate, 3.0)
    small, large = in_pieces(rate, sound, 347), in_pieces(rate, sound, len(sound))
    assert abs(len(small) - 48_000) <= 1
    assert abs(len(large) - len(small)) <= 1
    middle = slice(1000, 47_000)
    assert np.abs(small[middle].astype(int) - tone(16_000, 3.0)[middle]).max() < 250


def test_no_sample_is_gained_or_lost_over_an_hour() -> None:
    rate = 44_100
    resampler = Resampler(rate)
    block = np.zeros(rate * 10, np.int16)
    count = sum(len(resampler.push(block)) for _ in range(360)) + len(resampler.flush())
    assert abs(count - 3600 * 16_000) <= 1


def test_sixteen_kilohertz_passes_untouched() -> None:
    sound = tone(16_000, 0.1)
    assert Resampler(16_000).push(sound) is sound


def test_tones_above_what_is_kept_do_not_fold_into_speech() -> None:
    out = in_pieces(48_000, tone(48_000, 1.0, 15_000.0), 1536)
    assert np.abs(out[500:-500]).max() < 100


def test_times_of_a_path_add_up_and_never_step_back() -> None:
    path = SoundPath(2, 48_000, 5.0)
    block = path.push(np.zeros((4800, 2), np.int16))
    assert block is not None
    assert block.t == 5.0
    path.skip(48_000)
    assert path.t == pytest.approx(6.1)
    path.jump(2.0)
    assert path.t == pytest.approx(6.1)
    after = path.push(np.zeros((4800, 2), np.int16))
    assert after is not None
    assert after.t == pytest.approx(6.1)
