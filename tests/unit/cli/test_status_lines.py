from __future__ import annotations

from stt_daemon.cli.status import lines
from stt_daemon.messages import CoverageChanged, TriageStateChanged
from stt_daemon.supervisor.status import apply, idle_status


def test_triage_and_coverage_are_shown_in_words() -> None:
    status = idle_status()
    status.update(running=True, pid=7)
    assert lines(status)[-1] == "triage     disabled"
    apply(status, TriageStateChanged(state="unavailable", reason="predict failed"))
    apply(status, CoverageChanged(through="u9", pending=2, set_aside=("u1",), unread_facts=3))
    assert lines(status)[-2:] == [
        "triage     unavailable (predict failed)",
        "brief      read up to u9, 2 waiting, 1 set aside, 3 facts did not fit into the last request",
    ]


def test_a_brief_that_has_read_nothing_says_so() -> None:
    status = idle_status()
    status.update(running=True, pid=7)
    apply(status, CoverageChanged(pending=1, uncovered=("u1", "u2")))
    assert lines(status)[-1] == "brief      nothing read yet, 1 waiting, 2 covered by no fact"
