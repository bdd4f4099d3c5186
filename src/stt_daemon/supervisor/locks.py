"""Who runs here, and who may still write: two lock files in the sessions directory, never unlinked.

A lock belongs to an open file description, so the operating system gives it back when its last holder is
gone, however it went. Unlinking one would let two processes hold "the" lock on two different files.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stt_daemon.domain import Clock, SystemClock
from stt_daemon.errors import AlreadyRunningError, SessionError

INSTANCE_LOCK = "instance.lock"
WRITERS_LOCK = "writers.lock"

ORPHANS_S = 5.0
"""Children of a killed supervisor leave within this time."""

_PROBED_S = 0.3
"""`status` holds the lock for an instant to see whether it is free; that is no running instance."""

_RETRY_S = 0.05

_PID_LOOKS = 10
"""An instance that has just taken the lock writes its process id in the next instant."""


@dataclass(frozen=True)
class Locks:
    """Both locks, held. `writers` is the descriptor that children inherit."""

    instance: int
    writers: int


@contextlib.contextmanager
def hold_locks(
    sessions_dir: Path, *, orphans_s: float = ORPHANS_S, clock: Clock | None = None
) -> Iterator[Locks]:
    """Make the directory if need be and hold both locks while inside.

    Raises AlreadyRunningError when another instance or its orphans still hold one, SessionError when the
    directory cannot be written. Waits at most `orphans_s` for orphans.
    """
    with contextlib.ExitStack() as held:
        try:
            locks = _take(sessions_dir, orphans_s, clock or SystemClock(), held)
        except OSError as error:
            raise SessionError(
                f"the sessions directory {sessions_dir} cannot be used: {error.strerror or error}",
                mend="make it writable, or choose another with dir in [sessions]",
            ) from error
        yield locks


def _take(sessions_dir: Path, orphans_s: float, clock: Clock, held: contextlib.ExitStack) -> Locks:
    sessions_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    instance = _open(sessions_dir / INSTANCE_LOCK, held)
    if not _acquire(instance, _PROBED_S, clock):
        pid = _read_pid(instance)
        raise AlreadyRunningError(
            f"stt-daemon already runs in {sessions_dir}" + (f" (process {pid})" if pid else ""),
            mend="stop it with: stt-daemon down",
        )
    os.ftruncate(instance, 0)
    held.callback(os.ftruncate, instance, 0)  # the next holder is never taken for this process
    os.pwrite(instance, f"{os.getpid()}\n".encode("ascii"), 0)
    writers = _open(sessions_dir / WRITERS_LOCK, held)
    if not _acquire(writers, orphans_s, clock):
        raise AlreadyRunningError(
            f"processes of an earlier stt-daemon still write in {sessions_dir}",
            mend="wait for them to end, or end them",
        )
    return Locks(instance, writers)


@contextlib.contextmanager
def hold_off(sessions_dir: Path) -> Iterator[None]:
    """Keep an instance from starting while inside; for short work on sessions that nobody may write to.

    The locks are only shared, as by one who looks, so that nobody takes this process for an instance. Makes
    nothing. Raises AlreadyRunningError when an instance, or what is left of one, holds a lock, and
    SessionError when one cannot be looked at.
    """
    with contextlib.ExitStack() as held:
        for name in (INSTANCE_LOCK, WRITERS_LOCK):
            try:
                descriptor = os.open(sessions_dir / name, os.O_RDONLY)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise SessionError(f"{sessions_dir / name} cannot be read: {error.strerror}") from error
            held.callback(os.close, descriptor)
            if not _try(descriptor, fcntl.LOCK_SH):
                raise AlreadyRunningError(
                    f"a running stt-daemon may still write in {sessions_dir}",
                    mend="stop it with: stt-daemon down",
                )
        yield


def running_pid(sessions_dir: Path) -> int | None:
    """The process id of the instance that runs here now; None when none does. Creates nothing.

    Raises SessionError when the lock cannot be looked at.
    """
    path = sessions_dir / INSTANCE_LOCK
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SessionError(f"{path} cannot be read: {error.strerror}") from error
    pause = threading.Event()
    try:
        for _ in range(_PID_LOOKS):
            if _try(descriptor, fcntl.LOCK_SH):
                return None
            if (pid := _read_pid(descriptor)) is not None:
                return pid
            pause.wait(_RETRY_S)
        return None
    finally:
        os.close(descriptor)


def _open(path: Path, held: contextlib.ExitStack) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    held.callback(os.close, descriptor)
    return descriptor


def _acquire(descriptor: int, patience_s: float, clock: Clock) -> bool:
    """There is no lock call with a timeout; the pause is short beside what is waited for."""
    deadline = clock.monotonic() + patience_s
    pause = threading.Event()
    while not _try(descriptor, fcntl.LOCK_EX):
        if clock.monotonic() >= deadline:
            return False
        pause.wait(_RETRY_S)
    return True


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True


def _read_pid(descriptor: int) -> int | None:
    text = os.pread(descriptor, 32, 0).strip()
    return int(text) if text.isdigit() else None
