"""One recorded fact: its forms on disk, in a prompt and for people. Pure; any thread."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stt_daemon.llm import estimate_tokens
from stt_daemon.triage import facts
from stt_daemon.triage.facts import Traits

LedgerLine = dict[str, Any]

UNVERIFIED = "(unverified)"
"""Stands behind a fact whose numbers or names nobody is known to have said."""

_ID = re.compile(r"f([1-9]\d{0,14})")


@dataclass(frozen=True)
class Noted:
    """A fact as a model wrote it down, and the ids it cited."""

    text: str
    cited: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fact:
    """The fact f1, f2, ... of a session; `evidence` has `ids`, `t0`, `t1` (seconds)."""

    number: int
    text: str
    evidence: dict[str, Any]
    verified: bool

    @cached_property
    def traits(self) -> Traits:
        return facts.read(self.text)

    @cached_property
    def tokens(self) -> int:
        """At most what its line costs in a prompt."""
        return estimate_tokens(f"{self.shown()}\n")

    @property
    def id(self) -> str:
        return f"f{self.number}"

    def shown(self) -> str:
        """One line; the mark keeps an unproven fact from passing as said."""
        return f"- {self.text}" if self.verified else f"- {self.text} {UNVERIFIED}"

    def shown_with_lines(self) -> str:
        """The same with the lines that show it."""
        ids = ", ".join(self.evidence["ids"])
        return f"{self.shown()} [{ids}]" if ids else self.shown()


def clip(text: str, limit: int) -> str:
    """The text in at most `limit` characters, cut between words so that no number is cut in two."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    if not text[limit - 1].isspace():
        head = head[: head.rindex(" ")] if " " in head else head.rstrip("0123456789.,:") or head
    return f"{head.rstrip(' ,;:-')}…"


def line_of(fact: Fact) -> LedgerLine:
    """The `add` line of `ledger.jsonl`."""
    return {
        "op": "add",
        "id": fact.id,
        "text": fact.text,
        "evidence": {**fact.evidence, "ids": list(fact.evidence["ids"])},
        "verified": fact.verified,
    }


def fact_of(line: Mapping[str, Any]) -> Fact | None:
    """The fact an `add` line holds; None if it is not one."""
    number, text, evidence = number_of(line.get("id")), line.get("text"), line.get("evidence")
    if not number or not isinstance(text, str) or not isinstance(evidence, Mapping):
        return None
    ids, t0, t1 = evidence.get("ids"), evidence.get("t0"), evidence.get("t1")
    if not isinstance(ids, list) or not all(isinstance(name, str) for name in ids):
        return None
    if not isinstance(t0, (int, float)) or not isinstance(t1, (int, float)):
        return None
    return Fact(number, text, {"ids": ids, "t0": t0, "t1": t1}, line.get("verified") is True)


def number_of(name: object) -> int:
    hit = _ID.fullmatch(name) if isinstance(name, str) else None
    return int(hit[1]) if hit else 0
