"""The placement in processes: starts `python -m stt_daemon.child`, from the supervisor's main thread.

The main thread, because the kernel ties the parent-death signal to the thread that started the child.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from stt_daemon.channels import Frame, PipeReader, PipeWriter
from stt_daemon.logs import log_path, open_log
from stt_daemon.supervisor.placement import ChildSpec, RunningChild

# Without it a file in the working directory could stand in for a module of the standard library.
_SAFE_PATH = ["-P"] if sys.version_info >= (3, 11) else []


class ProcessPlacement:
    """Children as processes. `writers_lock` is the descriptor that shows the next start who may write."""

    def __init__(self, sessions_dir: Path, writers_lock: int) -> None:
        self._sessions_dir = sessions_dir
        self._writers_lock = writers_lock

    def launch(
        self, spec: ChildSpec, deliver: Callable[[Frame], None], closed: Callable[[str], None]
    ) -> RunningChild:
        with contextlib.ExitStack() as theirs:
            read, our_write = os.pipe()
            theirs.callback(os.close, read)
            our_read, write = os.pipe()
            theirs.callback(os.close, write)
            path = log_path(self._sessions_dir, spec.name)
            output = open_log(path)
            theirs.callback(os.close, output)
            passed = {"--read": read, "--write": write}
            arguments = ["--parent", str(os.getpid()), "--log", str(path)]
            if spec.owns_terminal:
                arguments.append("--terminal")
            else:
                passed["--lock"] = self._writers_lock
            for option, descriptor in passed.items():
                arguments += [option, str(descriptor)]
            try:
                with signals_held():
                    process = subprocess.Popen(
                        [sys.executable, *_SAFE_PATH, "-m", "stt_daemon.child", spec.name]
                        + ([spec.app] if spec.app else [])
                        + arguments,
                        stdin=None if spec.stdin or spec.owns_terminal else subprocess.DEVNULL,
                        stdout=output,
                        stderr=output,
                        pass_fds=tuple(passed.values()),
                    )
            except OSError:
                os.close(our_read)
                os.close(our_write)
                raise
        return _ProcessChild(process, our_read, our_write, spec.name, deliver, closed)


class _ProcessChild:
    """A child process with its two pipe ends."""

    killable = True

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        read: int,
        write: int,
        name: str,
        deliver: Callable[[Frame], None],
        closed: Callable[[str], None],
    ) -> None:
        self._process = process
        self._writer = PipeWriter(write, name)
        self._reader = PipeReader(read, deliver, closed, name)

    def send(self, frame: Frame) -> None:
        self._writer.offer(frame)

    def exit_code(self) -> int | None:
        return self._process.poll()

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._writer.close()


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Around a launch SIGINT and SIGHUP are ignored, which the child inherits from its first instruction.

    They are blocked as well, in this thread and in every other of ours: so one that arrives meanwhile
    waits instead of being lost, and a closed terminal says so only once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held = (signal.SIGINT, signal.SIGHUP)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    handlers = {number: signal.signal(number, signal.SIG_IGN) for number in held}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
