"""A classifier as a script, behind the real lane. Stands for what `load_laya` returns."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from stt_daemon.config import Config
from stt_daemon.domain import Clock
from stt_daemon.lanes.laya import LayaAnswers, LayaJob, LayaLane, LayaOutcome
from tests.fakes.triage import answers


class FakeClassifier:
    """Gives out `replies` in order, then "something new" for ever. `hold` makes loading wait."""

    def __init__(self, *replies: LayaAnswers | Exception) -> None:
        self.replies: deque[LayaAnswers | Exception] = deque(replies)
        self.jobs: list[LayaJob] = []
        self.trouble = ""
        self.missing: Exception | None = None
        self._open = threading.Event()
        self._open.set()

    def hold(self) -> None:
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    def answer(self, job: LayaJob) -> LayaAnswers:
        self.jobs.append(job)
        reply = self.replies.popleft() if self.replies else answers()
        if isinstance(reply, Exception):
            raise reply
        return reply

    def lane(
        self,
        config: Config,
        *,
        offline: bool,
        on_outcome: Callable[[LayaOutcome], None],
        post: Callable[[object], None],
        clock: Clock,
    ) -> LayaLane:
        """In place of `build_laya_lane`."""

        def load() -> Any:
            assert self._open.wait(30)
            if self.missing is not None:
                raise self.missing
            return self

        return LayaLane(load, on_outcome=on_outcome, on_state=post, clock=clock, niceness=0)
