"""How a request is put together: the stable text first, what changes last. Pure.

Order: system prompt (role, then prompt), summary of the oldest part, exchanges word for word, transcript,
question. The system prompt is byte for byte the same in every request; the summary changes only when
turns are condensed; exchanges are only appended. A caching server therefore re-reads little more than the
last message. The transcript goes with the question and is not kept in the history, or it would be paid for
twice.

The summary is the model's own wording of what people said, so it is not given the authority of a system
message: it opens the first user message. Messages of one role that would follow each other are joined,
because several chat templates refuse them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stt_daemon.conversation.history import Checkpoint, Exchange
from stt_daemon.conversation.neutral import written
from stt_daemon.conversation.ports import PromptMessage
from stt_daemon.domain.citations import qualify

CITE = "Cite the lines the answer rests on by their ids in square brackets."
"""Follows a question that comes with lines of a transcript. Small models have forgotten the system prompt by
then: one of 1.5 B cited nothing without it and the right line with it. An example id in it would be copied.
"""


def system_prompt(role: str, prompt: str) -> str:
    """The role, if there is one, then the prompt, joined by one newline."""
    return "\n".join(part for part in (role, prompt) if part)


def summary_block(checkpoint: Checkpoint, session: str) -> str:
    """The condensed part of the chat as it opens the first user message; "" when nothing is condensed."""
    if not checkpoint.summary:
        return ""
    text = qualify(written(checkpoint.summary), checkpoint.session, session)
    return f"Earlier in this chat, condensed:\n<summary>\n{text}\n</summary>"


def user_text(exchange: Exchange, session: str) -> str:
    return qualify(written(exchange.user), exchange.session, session)


def reply_text(exchange: Exchange, session: str) -> str:
    return qualify(written(exchange.reply), exchange.session, session)


def assemble(
    system: str,
    *,
    summary: str,
    exchanges: Sequence[Exchange],
    transcript: str,
    question: str,
    session: str,
    cite: bool = False,
) -> tuple[PromptMessage, ...]:
    """The messages of one request; parts that are "" are left out. `cite`: the transcript has lines."""
    parts: list[PromptMessage] = []
    if summary:
        parts.append(PromptMessage("user", summary))
    for exchange in exchanges:
        parts.append(PromptMessage("user", user_text(exchange, session)))
        if exchange.reply:
            parts.append(PromptMessage("assistant", reply_text(exchange, session)))
    parts.extend(PromptMessage("user", part) for part in (transcript, question, CITE if cite else "") if part)
    head = [PromptMessage("system", system)] if system else []
    return (*head, *_joined(parts))


def _joined(parts: Iterable[PromptMessage]) -> list[PromptMessage]:
    joined: list[PromptMessage] = []
    for part in parts:
        if joined and joined[-1].role == part.role:
            joined[-1] = PromptMessage(part.role, f"{joined[-1].content}\n\n{part.content}")
        else:
            joined.append(part)
    return joined
