"""What `dump_io` writes down of a triage: pairs the classifier's half with that of the language model.

Owned by the loop. A triage whose brief runs at once is one record, written when that ends; one whose brief
does not, or comes later, is a record without the other half. Nothing here may disturb triage: the writing is
somebody else's, and its failure is only logged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stt_daemon.llm import ChatExchange
from stt_daemon.sessions.text import local_time
from stt_daemon.triage.ports import BriefJob

Record = dict[str, Any]
Half = dict[str, Any]


class TriageDumps:
    """Makes records and hands them to `write`; `wall` is the time of those that have none of their own."""

    def __init__(self, write: Callable[[Record], None], wall: Callable[[], float]) -> None:
        self._write = write
        self._wall = wall
        self._open: dict[BriefJob, Half | None] = {}

    def triaged(self, ts: float, laya: Half, job: BriefJob | None) -> None:
        """A classification ended; `job` is the update that began with it."""
        if job is None:
            self._write(_record(ts, laya, None))
        else:
            self._open[job] = laya

    def flushed(self, job: BriefJob | None) -> None:
        """An update began by itself."""
        if job is not None:
            self._open[job] = None

    def ended(self, job: BriefJob, exchanges: Sequence[ChatExchange]) -> None:
        """An update ended. Each further request of it has a record of its own."""
        if job not in self._open:
            return  # cleared meanwhile
        laya = self._open.pop(job)
        if exchanges or laya is not None:
            self._write(_record(job.ts, laya, _llm_half(exchanges[0]) if exchanges else None))
        for exchange in exchanges[1:]:
            self._write(_record(self._wall(), None, _llm_half(exchange)))

    def cleared(self) -> None:
        """What is under way will not be written down; what was classified before it is."""
        for job, laya in self._open.items():
            if laya is not None:
                self._write(_record(job.ts, laya, None))
        self._open.clear()


def _record(ts: float, laya: Half | None, llm: Half | None) -> Record:
    return {"ts": ts, "iso": local_time(ts).isoformat(timespec="microseconds"), "laya": laya, "llm": llm}


def _llm_half(exchange: ChatExchange) -> Half:
    return {
        "request": {"url": exchange.url, "body": exchange.body},
        "response": exchange.response,
        "error": exchange.error or None,
        "duration_ms": round(1000 * exchange.duration_s, 3),
    }
