"""All that `up` shows: which senders there are, joined to the hub, and how they end together."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from stt_daemon.domain import Clock
from stt_daemon.logs import open_log
from stt_daemon.messages import Failed, SessionChanged
from stt_daemon.supervisor.behind import BehindInterface
from stt_daemon.supervisor.hub import Hub
from stt_daemon.supervisor.output import EventLines, Lines, NoticeLines, Sender, TranscriptLines
from stt_daemon.supervisor.status import StatusBoard
from stt_daemon.supervisor.transcript_order import ReadTranscript

LAST_LINES_S = 1.5
"""How long a reader may take over the last lines once everything else has ended."""


@contextlib.contextmanager
def showing(
    hub: Hub,
    read_from: ReadTranscript,
    clock: Clock,
    board: StatusBoard,
    *,
    stdout: int = 1,
    stderr: int = 2,
    events: Callable[[], int] | None = None,
    events_on_stdout: bool = False,
    interface: bool = False,
) -> Iterator[None]:
    """While inside: transcript lines (or events) on `stdout`, notices on `stderr`, events where `events`
    opens, and the status file; at the end the last lines are written. With an `interface` on the terminal
    nothing else is written there as long as it has it.
    """
    notices: Lines = NoticeLines()
    transcript: Lines = TranscriptLines(read_from)
    if interface:
        transcript = BehindInterface(transcript)
        if os.isatty(stderr):
            notices = BehindInterface(notices, kept=(SessionChanged.topic, Failed.topic))
    senders = [Sender("notices", notices, lambda: stderr)]
    if events_on_stdout:
        senders.append(Sender("events", EventLines(read_from, clock), lambda: stdout))
    else:
        senders.append(Sender("transcript", transcript, lambda: stdout))
    if events is not None:
        senders.append(Sender("events", EventLines(read_from, clock), events))
    for sender in senders:
        hub.attach("output", sender.offer)
    hub.attach("output", board.offer)
    try:
        yield
    finally:
        for sender in senders:
            sender.close()
        deadline = time.monotonic() + LAST_LINES_S
        for sender in senders:
            sender.wait(max(0.0, deadline - time.monotonic()))
        board.finish()


def ensure_standard_descriptors() -> None:
    """Occupy descriptors 0 to 2 if the caller closed one: a pipe to a child must never become "stdout"."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


@contextlib.contextmanager
def descriptors_moved_to(log: Path) -> Iterator[tuple[int, int]]:
    """While inside, 1 and 2 lead to the log; yields where stdout and stderr really are.

    With the children in this very process, what their libraries print must not reach the screen.
    """
    kept = os.dup(1), os.dup(2)
    target = open_log(log)
    try:
        for descriptor in (1, 2):
            os.dup2(target, descriptor)
        yield kept
    finally:
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        os.close(target)
