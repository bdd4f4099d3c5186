"""One call's budget: its deadline, its cancellation, and waiting that ends with either. Owned by the
calling thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from stt_daemon.domain.clock import Clock
from stt_daemon.llm.failures import LlmCancelledError, LlmLoadingError, LlmTimeoutError
from stt_daemon.llm.transport import Event, Exchange

# How late a cancellation or a passed deadline may be noticed; events themselves wake the waiting thread at
# once.
LOOK_UP_S = 0.05
# A small model loads in a second, a large one in minutes.
FIRST_PATIENCE_S = 0.5
LONGEST_PATIENCE_S = 8.0
LOADING = "loading model"


class Call:
    """Measures with the injected clock; `pause` sleeps (a test moves its clock instead).

    `on_progress` hears "loading model" when waiting for the model begins and "" when it is over.
    """

    def __init__(
        self,
        clock: Clock,
        timeout_s: float,
        *,
        shown: str,
        cancelled: threading.Event | None,
        closed: threading.Event,
        pause: Callable[[float], None],
        on_progress: Callable[[str], None] | None = None,
    ) -> None:
        self._clock = clock
        self._timeout_s = timeout_s
        self._cancelled = cancelled
        self._closed = closed
        self._pause = pause
        self._on_progress = on_progress
        self._patience_s = FIRST_PATIENCE_S
        self._waiting_for_model = False
        self._started = clock.monotonic()
        self._deadline = self._started + timeout_s
        self.shown = shown

    @property
    def elapsed(self) -> float:
        return self._clock.monotonic() - self._started

    @property
    def remaining(self) -> float:
        return self._deadline - self._clock.monotonic()

    def check(self) -> None:
        """Raise LlmCancelledError or LlmTimeoutError when the call is over."""
        if self._closed.is_set() or (self._cancelled is not None and self._cancelled.is_set()):
            raise LlmCancelledError("the answer was no longer wanted")
        if self.remaining <= 0:
            raise LlmTimeoutError(
                f"{self.shown} gave no whole answer within {self._timeout_s:g} s",
                mend="raise [llm].timeout_s, or use a smaller model",
            )

    def wait(self, seconds: float) -> None:
        """Let time pass; raises as `check` does."""
        end = self._clock.monotonic() + seconds
        while (left := end - self._clock.monotonic()) > 0:
            self.check()
            self._pause(max(0.0, min(left, LOOK_UP_S, self.remaining)))
        self.check()

    def wait_for_model(self) -> None:
        """Wait longer each time; raises LlmLoadingError when the deadline comes first."""
        if not self._waiting_for_model:
            self._waiting_for_model = True
            self._tell(LOADING)
        try:
            self.wait(self._patience_s)
        except LlmTimeoutError:
            raise LlmLoadingError(
                f"{self.shown} was still loading its model after {self._timeout_s:g} s",
                mend="ask again later, or raise [llm].timeout_s",
            ) from None
        self._patience_s = min(2 * self._patience_s, LONGEST_PATIENCE_S)

    def model_is_there(self) -> None:
        """Waiting for the model, if there was any, is over."""
        if self._waiting_for_model:
            self._waiting_for_model = False
            self._tell("")

    def next(self, exchange: Exchange, within_s: float | None = None) -> Event | None:
        """The next event of an exchange, None when `within_s` passed without one; raises as `check` does."""
        end = None if within_s is None else self._clock.monotonic() + within_s
        while True:
            self.check()
            left = self.remaining
            if end is not None:
                left = min(left, end - self._clock.monotonic())
                if left <= 0:
                    return None
            event = exchange.next(min(left, LOOK_UP_S))
            if event is not None:
                return event

    def _tell(self, progress: str) -> None:
        if self._on_progress is not None:
            self._on_progress(progress)
