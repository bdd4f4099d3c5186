"""Builders of what the panes are shown, and the hostile texts every pane must bear."""

from __future__ import annotations

from stt_daemon.domain import Utterance
from stt_daemon.messages import ChatSaid, GapMarked, Marked, PartialHeard, UtteranceFinished

HOSTILE = {
    "markup": "a [/INST] b [/] [bold]no[/bold] [/usr/bin/foo] [@click=app.quit]x[/]",
    "osc 52": "copy \x1b]52;c;aGVsbG8=\x07 that",
    "clear screen": "wipe \x1b[2J\x1b[H\x9b2J it",
    "bell": "ring \x07\x07 it",
    "line ends": "one\r\ntwo\nthree\x85four\u2028five\ttab",
    "right to left": "\u202eevil\u202c \u200frtl\u200e \u2067iso\u2069 שלום",
    "selectors": "❤️ ⚠️ ☺︎ 1️⃣ ▶️",
    "joined emoji": "👩‍🔬 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽",
    "wide": "日本語のとても長い文章です。" * 6,
    "accents": "z" + "\u0301\u0310" * 200 + "algo",
    "long word": "w" * 10_000,
    "long wide word": "語" * 5_000,
    "lone surrogate": "\ud800 half \udfff",
    "invisible": "a\u00adb\u200bc\u2060d\ufeffe\U000e0041f",
    "markdown": "![x](http://e.vil) [l](http://e.vil) <b>b</b> &#27;[2J &lt; # h | a | b |",
}


def utterance(number: int, text: str = "", *, t0: float | None = None, speaker: str = "Anna") -> Utterance:
    """The numbered line of a session that has one every three seconds from ten o'clock on."""
    start = 3.0 * number if t0 is None else t0
    seconds = 36_000 + int(start)
    clock = f"{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return Utterance(
        id=f"u{number}",
        seq=number,
        t0=start,
        t1=start + 2.0,
        wall=f"2026-01-01T{clock}.000+00:00",
        speaker=speaker,
        source="mic",
        text=text or f"This is sentence number {number} of the meeting.",
        language="en",
        wav="",
        avg_logprob=-0.2,
        no_speech_prob=0.1,
    )


def said(number: int, text: str = "", *, t0: float | None = None, speaker: str = "Anna") -> UtteranceFinished:
    return UtteranceFinished.of(utterance(number, text, t0=t0, speaker=speaker), None)


def partial(committed: str, tentative: str, *, t0: float) -> PartialHeard:
    return PartialHeard(utterance="u0", committed=committed, tentative=tentative, t0=t0, t1=t0 + 1)


def gap(seq: int, t0: float, reason: str = "device lost") -> GapMarked:
    return GapMarked(seq=seq, t0=t0, t1=t0 + 12.0, reason=reason, wall="2026-01-01T10:30:00.000+00:00")


def mark(t: float, note: str = "") -> Marked:
    return Marked(t=t, note=note, at=1_767_261_600.0)


def reply(text: str, exchange: int = 1, **more: object) -> ChatSaid:
    return ChatSaid(role="assistant", exchange=exchange, text=text, **more)  # type: ignore[arg-type]


def delta(text: str, exchange: int = 1) -> ChatSaid:
    return ChatSaid(role="assistant", exchange=exchange, delta=text, final=False)
