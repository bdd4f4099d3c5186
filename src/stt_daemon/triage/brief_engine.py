"""The living brief: what its model is asked, what of the reply counts, and what people are shown.

Pure; belongs to one thread. The engine keeps no conversation: each request is one system prompt and one user
turn, with what stays the same in front (system prompt, ledger) and what changes behind it (notes, utterances,
hints), so that a server can serve the front from its cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stt_daemon.llm import ChatMessage, estimate_tokens
from stt_daemon.triage import facts, lexicon
from stt_daemon.triage.bullets import restore_missing_bullets
from stt_daemon.triage.evidence import Delta
from stt_daemon.triage.fact import LedgerLine, Noted
from stt_daemon.triage.fact_ledger import FactLedger
from stt_daemon.triage.grammar import HEADINGS, reply_grammar
from stt_daemon.triage.recall import uncovered, worth_keeping
from stt_daemon.triage.reply import Unusable, parse_reply
from stt_daemon.triage.written import bare, note

DETAILS = "Prior Details:"
"""Opens the section of the recorded facts; everything before it is the narrative."""

CLOSING = """\
Now reply with the two sections. Under NEW FACTS: every decision, task, date, number, name and problem that \
NEW UTTERANCES add, one short sentence a line; under BRIEF: short notes in your own words."""

FORM = """\
Your last reply could not be used: {reason}. Reply once more, in exactly this form and with nothing else:

NEW FACTS:
- [u0] one new fact a line, behind the ids of its lines, or the single word none
BRIEF:
the notes"""

MARGIN = 256
"""Tokens kept free for the marks of the chat template and for the words of a re-ask."""

_TRIAL = frozenset(map(facts.stem, lexicon.TRIAL))
_SOUNDS = _TRIAL | frozenset(map(facts.stem, lexicon.FILLERS))

REPLY_SHARE = 3
"""In a small context the reply is expected to need no more than one part in so many of it."""


@dataclass(frozen=True)
class BriefSettings:
    """`max_chars` bounds what is shown; `slot_id` is a slot of a llama.cpp server."""

    system_prompt: str
    max_tokens: int
    timeout_s: float
    temperature: float
    max_chars: int
    slot_id: int | None = None


@dataclass(frozen=True)
class BriefRequest:
    """One call, to be sent as it is. `grammar` is for a llama.cpp server; others ignore it.

    `left_out` counts the oldest facts that did not fit into this request.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    timeout_s: float
    temperature: float
    slot_id: int | None
    grammar: str = field(repr=False)
    left_out: int = 0


@dataclass(frozen=True)
class BriefAccepted:
    """A reply that counts.

    `lines` are for `ledger.jsonl`, `brief` is what is shown now. `covered` are the ids of the utterances read
    that hold nothing which no fact keeps. Of the others `missed` are to be offered once more, and `uncovered`
    are the ids of those that have been.
    """

    lines: tuple[LedgerLine, ...]
    brief: str
    covered: tuple[str, ...] = ()
    missed: tuple[Delta, ...] = ()
    uncovered: tuple[str, ...] = ()


@dataclass(frozen=True)
class BriefRejected:
    """A reply of which nothing counts. `may_reask`: the form was wrong; a server told so may do better."""

    reason: str
    may_reask: bool


