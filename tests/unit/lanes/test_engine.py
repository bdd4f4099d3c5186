"""How much the encoder sees, and how much the decoder may write."""

from __future__ import annotations

import pytest

from stt_daemon.lanes.engine import token_cap, window_frames
from stt_daemon.lanes.speech_engine import NOTHING_HEARD, Heard, Piece


@pytest.mark.parametrize(
    ("duration_s", "frames"),
    [(0.5, 1000), (8.0, 1000), (12.345, 1434), (27.9, 2990), (28.0, 3000), (35, 3000)],
)
def test_the_window_is_ten_seconds_or_two_more_than_the_audio(duration_s: float, frames: int) -> None:
    assert window_frames(duration_s, "auto") == frames


def test_a_full_window_is_always_thirty_seconds() -> None:
    assert window_frames(0.5, "full") == 3000


def test_real_speech_stays_far_below_the_token_cap() -> None:
    assert token_cap(5.3) > 2 * 26


def test_the_parts_of_long_audio_count_by_their_tokens() -> None:
    parts = (Piece(" One.", 0, 1, -0.1, 0.0, 1.0, 10), Piece(" Two.", 1, 2, -0.4, 0.3, 2.0, 20))
    whole = Heard(parts, "en", 1.0)
    assert whole.text == "One. Two."
    assert whole.avg_logprob == pytest.approx(-0.3)
    assert whole.no_speech_prob == pytest.approx(0.2)
    assert (whole.compression_ratio, whole.tokens) == (2.0, 30)


def test_nothing_heard_is_certain_silence() -> None:
    assert (NOTHING_HEARD.text, NOTHING_HEARD.no_speech_prob) == ("", 1.0)
