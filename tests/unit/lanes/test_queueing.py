"""Who goes next, who must leave, who is turned away."""

from __future__ import annotations

import pytest

from stt_daemon.lanes.queueing import Offer, PriorityJobs


def take_all(jobs: PriorityJobs[str]) -> list[str]:
    taken: list[str] = []
    while (job := jobs.take()) is not None:
        taken.append(job)
    return taken


def test_the_lowest_priority_number_goes_first_and_the_oldest_within_one() -> None:
    jobs: PriorityJobs[str] = PriorityJobs(9, priority=lambda job: int(job[0]))
    for job in ("2a", "1a", "2b", "1b"):
        jobs.offer(job)
    assert take_all(jobs) == ["1a", "1b", "2a", "2b"]


def test_a_full_queue_refuses() -> None:
    jobs: PriorityJobs[str] = PriorityJobs(1)
    assert jobs.offer("a") == Offer()
    assert jobs.offer("b").refused == "the queue is full (1 wait)"
    assert take_all(jobs) == ["a"]


def test_a_newer_job_replaces_the_one_in_its_slot_even_in_a_full_queue() -> None:
    jobs: PriorityJobs[str] = PriorityJobs(2, slot=lambda job: job[0])
    jobs.offer("a1")
    jobs.offer("b1")
    assert jobs.offer("a2") == Offer(evicted=(("a1", "replaced by a newer one"),))
    assert take_all(jobs) == ["b1", "a2"]


def test_evicting_removes_the_unwanted_only() -> None:
    jobs: PriorityJobs[str] = PriorityJobs(9)
    for job in ("a", "b", "a"):
        jobs.offer(job)
    assert jobs.evict(lambda job: job == "a") == ["a", "a"]
    assert take_all(jobs) == ["b"]


def test_an_empty_queue_gives_nothing() -> None:
    jobs: PriorityJobs[str] = PriorityJobs(1)
    assert jobs.take() is None
    assert len(jobs) == 0


def test_a_queue_for_nobody_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least one"):
        PriorityJobs(0)
