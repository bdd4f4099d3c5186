"""Finding the one command whose phrase was said or typed. Pure.

A phrase fits only as a whole: all of its words, in order, nothing left over but fillers at the ends. Among
several fits a phrase without arguments wins over one with, and then the one with more words of its own;
what is then still two different things is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stt_daemon.commands.registry import Command, Pattern
from stt_daemon.commands.words import Word, clean, ends, starts, without_stutter, words

LONGEST_TURN = 250
"""Words. A longer turn is no command but a speech, and trying all splits of it would take long."""


@dataclass(frozen=True)
class Match:
    """A command and the texts of its arguments as they were said, preset ones included."""

    command: Command
    texts: Mapping[str, str]

    def missing(self) -> tuple[str, ...]:
        needed = (p.name for p in self.command.params if p.name not in self.command.optional)
        return tuple(name for name in needed if name not in self.texts)


def spoken_matches(text: str, commands: Iterable[Command]) -> tuple[Match, ...]:
    """The best fits of a spoken turn: none, one, or several different ones of equal worth."""
    text = clean(text)
    heard = words(text)
    if not heard or len(heard) > LONGEST_TURN:
        return ()
    best: dict[tuple[str, tuple[tuple[str, str], ...]], Match] = {}
    rank = (False, 0)
    for said in dict.fromkeys((heard, without_stutter(heard))):
        turn = _Turn(text, said, frozenset(word.form for word in said), starts(said), ends(said))
        for command in commands:
            for pattern in _spoken_patterns(command):
                for texts in _fits(pattern, turn):
                    worth = (not pattern.slots, len(pattern.literals))
                    if worth < rank:
                        continue
                    if worth > rank:
                        best, rank = {}, worth
                    match = Match(command, {**pattern.preset, **texts})
                    best[command.id, tuple(sorted(match.texts.items()))] = match
    return tuple(best.values())


def typed_match(rest: str, command: Command) -> Match | None:
    """What was typed after a slash name, by the command's typed patterns; a lone text is taken verbatim."""
    rest = clean(rest).strip()
    said = words(rest)
    for pattern in command.typed:
        if len(pattern.parts) == 1 and pattern.slots:
            if rest:
                return Match(command, {**pattern.preset, pattern.slots[0]: rest})
        elif not pattern.parts:
            if not rest:
                return Match(command, dict(pattern.preset))
        else:
            for slots in _places(pattern.parts, said, 0, len(said)):
                return Match(command, {**pattern.preset, **_texts(slots, said, rest, verbatim=True)})
    return None


def _spoken_patterns(command: Command) -> Iterator[Pattern]:
    """The phrases, and each that leaves one argument open once more with that argument behind it."""
    needed = [p.name for p in command.params if p.name not in command.optional]
    for pattern in command.phrases:
        yield pattern
        open_ones = [name for name in needed if name not in pattern.slots and name not in pattern.preset]
        if len(open_ones) == 1 and command.program is not None:
            yield Pattern((*pattern.parts, f"{{{open_ones[0]}}}"), pattern.preset)


@dataclass(frozen=True)
class _Turn:
    """What was said, and where in it a command may begin and end."""

    text: str
    said: tuple[Word, ...]
    forms: frozenset[str]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def _fits(pattern: Pattern, turn: _Turn) -> Iterator[dict[str, str]]:
    if not pattern.parts or not turn.forms.issuperset(pattern.literals):
        return
    last = (len(turn.said),) if pattern.parts[-1].startswith("{") else turn.ends
    for start in turn.starts:
        for end in last:
            for slots in _places(pattern.parts, turn.said, start, end):
                yield _texts(slots, turn.said, turn.text)


def _places(
    parts: Sequence[str], said: Sequence[Word], start: int, end: int
) -> Iterator[dict[str, tuple[int, int]]]:
    """Every way in which `parts` cover the words from `start` to `end` exactly: argument -> its words."""
    if not parts:
        if start == end:
            yield {}
        return
    if start >= end:
        return
    part = parts[0]
    if not part.startswith("{"):
        if said[start].form == part:
            yield from _places(parts[1:], said, start + 1, end)
        return
    stops = (end,) if len(parts) == 1 else range(start + 1, end)
    for stop in stops:
        if len(parts) > 1 and said[stop].form != parts[1]:
            continue
        for rest in _places(parts[1:], said, stop, end):
            yield {part[1:-1]: (start, stop), **rest}


def _texts(
    slots: Mapping[str, tuple[int, int]], said: Sequence[Word], text: str, *, verbatim: bool = False
) -> dict[str, str]:
    """The arguments cut out of the text; one that ends the text keeps what stands behind its last word."""
    found = {}
    for name, (first, stop) in slots.items():
        end = said[stop - 1].end if stop < len(said) else len(text)
        begin = said[first - 1].end if first else 0
        argument = text[begin:end].strip()
        found[name] = argument if verbatim else tidy(argument)
    return found


def tidy(argument: str) -> str:
    """Spoken words without the punctuation a recogniser puts around them."""
    argument = argument.lstrip(" \t:,;.–—-").rstrip()
    return argument.rstrip(".,…").rstrip() or argument
