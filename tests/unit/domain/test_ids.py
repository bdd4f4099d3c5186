"""How sessions and utterances are named."""

from __future__ import annotations

from datetime import datetime, timezone

from stt_daemon.domain import next_session_id, utterance_id


def test_a_session_is_named_by_its_local_start_second() -> None:
    now = datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone.utc)
    assert next_session_id(now, lambda name: False) == "20260304-050607"


def test_a_taken_name_gets_the_next_free_number() -> None:
    now = datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone.utc)
    taken = {"20260304-050607", "20260304-050607-2"}
    assert next_session_id(now, taken.__contains__) == "20260304-050607-3"


def test_utterances_are_numbered_from_one() -> None:
    assert [utterance_id(n) for n in (1, 2, 12)] == ["u1", "u2", "u12"]
