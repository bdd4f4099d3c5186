from __future__ import annotations

import numpy as np
import pytest

from stt_daemon.audio.channels import ChannelMixer
from stt_daemon.audio.decode import decode_file
from stt_daemon.audio.levels import level_db
from tests.unit.audio.speech import JFK

RATE = 16_000


@pytest.fixture(scope="module")
def voice() -> np.ndarray:
    return decode_file(JFK)[: 5 * RATE]


def mix(*channels: np.ndarray) -> np.ndarray:
    frames = np.stack(channels, axis=1).astype(np.int16)
    mixer = ChannelMixer(frames.shape[1], RATE)
    return np.concatenate([mixer.mix(frames[at : at + 700]) for at in range(0, len(frames), 700)])


def test_one_channel_passes_untouched(voice: np.ndarray) -> None:
    assert (mix(voice) == voice).all()


@pytest.mark.parametrize("order", [0, 1])
def test_a_silent_channel_takes_nothing_from_the_other(voice: np.ndarray, order: int) -> None:
    pair = [voice, np.zeros_like(voice)]
    mixed = mix(*(pair if order else pair[::-1]))
    assert abs(level_db(mixed) - level_db(voice)) < 0.1


def test_hum_on_the_other_channel_takes_nothing_while_somebody_speaks(voice: np.ndarray) -> None:
    hum = np.random.default_rng(1).normal(0, 3, len(voice))
    assert abs(level_db(mix(hum, voice)) - level_db(voice)) < 0.5


def test_an_inverted_pair_does_not_make_silence(voice: np.ndarray) -> None:
    assert abs(level_db(mix(voice, -voice)) - level_db(voice)) < 0.1


def test_an_inverted_pair_of_unequal_gain_does_not_make_silence(voice: np.ndarray) -> None:
    assert level_db(mix((voice * 0.7).astype(np.int16), -voice)) > level_db(voice) - 4


def test_the_same_sound_on_both_channels_keeps_its_level(voice: np.ndarray) -> None:
    assert (mix(voice, voice) == voice).all()


def test_two_people_with_a_channel_each_are_both_heard(voice: np.ndarray) -> None:
    # Somebody else's voice: later words of the same speech.
    other = decode_file(JFK)[-len(voice) :]
    mixed = mix(voice, other).astype(np.float64)
    for channel in (voice, other):
        assert np.corrcoef(mixed, channel)[0, 1] > 0.5


def test_a_second_person_who_begins_later_is_heard_from_the_first_word(voice: np.ndarray) -> None:
    silence = np.zeros(2 * RATE, np.int16)
    left = np.concatenate([voice[: 2 * RATE], silence])
    right = np.concatenate([silence, voice[: 2 * RATE]])
    mixed = mix(left, right)
    assert level_db(mixed[2 * RATE : 3 * RATE]) > level_db(voice[:RATE]) - 6.5


def test_a_channel_of_eight_is_found(voice: np.ndarray) -> None:
    channels = [np.zeros_like(voice) for _ in range(8)]
    channels[5] = voice
    assert abs(level_db(mix(*channels)) - level_db(voice)) < 0.1


def test_full_scale_channels_do_not_wrap_around() -> None:
    loud = np.full(RATE, -32768, np.int16)
    assert mix(loud, loud).min() == -32768
