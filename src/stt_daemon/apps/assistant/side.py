"""Work that could wait for a disk, done one after the other in a thread beside the loop.

`submit` is called by the loop and returns at once; `do` runs in the side thread; its answer comes back
through the inbox as a `SideAnswer`, which the loop calls. Two such threads exist: one writes what must be on
disk soon, one reads what may take long.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from stt_daemon.channels import start_thread
from stt_daemon.errors import ErrorRecord, SttDaemonError

log = logging.getLogger(__name__)

ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class SideAnswer:
    """What the loop has to do now that a job is over."""

    call: Callable[[], None]


class SideThread:
    """One daemon thread; jobs end in the order of their submission, each with exactly one answer."""

    def __init__(self, name: str, post: Callable[[object], None]) -> None:
        self._name = name
        self._post = post
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._open = 0
        self._thread = start_thread(name, self._run)

    @property
    def idle(self) -> bool:
        """Whether every answer has been dealt with; asked by the loop."""
        return self._open == 0

    def submit(
        self,
        do: Callable[[], ResultT],
        then: Callable[[ResultT], None],
        failed: Callable[[ErrorRecord], None],
    ) -> None:
        """Do something off the loop; `then` or `failed` runs in the loop afterwards."""
        self._open += 1

        def job() -> None:
            try:
                result = do()
            except SttDaemonError as error:
                record = ErrorRecord.of(error)
                log.warning("a job of %s failed: %s", self._name, record.line())
                self._post(SideAnswer(lambda: self._close(lambda: failed(record))))
            except Exception as error:
                log.exception("a job of %s failed", self._name)
                unforeseen = ErrorRecord.of(error)
                self._post(SideAnswer(lambda: self._close(lambda: failed(unforeseen))))
            else:
                self._post(SideAnswer(lambda: self._close(lambda: then(result))))

        self._jobs.put(job)

    def finish(self, timeout_s: float) -> bool:
        """Take no more; wait this long for what was submitted. True if all of it was done."""
        self._jobs.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _close(self, act: Callable[[], None]) -> None:
        self._open -= 1
        act()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
