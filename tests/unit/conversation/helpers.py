"""Small makers for the tests of this room."""

from __future__ import annotations

from stt_daemon.conversation import Conversation, Limits, PromptMessage
from stt_daemon.domain import Utterance

WALL = "2026-01-01T10:00:00+00:00"
NOW = "20260101-100000"
THEN = "20251224-090000"


def words(text: str, /) -> int:
    """A counter: one token a word."""
    return len(text.split())


def line(number: int, text: str = "words were said", t0: float = 0.0, speaker: str = "Anna") -> Utterance:
    minute, second = divmod(number, 60)
    wall = f"2026-01-01T10:{minute:02d}:{second:02d}+00:00"
    return Utterance(f"u{number}", number, t0, t0 + 1, wall, speaker, "mic", text, "en", "", -0.2, 0.0)


def conversation(**limits: object) -> Conversation:
    return Conversation(
        role="",
        prompt="Be brief.",
        compaction_prompt="Condense.",
        limits=Limits(**{"output_reserve": 100, "history_max_tokens": 1000, **limits}),  # type: ignore[arg-type]
        session=NOW,
    )


def talk(chat: Conversation, count: int, size: int = 20, start: int = 1) -> None:
    """Add answered exchanges of about `size` words on each side."""
    for n in range(start, start + count):
        asked, _ = chat.ask(f"question {n} " + "word " * (size - 2), wall=WALL)
        chat.answered(asked.number, f"answer {n} " + "word " * (size - 2), wall=WALL)


def text_of(messages: tuple[PromptMessage, ...]) -> str:
    return "\n".join(m.content for m in messages)
