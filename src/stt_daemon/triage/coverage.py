"""How far the brief has read, what was set aside, and what no fact covers. Pure; one thread.

Its changes are lines of `ledger.jsonl`, from which it is rebuilt together with what the facts of that file
rest on. A `clear` carries in `through` the last utterance of before: nothing up to there is to be read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Line = dict[str, Any]


def utterance_number(name: object) -> int:
    """The number in an utterance's id, which is its place in the session; 0 for anything else."""
    digits = name[1:] if isinstance(name, str) and name[:1] == "u" else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else 0


class Coverage:
    """The account of one session."""

    def __init__(self) -> None:
        self._reset()
        self._cleared_at = ""

    def _reset(self) -> None:
        self._through = ""
        self._set_aside: dict[str, None] = {}
        self._uncovered: dict[str, None] = {}
        self.unread_facts = 0
        """Recorded facts that did not fit into the last request."""

    @property
    def through(self) -> str:
        """The last utterance that an accepted brief has read; "" when there is none."""
        return self._through

    @property
    def set_aside(self) -> tuple[str, ...]:
        return tuple(self._set_aside)

    @property
    def uncovered(self) -> tuple[str, ...]:
        return tuple(self._uncovered)

    def read(self, ids: Iterable[str]) -> list[Line]:
        """An accepted brief has read these utterances (names that are none do not count)."""
        newest = max(ids, key=utterance_number, default="")
        if utterance_number(newest) <= utterance_number(self._through):
            return []
        self._through = newest
        return [{"op": "update", "through": newest}]

    def put_aside(self, ids: Iterable[str]) -> list[Line]:
        """No brief could be made of these."""
        return self._note("set_aside", self._set_aside, ids)

    def left_uncovered(self, ids: Iterable[str]) -> list[Line]:
        """No fact covers these, or nothing has read them."""
        return self._note("uncovered", self._uncovered, ids)

    def covered(self, ids: Iterable[str]) -> None:
        """A fact covers these after all. Leaves no line: the fact's own line names them as evidence."""
        for name in ids:
            self._uncovered.pop(name, None)

    def cleared(self, newest: str) -> None:
        """All of it begins anew behind the utterance `newest`."""
        self._reset()
        self._cleared_at = newest

    def restore(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Take up what an earlier run has written down."""
        for line in lines:
            match line.get("op"):
                case "add":
                    evidence = line.get("evidence")
                    self.covered(_ids(evidence) if isinstance(evidence, dict) else ())
                case "clear":
                    self.cleared(str(line.get("through", "")))
                case "update":
                    self.read([str(line.get("through", ""))])
                case "set_aside":
                    self.put_aside(_ids(line))
                case "uncovered":
                    self.left_uncovered(_ids(line))
                case _:
                    pass

    def is_before_clear(self, name: str) -> bool:
        """Whether an utterance was said before the last clear."""
        return utterance_number(name) <= utterance_number(self._cleared_at)

    def is_settled(self, name: str) -> bool:
        """Whether a brief has read it, or is not to read it any more."""
        return (
            self.is_before_clear(name)
            or utterance_number(name) <= utterance_number(self._through)
            or name in self._set_aside
        )

    @staticmethod
    def _note(op: str, known: dict[str, None], ids: Iterable[str]) -> list[Line]:
        new = [name for name in dict.fromkeys(ids) if utterance_number(name) and name not in known]
        known.update(dict.fromkeys(new))
        return [{"op": op, "ids": new}] if new else []


def _ids(line: Mapping[str, Any]) -> list[str]:
    ids = line.get("ids")
    return [name for name in ids if isinstance(name, str)] if isinstance(ids, list) else []
