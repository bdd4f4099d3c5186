"""Who waits in front of a lane's worker, who goes next, and who has to leave.

A queue is plain data without a lock: a lane calls it only while it holds its own, from whichever thread
submits or works. It must return at once and call nobody back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

JobT = TypeVar("JobT")


@dataclass(frozen=True)
class Offer(Generic[JobT]):
    """What offering a job did. `refused`: why it was not taken ("" if it was).

    `evicted`: jobs that waited and must leave, each with a reason; the lane answers them.
    """

    refused: str = ""
    evicted: tuple[tuple[JobT, str], ...] = ()


class JobQueue(Protocol[JobT]):
    """The policy of a lane."""

    def offer(self, job: JobT) -> Offer[JobT]:
        """Take the job or refuse it; perhaps at the expense of others."""

    def take(self) -> JobT | None:
        """Remove and return the job that goes next; None if nobody waits."""

    def evict(self, unwanted: Callable[[JobT], bool]) -> list[JobT]:
        """Remove and return everybody who waits and is unwanted, in the order they would have gone."""

    def __len__(self) -> int:
        """How many wait."""


class PriorityJobs(Generic[JobT]):
    """Lowest priority number first, oldest first within one; bounded; a slot holds only its newest job.

    `slot(job)` names what a job supersedes: a newer one with an equal slot takes the place of the older,
    which is evicted. `None` means the job supersedes nothing. The bound counts all who wait.
    """

    def __init__(
        self,
        bound: int,
        *,
        priority: Callable[[JobT], int] = lambda _job: 0,
        slot: Callable[[JobT], Hashable | None] = lambda _job: None,
    ) -> None:
        if bound < 1:
            raise ValueError(f"a queue holds at least one job, not {bound}")
        self._bound = bound
        self._priority = priority
        self._slot = slot
        self._rows: dict[int, deque[JobT]] = {}

    def offer(self, job: JobT) -> Offer[JobT]:
        row = self._rows.setdefault(self._priority(job), deque())
        slot = self._slot(job)
        evicted: tuple[tuple[JobT, str], ...] = ()
        if slot is not None:
            old = next((waiting for waiting in row if self._slot(waiting) == slot), None)
            if old is not None:
                row.remove(old)
                evicted = ((old, "replaced by a newer one"),)
        if len(self) >= self._bound:
            return Offer(f"the queue is full ({self._bound} wait)", evicted)
        row.append(job)
        return Offer(evicted=evicted)

    def take(self) -> JobT | None:
        for _, row in sorted(self._rows.items()):
            if row:
                return row.popleft()
        return None

    def evict(self, unwanted: Callable[[JobT], bool]) -> list[JobT]:
        """Remove and return everybody who waits and is unwanted, in the order they would have gone."""
        gone: list[JobT] = []
        for key, row in sorted(self._rows.items()):
            gone += [job for job in row if unwanted(job)]
            self._rows[key] = deque(job for job in row if not unwanted(job))
        return gone

    def first(self, kind: Callable[[JobT], bool]) -> JobT | None:
        """The one of this kind that goes next; None if none waits."""
        return next((job for _, row in sorted(self._rows.items()) for job in row if kind(job)), None)

    def waiting(self, kind: Callable[[JobT], bool]) -> bool:
        """Whether somebody of this kind waits."""
        return any(kind(job) for row in self._rows.values() for job in row)

    def __len__(self) -> int:
        return sum(len(row) for row in self._rows.values())