class BriefEngine:
    """The narrative of one session beside its ledger."""

    def __init__(self, settings: BriefSettings, ledger: FactLedger) -> None:
        self._settings = settings
        self._ledger = ledger
        self._narrative = ""
        self._headings = [name for name in HEADINGS if name in settings.system_prompt]
        self._told = frozenset(map(_normal, settings.system_prompt.splitlines())) - {""}

    @property
    def ledger(self) -> FactLedger:
        return self._ledger

    @property
    def narrative(self) -> str:
        """The volatile part, which every accepted reply writes anew."""
        return self._narrative

    @property
    def rendered(self) -> str:
        """The whole brief: the narrative, then all recorded facts."""
        details = self._ledger.render_details()
        return "\n\n".join(filter(None, (self._narrative, details and f"{DETAILS}\n{details}")))

    @property
    def shown(self) -> str:
        """The brief in at most `max_chars` characters."""
        whole, limit = self.rendered, self._settings.max_chars
        return whole if len(whole) <= limit else f"{whole[: limit - 1].rstrip()}…"

    def request(
        self,
        deltas: Sequence[Delta],
        focus: Sequence[str] = (),
        recall: Sequence[Delta] = (),
        *,
        context_tokens: int | None = None,
    ) -> BriefRequest:
        """Ask for an update with what was said since the last one.

        `recall` are lines of before that no fact covers; they stand at the head of the new utterances.
        `focus` are lines for the Focus header. If the server's context is known and too small, the oldest
        facts are left out of the ledger, and the end of a narrative that is longer than half of the room.
        """
        read = [*recall, *deltas]
        sections = ["NEW UTTERANCES:\n" + "\n".join(line.line() for line in read)]
        if focus:
            sections.append("\n".join(("Focus:", *focus)))
        sections.append(CLOSING)
        behind = "\n\n".join(sections)
        narrative, room = self._narrative, None
        if context_tokens is not None:
            room = self._room(context_tokens, behind)
            narrative = _beginning(narrative, room // 2)
            room -= estimate_tokens(narrative)
        ledger, left_out = self._ledger.render_prompt(room)
        user = f"CURRENT LEDGER:\n{ledger}\nCURRENT BRIEF:\n{narrative or 'none'}\n\n{behind}"
        return BriefRequest(
            messages=(
                ChatMessage("system", self._settings.system_prompt),
                ChatMessage("user", user),
            ),
            max_tokens=self._settings.max_tokens,
            timeout_s=self._settings.timeout_s,
            temperature=self._settings.temperature,
            slot_id=self._settings.slot_id,
            grammar=reply_grammar(
                [line.id for line in read if line.id],
                {line.id for line in read if worth_keeping(line)},
                self._headings,
            ),
            left_out=left_out,
        )

    def reask(self, request: BriefRequest, reply: str) -> BriefRequest:
        """The same once more, with the form restated. The reply is not shown: it would be a pattern."""
        parsed = parse_reply(reply)
        reason = parsed.reason if isinstance(parsed, Unusable) else "it was not in the form"
        system, user = request.messages
        again = replace(user, content=f"{user.content}\n\n{FORM.format(reason=reason)}")
        return replace(request, messages=(system, again))

    def accept(
        self, reply: str, finish_reason: str, deltas: Sequence[Delta], recall: Sequence[Delta] = ()
    ) -> BriefAccepted | BriefRejected:
        """Take over what counts of the reply to a request for `deltas` and `recall`."""
        cut = finish_reason == "length"
        parsed = parse_reply(reply, cut=cut)
        if isinstance(parsed, Unusable):
            return BriefRejected(parsed.reason, may_reask=True)
        read = [*recall, *deltas]
        if all(_is_noise(line) for line in read):
            # A model makes a meeting out of "test, test": neither facts nor notes can come of it.
            return BriefAccepted((), self.shown, tuple(line.id for line in read if line.id))
        recorded = self._ledger.add(self._noted(parsed.facts, read), read)
        narrative = self._without_told(parsed.narrative)
        if narrative and not cut:
            self._narrative = restore_missing_bullets(
                self._narrative, narrative, room=self._settings.max_chars
            )
        open_lines = uncovered(read, recorded.facts, self._ledger)
        return BriefAccepted(
            lines=tuple(recorded.lines),
            brief=self.shown,
            covered=tuple(line.id for line in read if line.id and line not in open_lines),
            missed=tuple(line for line in open_lines if line in deltas),
            uncovered=tuple(line.id for line in open_lines if line not in deltas),
        )

    def clear(self) -> LedgerLine:
        """Begin anew; returns the line for `ledger.jsonl`."""
        self._narrative = ""
        return self._ledger.clear()

    def restore(self, lines: Iterable[Mapping[str, Any]], brief: str = "") -> None:
        """Take up a session: the lines of its ledger, and the whole brief if it was kept."""
        self._ledger.restore(lines)
        kept = brief.splitlines()
        if DETAILS in kept:
            kept = kept[: kept.index(DETAILS)]
        self._narrative = "\n".join(kept).strip()

    def _room(self, context_tokens: int, behind: str) -> int:
        """Tokens for ledger and narrative in a context of this size."""
        reply = min(self._settings.max_tokens, context_tokens // REPLY_SHARE)
        fixed = estimate_tokens(self._settings.system_prompt) + estimate_tokens(behind) + MARGIN
        return max(0, context_tokens - reply - fixed)

    def _noted(self, written: Sequence[str], read: Sequence[Delta]) -> list[Noted]:
        """The facts of a reply; lines copied from the prompt are none."""
        noted = (note(line, read) for line in written)
        return [fact for fact in noted if fact and _normal(fact.text) not in self._told]

    def _without_told(self, narrative: str) -> str:
        """The notes without the sentences of the prompt's example."""
        return "\n".join(
            line for line in narrative.splitlines() if line.endswith(":") or _normal(line) not in self._told
        )


def _beginning(narrative: str, room: int) -> str:
    """As many whole lines from the front as `room` tokens hold; the points left out are put back later."""
    kept: list[str] = []
    for line in narrative.splitlines():
        room -= estimate_tokens(f"{line}\n")
        if room < 0:
            break
        kept.append(line)
    return "\n".join(kept)


def _normal(line: str) -> str:
    return facts.read(bare(line)).normal


def _is_noise(line: Delta) -> bool:
    """Whether somebody only tried out the microphone."""
    said = line.said
    words = frozenset(said.words)
    return words <= _SOUNDS and (not words.isdisjoint(_TRIAL) or not (words or said.numbers or said.dates))
