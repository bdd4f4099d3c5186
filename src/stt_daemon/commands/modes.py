"""Spoken phrases that change the mode. Pure.

A phrase counts at the beginning of a sentence (fillers before it do not matter), because in the middle of
one it is being talked about. A phrase that ends a mode also counts as the last words of a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stt_daemon.commands.words import LEADING, TRAILING, Word, clean, forms, starts, words

Mode = Literal["idle", "chat", "command"]

_SENTENCE_ENDS = frozenset(".?!…。？！;")


@dataclass(frozen=True)
class ModePhrases:
    """The three lists of the `[assistant]` section."""

    chat: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    end: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModeChange:
    """The mode a phrase asks for. `before` still belongs to the mode that was, `after` to the new one.

    `after` may hold a further phrase: ask again with it.
    """

    mode: Mode
    phrase: str
    before: str
    after: str


def mode_change(text: str, phrases: ModePhrases) -> ModeChange | None:
    """The first change of mode in a turn; None if no phrase was said in a place where it counts."""
    text = clean(text)
    said = words(text)
    known = sorted(
        (
            (tuple(forms(phrase)), mode, phrase)
            for mode, listed in _listed(phrases)
            for phrase in listed
            if forms(phrase)
        ),
        key=lambda entry: -len(entry[0]),
    )
    openers = {wanted[0] for wanted, _, _ in known}
    if openers.isdisjoint(word.form for word in said):
        return None
    beginnings = _sentence_starts(said, text)
    for place, word in enumerate(said):
        if word.form not in openers:
            continue
        for wanted, mode, phrase in known:
            stop = place + len(wanted)
            if tuple(heard.form for heard in said[place:stop]) != wanted:
                continue
            at_start = place in beginnings
            if at_start or (mode == "idle" and _only_fillers(said[stop:], TRAILING)):
                return _change(mode, phrase, text, said, (beginnings.get(place, place), stop))
    return None


def _listed(phrases: ModePhrases) -> tuple[tuple[Mode, tuple[str, ...]], ...]:
    return ("idle", phrases.end), ("chat", phrases.chat), ("command", phrases.command)


def _change(mode: Mode, phrase: str, text: str, said: Sequence[Word], span: tuple[int, int]) -> ModeChange:
    sentence, stop = span
    before = text[: said[sentence].start].strip()
    rest = said[stop:]
    if not rest or _only_fillers(rest, TRAILING):
        after = ""
    else:
        after = text[said[stop - 1].end :].lstrip(" \t:,;.!?…–—-").rstrip()
    return ModeChange(mode, phrase, before, after)


def _sentence_starts(said: Sequence[Word], text: str) -> dict[int, int]:
    """Places at which a phrase may begin, each with the first word of its sentence (fillers included)."""
    found: dict[int, int] = {}
    for place, word in enumerate(said):
        gap = text[said[place - 1].end : word.start] if place else ""
        if place and not _SENTENCE_ENDS & set(gap):
            continue
        for start in starts(said[place:]):
            found.setdefault(place + start, place)
    return found


def _only_fillers(said: Sequence[Word], fillers: frozenset[tuple[str, ...]]) -> bool:
    rest = [word.form for word in said]
    while rest:
        length = next((n for n in range(min(5, len(rest)), 0, -1) if tuple(rest[:n]) in fillers | LEADING), 0)
        if not length:
            return False
        rest = rest[length:]
    return True
