"""The two ends of a pipe, each with one thread that alone touches its descriptor.

`EOFError`, `OSError` (a broken pipe included) and unreadable bytes all mean one thing here: the peer is
gone. It is told once, by the reading end; the writing end only stops.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable

from stt_daemon.channels.context import stamped
from stt_daemon.channels.frames import Frame, pack, read_frame, write_all
from stt_daemon.channels.store import FrameStore
from stt_daemon.domain import Clock
from stt_daemon.errors import ChannelError
from stt_daemon.messages import Message

log = logging.getLogger(__name__)

_FOR_THE_MAIN_THREAD = {signal.SIGINT, signal.SIGHUP, signal.SIGTERM}


def start_thread(name: str, run: Callable[[], None]) -> threading.Thread:
    """Start a daemon thread that leaves the stop signals to the main thread.

    A signal that reaches the process while the main thread holds it back (around a launch) must wait for
    that thread instead of being spent here.
    """

    def guarded() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, _FOR_THE_MAIN_THREAD)
        run()

    thread = threading.Thread(target=guarded, name=name, daemon=True)
    thread.start()
    return thread


class PipeReader:
    """Reads frames until the peer is gone; `deliver` and `closed` are called from the reader's thread."""

    def __init__(
        self, descriptor: int, deliver: Callable[[Frame], None], closed: Callable[[str], None], name: str
    ) -> None:
        self._descriptor = descriptor
        self._deliver = deliver
        self._closed = closed
        self._thread = start_thread(f"{name}-reader", self._run)

    def _run(self) -> None:
        reason = "end of file"
        try:
            with os.fdopen(self._descriptor, "rb") as stream:
                while True:
                    self._deliver(read_frame(stream))
        except EOFError:
            pass
        except (OSError, ChannelError) as error:
            reason = str(error)
            log.warning("%s: %s", threading.current_thread().name, reason)
        finally:
            self._closed(reason)


class PipeWriter:
    """Writes what is offered, in order. `offer` may be called from any thread and never waits."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self._store = FrameStore()
        self._thread = start_thread(f"{name}-writer", self._run)

    def offer(self, frame: Frame) -> None:
        self._store.offer(frame)

    def flush(self, timeout: float) -> bool:
        """Wait until all is written or the peer is gone; False when time ran out."""
        return self._store.wait_empty(timeout)

    def close(self) -> None:
        """Forget what waits and close the descriptor as soon as a write under way returns."""
        self._store.discard()

    def _run(self) -> None:
        try:
            while (frame := self._store.take()) is not None:
                if (data := self._packed(frame)) is not None:
                    write_all(self._descriptor, data)
        except OSError as error:
            log.debug("%s: %s", threading.current_thread().name, error)
        finally:
            self._store.discard()
            self._store.take(0)  # says that nothing is under way any more
            os.close(self._descriptor)

    @staticmethod
    def _packed(frame: Frame) -> bytes | None:
        try:
            return pack(frame)
        except (ChannelError, ValueError):  # ValueError: a number JSON does not know
            log.exception("a %r message cannot be sent", frame.topic)
            return None


class PipeOutbox:
    """The outbox of a child in a process of its own."""

    def __init__(self, writer: PipeWriter, clock: Clock) -> None:
        self._writer = writer
        self._clock = clock

    def publish(self, message: Message) -> None:
        self._writer.offer(Frame.of(stamped(message, self._clock)))
