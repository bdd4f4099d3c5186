from __future__ import annotations

import pytest

from stt_daemon.apps.tui.toasts import LONGEST, Shelf, Toast, toast_of
from stt_daemon.messages import (
    ChatSaid,
    ChildChanged,
    CommandChanged,
    Failed,
    GapMarked,
    Message,
    Warned,
)
from tests.fakes.child_apps import utterance


def toast(number: int, seconds: float = 5.0) -> Toast:
    return Toast("t", str(number), "warning", seconds)


@pytest.mark.parametrize(
    ("message", "severity"),
    [
        (Warned(where="a", code="b", message="c"), "warning"),
        (Failed(where="a", code="b", message="c"), "error"),
        (GapMarked(seq=1, t0=0, t1=2, reason="lost", wall=""), "warning"),
        (ChildChanged(name="assistant", state="backoff", reason="killed"), "warning"),
        (CommandChanged(id="x", state="failed", reason="no"), "warning"),
        (CommandChanged(id="x", state="asked", reason="Which?"), "warning"),
    ],
)
def test_what_wants_attention_is_a_toast(message: Message, severity: str) -> None:
    found = toast_of(message, chat_in_sight=True)
    assert found is not None
    assert found.severity == severity


@pytest.mark.parametrize(
    "message",
    [
        utterance(1),
        ChatSaid(role="assistant", exchange=1, text="hello"),
        CommandChanged(id="x", state="done", reason="well"),
        ChildChanged(name="assistant", state="ready"),
    ],
)
def test_the_ordinary_is_none(message: Message) -> None:
    assert toast_of(message, chat_in_sight=True) is None


def test_a_long_text_is_cut() -> None:
    found = toast_of(Warned(where="a", code="b", message="x" * 10_000), chat_in_sight=True)
    assert found is not None
    assert len(found.text) == LONGEST


def test_the_same_toast_is_skipped_as_long_as_it_is_in_sight() -> None:
    shelf = Shelf()
    assert [shelf.place(toast(1), now) for now in (0.0, 4.9, 5.0)] == ["add", "skip", "add"]


def test_too_many_make_room_for_the_newest() -> None:
    shelf = Shelf()
    assert [shelf.place(toast(number), 0.0) for number in range(6)] == [*["add"] * 4, "alone", "add"]
