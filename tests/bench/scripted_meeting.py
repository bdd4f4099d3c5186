"""Twenty updates of the brief over a scripted meeting, by a real small language model, and what came of them.

    python -m tests.bench.scripted_meeting [--base-url URL] [--rounds N] [--out FILE]

The requests are the product's: its prompt, its grammar where the server takes one, its one re-ask elsewhere.
`--out` keeps every request, reply and ledger line as JSON lines, to read what the figures mean.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from stt_daemon.config import prompts
from stt_daemon.errors import LlmError
from stt_daemon.llm import ChatReply, ChatRequest
from stt_daemon.llm.client import LlmClient
from stt_daemon.triage.brief_engine import BriefAccepted, BriefEngine, BriefRequest, BriefSettings
from stt_daemon.triage.evidence import Delta
from stt_daemon.triage.fact import Fact
from stt_daemon.triage.fact_ledger import FactLedger
from tests.bench.meeting import FACTS, FIRST_ROUND, HEDGED, STRETCHES

TIMEOUT_S = 600.0
MAX_TOKENS = 512


def lines_of(stretches: tuple[str, ...]) -> list[list[Delta]]:
    rounds, number = [], 0
    for stretch in stretches:
        deltas = []
        for text in stretch.splitlines():
            number += 1
            deltas.append(Delta(f"u{number}", "Speaker", text, 4.0 * number, 4.0 * number + 3))
        rounds.append(deltas)
    return rounds


def ask(client: LlmClient, request: BriefRequest) -> ChatReply:
    return client.chat(
        ChatRequest(
            messages=request.messages,
            temperature=request.temperature,
            max_tokens=request.max_tokens,
            timeout_s=request.timeout_s,
            slot_id=request.slot_id,
            grammar=request.grammar,
            purpose="brief",
        )
    )


def holds(fact: Fact, patterns: tuple[str, ...]) -> bool:
    return all(re.search(pattern, fact.traits.normal) for pattern in patterns)


def show(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", default="http://127.0.0.1:8091/v1")
    parser.add_argument("--rounds", type=int, default=len(STRETCHES))
    parser.add_argument("--slot", type=int, default=None)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()

    client = LlmClient(options.base_url)
    context = client.facts()
    settings = BriefSettings(prompts.TRIAGE, MAX_TOKENS, TIMEOUT_S, 0.2, 4000, slot_id=options.slot)
    engine = BriefEngine(settings, FactLedger(200, 240))
    out = options.out.open("w", encoding="utf-8") if options.out else None

    def keep(**line: Any) -> None:
        if out is not None:
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
            out.flush()

    accepted = 0
    missed: tuple[Delta, ...] = ()
    uncovered: list[str] = []
    took: list[float] = []
    rounds = lines_of(STRETCHES)[: options.rounds]
    for number, deltas in enumerate(rounds, 1):
        request = engine.request(deltas, (), missed, context_tokens=context.context_tokens)
        result = None
        text = ""
        for again in (False, True):
            started = time.monotonic()
            try:
                reply = ask(client, engine.reask(request, text) if again else request)
            except LlmError as error:
                show(f"round {number}: {error}")
                break
            text = reply.text
            took.append(time.monotonic() - started)
            result = engine.accept(reply.text, reply.finish_reason, deltas, missed)
            keep(
                round=number,
                user=request.messages[1].content,
                reply=reply.text,
                finish=reply.finish_reason,
                prompt_tokens=reply.usage.prompt_tokens,
                cached=reply.usage.cached_tokens,
                completion=reply.usage.completion_tokens,
                seconds=round(took[-1], 1),
                result=repr(result),
            )
            if isinstance(result, BriefAccepted) or context.kind == "llama.cpp":
                break
        if isinstance(result, BriefAccepted):
            accepted += 1
            missed = result.missed
            uncovered += result.uncovered
            show(
                f"round {number}: {took[-1]:.0f} s, {reply.usage.prompt_tokens} tokens in "
                f"({reply.usage.cached_tokens} cached), {reply.usage.completion_tokens} out, "
                f"{reply.finish_reason}; {len(result.lines)} facts, {len(missed)} lines once more",
            )
        else:
            missed = ()
            show(f"round {number}: not accepted: {result}")
    if out is not None:
        out.close()
    report(engine, rounds, accepted, uncovered, took)
    return 0


def report(
    engine: BriefEngine, rounds: list[list[Delta]], accepted: int, uncovered: list[str], took: list[float]
) -> None:
    recorded = engine.ledger.facts
    expected = [fact for fact in FACTS if fact[0] <= len(rounds)]
    matches = {fact: [r for r in recorded if holds(r, fact[1])] for fact in expected}
    heard: set[str] = set()
    for delta in (delta for deltas in rounds for delta in deltas):
        heard |= delta.said.every_word | set(delta.said.joined)
    never_said = [
        fact.text for fact in recorded if fact.verified and not heard.issuperset(fact.traits.numbers)
    ]
    found = [fact for fact, hits in matches.items() if hits]
    show(f"\nreplies accepted: {accepted} of {len(rounds)}")
    show(f"round-1 fact in the ledger: {bool(matches[FIRST_ROUND])}")
    show(f"scripted facts in the ledger: {len(found)} of {len(expected)} ({len(found) / len(expected):.0%})")
    show(f"most tellings of one fact: {max(map(len, matches.values()))}")
    show(f"verified with a number never said: {len(never_said)} {never_said}")
    show(f"facts {len(recorded)}, unverified {sum(not fact.verified for fact in recorded)}")
    show(f"lines uncovered: {uncovered}")
    show(f"decisions nobody made: {[f.text for f in recorded if any(holds(f, p) for p in HEDGED)]}")
    show(f"seconds a brief: {sum(took) / max(1, len(took)):.0f}")
    show("not found:", [fact for fact in expected if fact not in found])
    for fact, hits in matches.items():
        if len(hits) > 1:
            show("told more than once:", fact[1], *(f"\n    {hit.text}" for hit in hits))
    show("\n" + engine.rendered)


if __name__ == "__main__":
    sys.exit(main())
