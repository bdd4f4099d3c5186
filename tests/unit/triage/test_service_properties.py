"""Whatever happens in whatever order: no delta is lost or read twice, no recorded fact disappears unseen."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.domain import Utterance
from stt_daemon.triage.ports import BriefJob
from tests.fakes.triage import TriageRig, answers, brief_reply

WORDS = ("The budget is {n} thousand.", "Well, hm.", "Anna pays {n} euros to Bob on Friday.", "word " * 12)

says = st.tuples(st.just("say"), st.sampled_from(WORDS))
replies = st.tuples(st.just("reply"), st.sampled_from(["good", "good", "good", "empty", "none", "cut"]))
rounds = st.tuples(st.just("round"), st.sampled_from(WORDS))
EVENTS = (
    "turn turn classify classify undecided let_go closed_gate fail away given_up clear session full room "
    "room restart chat"
)
others = st.tuples(st.sampled_from(EVENTS.split()), st.just(""))


class World:
    """A rig, and an account of its own of what became of every utterance since the last clear."""

    def __init__(self) -> None:
        self.keys = {"brief_pending_char_budget": 150, "ledger_max_facts": 4, "window": 8, "periodic_s": 40}
        self.rig = TriageRig(**self.keys)
        self.begin()

    def begin(self) -> None:
        self.said: list[Utterance] = []
        self.read: dict[str, int] = {}
        self.offered: dict[str, int] = {}
        self.chats = 0

    def do(self, name: str, words: str) -> None:
        rig = self.rig
        match name:
            case "say":
                self.said.append(rig.says(words.format(n=rig._number + 100)))
            case "round":
                for step in ("say", "turn", "classify"):
                    self.do(step, words)
            case "chat":
                rig.service.chat("Assistant", "I see.", complete=True)
                self.chats += 1
            case "turn" if self.said:
                rig.service.turn_settled(self.said[-1].id)
            case "classify" | "closed_gate" if rig.passes:
                rig.classified(answers(substantive_update=0.9 if name == "classify" else 0.1))
            case "undecided" if rig.passes:
                rig.service.undecided(rig.passes.pop(0))
            case "let_go" if rig.passes:
                rig.service.let_go(rig.passes.pop(0))
            case "full" | "room":
                rig.room = name == "room"
            case "clear":
                rig.service.clear()
                self.begin()
            case "session":
                rig.service.new_session()
                rig.lines.clear()
                rig._number = 0
                self.begin()
            case "restart" if not rig.jobs and not self.chats:
                self.restart()
            case _ if rig.jobs:
                self.end(name, words, rig.jobs[0])

    def restart(self) -> None:
        """Another run takes up what is on disk; what was said before the last clear is left out here."""
        before = self.facts(self.rig)
        other = self.rig.restarted(self.said, **self.keys)
        other.lines = self.rig.lines + other.lines
        other.passes.clear()
        self.rig = other
        assert self.facts(other) == before

    def end(self, name: str, words: str, job: BriefJob) -> None:
        rig, stale = self.rig, self.rig.cancelled and self.rig.cancelled[-1] is self.rig.jobs[0]
        read = [said[1:].split("]")[0] for said in rig.read(job) if said.startswith("[u")]
        known = self.facts(rig)
        match name:
            case "reply" if words in ("good", "cut"):
                facts = [f"Number {number} is said [{n}]" for n in read for number in _numbers(job, n)]
                rig.reply(brief_reply(*facts[:2]), "stop" if words == "good" else "length")
                for n in read if not stale else ():
                    count = self.offered if n in self.read else self.read
                    count[n] = count.get(n, 0) + 1
            case "reply":
                rig.reply("" if words == "empty" else "I would rather not.")
            case "fail" | "away":
                rig.fail(counts=name == "fail")
            case "given_up":
                rig.service.given_up(rig.jobs.pop(0))
        gone = known - self.facts(rig)
        evicted = {line["id"] for line in rig.lines if line["op"] == "evict"}
        assert gone <= evicted

    @staticmethod
    def facts(rig: TriageRig) -> set[str]:
        """The facts that the ledger's file says there are."""
        known: set[str] = set()
        for line in rig.lines:
            match line["op"]:
                case "add":
                    known.add(line["id"])
                case "evict":
                    known.remove(line["id"])
                case "clear":
                    known.clear()
                case _:
                    pass
        return known

    def check(self) -> None:
        coverage = self.rig.service.coverage
        names = {utterance.id for utterance in self.said}
        written = self.rig.lines
        left = {n for line in written if line["op"] == "uncovered" for n in line["ids"]} & names
        dropped = left - set(self.read)
        aside = set(coverage.set_aside)
        assert aside <= names
        settled = set(self.read) | dropped | aside
        waiting = names - settled
        assert len(waiting) <= coverage.pending <= len(waiting) + self.chats + len(dropped)
        if not self.chats and not dropped:
            assert coverage.pending == len(waiting)
        assert all(count == 1 for count in self.read.values()), "read twice"
        assert all(count == 1 for count in self.offered.values()), "offered twice"
        assert not aside & set(self.read)
        assert len(self.rig.jobs) <= 1


def _numbers(job: BriefJob, utterance: str) -> list[str]:
    said = next(line for line in TriageRig.read(job) if line.startswith(f"[{utterance}]"))
    return re.findall(r"\d+", said.split(": ", 1)[1])


@settings(max_examples=120, deadline=None)
@given(st.lists(st.one_of(says, rounds, rounds, replies, replies, others), max_size=60))
def test_no_delta_is_lost_or_read_twice_and_no_fact_disappears_unseen(events: list[tuple[str, str]]) -> None:
    world = World()
    for name, words in events:
        world.do(name, words)
        world.check()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(rounds, replies, others), max_size=40))
def test_what_is_shown_of_the_ledger_is_what_its_file_says(events: list[tuple[str, str]]) -> None:
    world = World()
    for name, words in events:
        world.do(name, words)
    rebuilt = world.rig.restarted([])
    rebuilt_brief = [content.brief for content in rebuilt.stage("content")]
    texts = {line["id"]: line["text"] for line in world.rig.lines if line["op"] == "add"}
    for fact in World.facts(world.rig):
        assert texts[fact] in (rebuilt_brief or [""])[0]
