"""Log files, and the end of a process."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stt_daemon.errors import SessionError
from stt_daemon.logs import RotatingLog, log_path


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("test", logging.INFO, __file__, 1, text, None, None)


def test_a_log_is_private_and_utf_8(tmp_path: Path) -> None:
    path = log_path(tmp_path, "transcription")
    handler = RotatingLog(path)
    handler.emit(record("Grüße \udcff"))
    handler.close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert "Grüße \\udcff" in path.read_text("utf-8")


def test_a_full_log_is_set_aside_and_only_so_many_are_kept(tmp_path: Path) -> None:
    path = log_path(tmp_path, "x")
    handler = RotatingLog(path, max_bytes=100, backups=2)
    for number in range(8):
        handler.emit(record(f"{number} " + "." * 100))
    handler.close()
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["x.log", "x.log.1", "x.log.2"]
    assert "] 7 " in path.read_text("utf-8")
    assert "] 6 " in (path.parent / "x.log.1").read_text("utf-8")
    assert (path.parent / "x.log.1").stat().st_mode & 0o777 == 0o600


def test_what_others_print_counts_and_moves_to_the_new_file(tmp_path: Path) -> None:
    followed = os.open(os.devnull, os.O_WRONLY)
    path = log_path(tmp_path, "x")
    handler = RotatingLog(path, follow=(followed,), max_bytes=100)
    os.write(followed, b"ALSA lib: " + b"." * 200 + b"\n")
    handler.rotate_if_large()
    os.write(followed, b"again\n")
    handler.close()
    os.close(followed)
    assert path.read_bytes() == b"again\n"
    assert (path.parent / "x.log.1").read_bytes().startswith(b"ALSA")


def test_a_log_goes_on_where_the_last_run_ended(tmp_path: Path) -> None:
    path = log_path(tmp_path, "x")
    for text in ("first", "second"):
        handler = RotatingLog(path)
        handler.emit(record(text))
        handler.close()
    assert path.read_text("utf-8").count("\n") == 2


def test_a_place_where_no_log_can_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file in the way", "utf-8")
    with pytest.raises(SessionError, match=r"logs/x\.log cannot be written"):
        RotatingLog(log_path(tmp_path, "x"))


def test_the_process_ends_flushed_and_without_tearing_down_what_native_threads_still_use() -> None:
    script = """
import atexit, logging, sys
from stt_daemon.logs import end_process
atexit.register(lambda: print("torn down", flush=True))
sys.stdout.write("said")
end_process(3)
"""
    source = str(Path(__file__).parents[3] / "src")
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert (done.returncode, done.stdout) == (3, "said")
