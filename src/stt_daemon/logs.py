"""Log files: one for each process, `<sessions dir>/logs/<name>.log`, rotated by the process that owns it.

In worker and core descriptors 1 and 2 lead to the same file, so that what a native library prints ends
there too and not on the user's screen. Handlers are safe from any thread.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import NoReturn

from stt_daemon.errors import SessionError

MAX_BYTES = 2_000_000
BACKUPS = 3
_ROTATION_CHECK_S = 30.0
_FORMAT = "%(asctime)s %(levelname)s %(name)s [%(threadName)s] %(message)s"

log = logging.getLogger(__name__)


def log_path(sessions_dir: Path, name: str) -> Path:
    return sessions_dir / "logs" / f"{name}.log"


def open_log(path: Path) -> int:
    """A descriptor that appends to the log file, made if need be. Raises SessionError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as error:
        raise SessionError(f"the log {path} cannot be written: {error.strerror}") from error


def end_process(code: int) -> NoReturn:
    """End now, with everything flushed and without Python's own tearing down.

    A model that is still loading or decoding runs native code in a daemon thread. When the interpreter goes
    away under it, that thread is unwound through C++ and aborts the process (seen with CTranslate2: exit code
    134 in one stop of six). All files are closed by now, so nothing is owed to that thread.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


class RotatingLog(logging.Handler):
    """Appends records to a file and starts a new one when it has grown to `max_bytes`.

    `follow` are descriptors (1, 2) that are moved along to each new file. The file's real size counts, so
    what others wrote through those descriptors is rotated as well.
    """

    def __init__(
        self, path: Path, *, follow: tuple[int, ...] = (), max_bytes: int = MAX_BYTES, backups: int = BACKUPS
    ) -> None:
        super().__init__()
        self._path = path
        self._follow = follow
        self._max_bytes = max_bytes
        self._backups = backups
        self._descriptor = open_log(path)
        self._point_followers()
        self.setFormatter(logging.Formatter(_FORMAT))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.rotate_if_large()
            os.write(self._descriptor, (self.format(record) + "\n").encode("utf-8", "backslashreplace"))
        except (OSError, SessionError, ValueError, TypeError):
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """A log that cannot be written (a full disk) costs the line, nothing else."""

    def rotate_if_large(self) -> None:
        """Start a new file if this one is full. Raises OSError, SessionError when there is no room."""
        self.acquire()
        try:
            if os.fstat(self._descriptor).st_size < self._max_bytes:
                return
            for number in range(self._backups - 1, 0, -1):
                older = self._numbered(number)
                if older.exists():
                    older.replace(self._numbered(number + 1))
            self._path.replace(self._numbered(1))
            fresh = open_log(self._path)
            os.dup2(fresh, self._descriptor, inheritable=False)
            os.close(fresh)
            self._point_followers()
        finally:
            self.release()

    def close(self) -> None:
        os.close(self._descriptor)
        super().close()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")

    def _point_followers(self) -> None:
        for descriptor in self._follow:
            os.dup2(self._descriptor, descriptor)


def start_logging(path: Path, *, redirect: bool, level: int = logging.INFO) -> RotatingLog:
    """Send this process's log, and every uncaught exception, to `path`. Call once, from the main thread.

    `redirect` also moves descriptors 1 and 2 there and lets a native crash leave its stack in the file.
    """
    handler = RotatingLog(path, follow=(1, 2) if redirect else ())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread
    if redirect:
        for stream in (sys.stdout, sys.stderr):
            # Under a C locale a native library's UTF-8 message must not end in an encoding error.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
        faulthandler.enable(file=2)
        threading.Thread(target=_rotate_for_ever, args=(handler,), name="log-rotation", daemon=True).start()
    return handler


def stop_logging(handler: RotatingLog) -> None:
    """Take the handler off again; descriptors 1 and 2 stay where they are."""
    logging.getLogger().removeHandler(handler)
    sys.excepthook = sys.__excepthook__
    threading.excepthook = threading.__excepthook__
    handler.close()


def _rotate_for_ever(handler: RotatingLog) -> None:
    """A library that prints in a loop writes no record that would trigger a rotation."""
    pause = threading.Event()
    while not pause.wait(_ROTATION_CHECK_S):
        try:
            handler.rotate_if_large()
        except (OSError, SessionError) as error:
            log.warning("the log cannot be rotated: %s", error)


def _log_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:  # pragma: no cover - the interpreter calls it
    log.critical("uncaught exception", exc_info=(kind, error, trace))


def _log_uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
        name = args.thread.name if args.thread else "?"
        log.critical(
            "uncaught exception in %s", name, exc_info=(args.exc_type, args.exc_value, args.exc_traceback)
        )
