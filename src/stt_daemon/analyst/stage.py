"""The rolling summary as a stage between two asyncio queues.

Everything but the model's call runs in the task that awaits `run`. The call has a thread of its own, because
it blocks, and a daemon thread, because a model that never answers must not keep a program from ending.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from stt_daemon.analyst.rolling import Fold, RollingSummary, SummarySnapshot
from stt_daemon.domain import Utterance
from stt_daemon.errors import ErrorRecord, SttDaemonError

log = logging.getLogger(__name__)


class TextGenerator(Protocol):
    """A language model: a prompt in, its reply out. May block and may raise."""

    def __call__(self, prompt: str, /) -> str: ...


@dataclass(frozen=True)
class _Reply:
    """How a call ended, as data: some exceptions cannot be put into a future."""

    text: object = None
    error: ErrorRecord | None = None


class AnalystStage:
    """Hears utterances and pushes one snapshot for each at once, and one more after each fold.

    A model that is down, slow or answers nonsense costs the folds, never a snapshot.
    """

    def __init__(
        self,
        generator: TextGenerator,
        *,
        recent_window_s: float = 60.0,
        flush_every_n: int = 5,
        flush_every_s: float | None = 60.0,
        prompt_template: str,
    ) -> None:
        self._generate = generator
        self._rolling = RollingSummary(
            recent_window_s=recent_window_s,
            flush_every_n=flush_every_n,
            flush_every_s=flush_every_s,
            prompt_template=prompt_template,
        )

    async def run(
        self, inbox: asyncio.Queue[Utterance | None], outbox: asyncio.Queue[SummarySnapshot]
    ) -> None:
        """Until it is cancelled, or None is taken from the inbox; a fold on its way then is waited for."""
        hearing: asyncio.Task[Utterance | None] | None = asyncio.create_task(inbox.get())
        folding: asyncio.Future[_Reply] | None = None
        fold: Fold | None = None
        try:
            while hearing is not None or folding is not None:
                await asyncio.wait(
                    {one for one in (hearing, folding) if one is not None},
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if folding is not None and fold is not None and folding.done():
                    snapshot = self._finish(fold, folding.result())
                    folding = None
                    if snapshot is not None:
                        await outbox.put(snapshot)
                if hearing is not None and hearing.done():
                    utterance = hearing.result()
                    hearing = None
                    if utterance is None:
                        continue
                    await outbox.put(self._rolling.hear(utterance))
                    hearing = asyncio.create_task(inbox.get())
                    due = self._rolling.due()
                    if due is not None:
                        fold, folding = due, _in_thread(partial(self._generate, due.prompt))
        finally:
            if hearing is not None:
                hearing.cancel()
            if folding is not None and fold is not None:
                folding.cancel()
                self._rolling.failed(fold, "the stage was stopped")

    def _finish(self, fold: Fold, reply: _Reply) -> SummarySnapshot | None:
        if reply.error is None:
            return self._rolling.folded(fold, reply.text)
        self._rolling.failed(fold, reply.error.line())
        return None


def _in_thread(call: Callable[[], object]) -> asyncio.Future[_Reply]:
    """What a blocking call returns, or that it failed, when it does."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_Reply] = loop.create_future()

    def deliver(reply: _Reply) -> None:
        if not future.cancelled():
            future.set_result(reply)

    def work() -> None:
        try:
            reply = _Reply(text=call())
        except SttDaemonError as error:
            reply = _Reply(error=ErrorRecord.of(error))
        except BaseException as error:
            log.exception("the model's call failed")
            reply = _Reply(error=ErrorRecord.of(error))
        try:
            loop.call_soon_threadsafe(deliver, reply)
        except RuntimeError:
            log.info("a reply came after the end and is not wanted any more")

    threading.Thread(target=work, name="analyst-model", daemon=True).start()
    return future
