"""What a sender keeps while the other side is slow: a bounded store, first in, first out.

Any thread may offer, and never waits; one thread takes. By `Message.keep` of its topic a frame is kept
as one of many or replaces the waiting one of its topic. A topic that overflows forgets its oldest. For
the transcript that loss leaves a `TranscriptMissed` in the place of the first forgotten frame, so a
reader knows from where to read the journal.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict, defaultdict, deque

from stt_daemon.channels.frames import Frame
from stt_daemon.messages import GapMarked, TranscriptMissed, UtteranceFinished, message_type

log = logging.getLogger(__name__)

_TRANSCRIPT = frozenset({UtteranceFinished.topic, GapMarked.topic})

FRAMES_PER_TOPIC = 512
"""About twenty minutes of dense talk, or a quarter of a megabyte of utterances."""


class FrameStore:
    """Frames on their way out, in order over all topics."""

    # Invariants, under the lock: `_waiting` maps rising order numbers to frames; `_orders[topic]` lists the
    # numbers of that topic, rising; the mark of missed transcript is in `_waiting` and in no `_orders`.

    def __init__(self, per_topic: int = FRAMES_PER_TOPIC) -> None:
        self._per_topic = per_topic
        self._changed = threading.Condition()
        self._waiting: OrderedDict[int, Frame] = OrderedDict()
        self._orders: defaultdict[str, deque[int]] = defaultdict(deque)
        self._next = 0
        self._mark: int | None = None
        self._closed = False
        self._taker_idle = True
        self.dropped = 0

    def offer(self, frame: Frame) -> None:
        """Keep the frame; after `close` it is forgotten. Raises ChannelError for an unknown topic."""
        keep = message_type(frame.topic).keep
        with self._changed:
            if self._closed:
                return
            orders = self._orders[frame.topic]
            if keep == "latest" and orders:
                del self._waiting[orders.popleft()]
            elif len(orders) >= self._per_topic:
                self._forget_oldest(frame.topic, orders)
            orders.append(self._next)
            self._waiting[self._next] = frame
            self._next += 1
            self._changed.notify_all()

    def take(self, timeout: float | None = None) -> Frame | None:
        """The oldest frame; waits for one. None: nothing came in time, or closed and empty.

        Asking for the next says that the previous one has been dealt with.
        """
        with self._changed:
            self._taker_idle = True
            self._changed.notify_all()
            if not self._changed.wait_for(lambda: bool(self._waiting) or self._closed, timeout):
                return None
            if not self._waiting:
                return None
            self._taker_idle = False
            order, frame = self._waiting.popitem(last=False)
            if order == self._mark:
                self._mark = None
            else:
                self._orders[frame.topic].popleft()
            return frame

    def close(self) -> None:
        """Accept no more; what waits can still be taken."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def discard(self) -> None:
        """Accept no more and forget what waits: nobody is there to read it."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._orders.clear()
            self._mark = None
            self._changed.notify_all()

    @property
    def closed(self) -> bool:
        """No more will come, and all has been taken."""
        with self._changed:
            return self._closed and not self._waiting

    def wait_empty(self, timeout: float) -> bool:
        """Wait until every frame was taken and dealt with; False when time ran out."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and self._taker_idle, timeout)

    def _forget_oldest(self, topic: str, orders: deque[int]) -> None:
        oldest = orders.popleft()
        self.dropped += 1
        if topic in _TRANSCRIPT and self._mark is None:
            # Only the first loss needs a mark: the reader then reads the journal to its end.
            seq = int(json.loads(self._waiting[oldest].body)["seq"])
            self._waiting[oldest] = Frame.of(TranscriptMissed(from_seq=seq))
            self._mark = oldest
        else:
            del self._waiting[oldest]
        if topic not in _TRANSCRIPT and self.dropped.bit_count() == 1:  # 1, 2, 4, ...: no flood in the log
            log.warning("the other side is slow: dropped a %r message (%d so far)", topic, self.dropped)
