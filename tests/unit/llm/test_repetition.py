"""A loop is noticed; deliberate repetition is not one."""

from __future__ import annotations

import pytest

from stt_daemon.llm.repetition import RepetitionGuard


def loops(text: str, size: int = 7) -> bool:
    guard = RepetitionGuard()
    return any(guard.feed(text[at : at + size]) for at in range(0, len(text), size))


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize(
    "loop",
    [
        "The report is due on Friday.\n",
        "- 0\n",
        "and then ",
        "First this.\nThen that.\n\n",
        "a",
        "\n",
        "一二三",
        "A longer paragraph that comes again and again, with many words in it, for ever. " * 5,
    ],
)
def test_text_that_comes_again_for_ever_is_a_loop(loop: str, size: int) -> None:
    assert loops("A start that differs.\n" + loop * (6000 // len(loop)), size)


@pytest.mark.parametrize(
    "text",
    [
        "No, no, no.\n" * 3,
        "| a | b |\n|---|---|\n" + "| 0 | 0 |\n" * 10,
        "-" * 200 + "\n",
        "\n".join(f"{n}. item number {n} of the list" for n in range(400)),
        "\n\n".join(f"def test_{n}():\n    assert f({n}) == {n * n}" for n in range(200)),
    ],
)
def test_deliberate_repetition_and_lists_are_no_loops(text: str) -> None:
    assert not loops(text)


def test_a_loop_is_noticed_within_a_few_hundred_characters() -> None:
    assert loops("The report is due on Friday.\n" * 17)
