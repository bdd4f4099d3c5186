"""Senders: what leaves the program for stdout, stderr and `--events`, each in a thread of its own.

`offer` may be called from any thread and never waits; a reader that stalls or goes away stops its own
sender and nobody else.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import select
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from stt_daemon.channels import Frame, FrameStore, start_thread
from stt_daemon.domain import Clock
from stt_daemon.domain.text import plain
from stt_daemon.errors import UsageError
from stt_daemon.messages import (
    CaptureChanged,
    ChatSaid,
    ChildChanged,
    CommandChanged,
    Failed,
    GapMarked,
    Message,
    ModeChanged,
    SessionChanged,
    TranscriptMissed,
    UtteranceFinished,
    Warned,
    message_type,
)
from stt_daemon.supervisor.transcript_order import ReadTranscript, TranscriptOrder

log = logging.getLogger(__name__)

_READER_GONE = frozenset({errno.EPIPE, errno.EIO, errno.EBADF})
_RETRY_S = 1.0


class Lines(Protocol):
    """Makes lines of text, without line ends, from what happened. Used by one thread."""

    def wants(self, topic: str) -> bool:
        """Whether frames of that topic matter here."""

    def render(self, frame: Frame) -> Iterator[str]:
        """The lines for this frame, often none."""

    def rest(self) -> Iterator[str]:
        """The lines that are still owed when all is over."""


class Sender:
    """Writes lines to a descriptor that `open_target` gives (called in the sender's thread; may wait)."""

    def __init__(self, name: str, lines: Lines, open_target: Callable[[], int]) -> None:
        self._lines = lines
        self._open_target = open_target
        self._store = FrameStore()
        self._over = threading.Event()
        self._thread = start_thread(name, self._run)

    def offer(self, frame: Frame) -> None:
        if self._lines.wants(frame.topic):
            self._store.offer(frame)

    def close(self) -> None:
        """Write what waits and owe nothing more, then end."""
        self._store.close()

    def wait(self, timeout: float) -> bool:
        """After `close`: False when the reader did not take everything in time; it is left alone then."""
        self._thread.join(timeout)
        self._over.set()
        return not self._thread.is_alive()

    def _run(self) -> None:
        name = threading.current_thread().name
        try:
            target = self._open_target()
            while (frame := self._store.take()) is not None:
                for line in self._lines.render(frame):
                    self._write(target, line)
            for line in self._lines.rest():
                self._write(target, line)
        except OSError as error:
            log.info("%s ends: %s", name, error)
        finally:
            self._store.discard()

    def _write(self, target: int, line: str) -> None:
        """Write one whole line. Raises OSError when nobody will read it any more.

        Any other trouble (a full disk) may pass: the rest of the line is tried again, the store keeps.
        """
        rest = memoryview((line + "\n").encode("utf-8", "replace"))
        complained = False
        while rest:
            try:
                rest = rest[os.write(target, rest) :]
            except BlockingIOError:  # somebody who shares the descriptor made it so
                select.select([], [target], [], _RETRY_S)
            except OSError as error:
                if error.errno in _READER_GONE or self._over.is_set():
                    raise
                if not complained:
                    log.warning("%s: %s; trying again", threading.current_thread().name, error)
                    complained = True
                self._over.wait(_RETRY_S)


def open_events(path: Path) -> Callable[[], int]:
    """How to open `--events PATH` for appending: at once if it is a file, by the sender if it is a pipe,
    since opening one waits for its reader. Raises UsageError when the file cannot be written.
    """

    def open_it() -> int:
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISFIFO(path.stat().st_mode):
            return open_it
    try:
        descriptor = open_it()
    except OSError as error:
        raise UsageError(f"--events {path} cannot be written: {error.strerror}") from error
    return lambda: descriptor


class EventLines:
    """`--events`: every public message as one JSON object, numbered as it leaves."""

    def __init__(self, read_from: ReadTranscript, clock: Clock) -> None:
        self._order = TranscriptOrder(read_from)
        self._clock = clock
        self._number = 0

    def wants(self, topic: str) -> bool:
        return message_type(topic).public or topic == TranscriptMissed.topic

    def render(self, frame: Frame) -> Iterator[str]:
        for message in self._order.follow(frame):
            yield self._event(message)

    def rest(self) -> Iterator[str]:
        for message in self._order.rest():
            yield self._event(message)

    def _event(self, message: Message) -> str:
        self._number += 1
        at = message.at or self._clock.wall()  # what comes from the journal was never published
        # Escaped to ASCII: whatever encoding the reader assumes, and no control byte for its terminal.
        return json.dumps(
            {"v": 1, "n": self._number, "at": at, "type": message.topic, **message.payload()},
            separators=(",", ":"),
        )


class TranscriptLines:
    """stdout: `HH:MM:SS Speaker: text` for each utterance."""

    def __init__(self, read_from: ReadTranscript) -> None:
        self._order = TranscriptOrder(read_from)

    def wants(self, topic: str) -> bool:
        return topic in (
            UtteranceFinished.topic,
            GapMarked.topic,  # for the order of `seq`; not shown
            TranscriptMissed.topic,
            SessionChanged.topic,
        )

    def render(self, frame: Frame) -> Iterator[str]:
        return self._shown(self._order.follow(frame))

    def rest(self) -> Iterator[str]:
        return self._shown(self._order.rest())

    @staticmethod
    def _shown(messages: Iterator[Message]) -> Iterator[str]:
        for message in messages:
            if isinstance(message, UtteranceFinished):
                yield plain(f"{message.wall[11:19]} {message.speaker}: {message.text}")


class NoticeLines:
    """stderr: what a person at the terminal should know, one line each."""

    def __init__(self) -> None:
        self._session = ""
        self._capture = ("", "")
        self._mode = "idle"

    def wants(self, topic: str) -> bool:
        return topic in (
            Warned.topic,
            Failed.topic,
            GapMarked.topic,
            SessionChanged.topic,
            CaptureChanged.topic,
            ChildChanged.topic,
            ChatSaid.topic,
            CommandChanged.topic,
            ModeChanged.topic,
        )

    def render(self, frame: Frame) -> Iterator[str]:
        message = frame.message()
        if isinstance(message, ChatSaid | CommandChanged):
            yield from _conversation_lines(message)
        elif text := self._text(message):
            yield plain(text)

    def rest(self) -> Iterator[str]:
        return iter(())

    def _text(self, message: Message) -> str:
        match message:
            case Warned(message=text):
                return f"warning: {text}"
            case Failed(where=where, message=text):
                return f"error: {where}: {text}"
            case GapMarked(t0=t0, t1=t1, reason=reason):
                return f"gap: {t1 - t0:.1f} s not recorded ({reason})"
            case SessionChanged(state="opened" | "resumed", id=session_id, dir=folder):
                if session_id != self._session:
                    self._session = session_id
                    return f"session {session_id}: {folder}"
            case CaptureChanged():
                return self._capture_text(message)
            case ModeChanged(mode=mode, why=why):
                if mode != self._mode:
                    self._mode = mode
                    return f"mode: {mode} ({why})"
            case ChildChanged(name=name, state="backoff", reason=reason):
                return f"warning: {name}: {reason}; starting it again"
            case ChildChanged(name="transcription", state="draining"):
                return "stopping: transcribing what has been heard"
            case _:
                pass
        return ""

    def _capture_text(self, message: CaptureChanged) -> str:
        if message.state in ("starting", "ended") or (message.state, message.device) == self._capture:
            return ""
        self._capture = (message.state, message.device)
        reason = f" ({message.reason})" if message.reason else ""
        if message.state == "lost":
            return f"warning: nothing is recorded: {message.device or 'no device'}{reason}"
        if message.state == "live":
            return f"listening to {message.device}{reason}"
        return f"{message.state}: {message.device}{reason}"


def _conversation_lines(message: ChatSaid | CommandChanged) -> Iterator[str]:
    """Replies that are complete, notices, and what became of commands; each line names who speaks.

    What the user typed or said is left out: it stands in the terminal or in the transcript already.
    """
    if isinstance(message, CommandChanged):
        name, text = f"command {message.id}".strip(), message.reason
        if message.state in ("failed", "refused"):
            name = f"{name} {message.state}"
    elif message.final and message.role != "user":
        name, text = ("assistant" if message.role == "assistant" else "notice"), message.text
    else:
        return
    for line in text.split("\n"):
        if line.strip():
            yield plain(f"{name}: {line}")
