from __future__ import annotations

import os
import queue
from pathlib import Path

import pytest

from stt_daemon.errors import UsageError
from stt_daemon.supervisor.control import LONGEST_LINE, ControlReader, check_fifo

PATIENCE_S = 10.0


def read_all(data: bytes) -> list[str]:
    """What a reader makes of stdin that holds this and then ends, up to the line "end"."""
    read, write = os.pipe()
    lines: queue.Queue[str] = queue.Queue()
    ControlReader(None, lines.put, stdin=read)
    os.write(write, data + b"\nend")
    os.close(write)
    found = []
    while (line := lines.get(timeout=PATIENCE_S)) != "end":
        found.append(line)
    os.close(read)
    return found


def test_lines_come_without_their_ends_and_empty_ones_not_at_all() -> None:
    assert read_all("/mute\r\n\n  was heißt das? \n".encode()) == ["/mute", "was heißt das?"]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert read_all(b"\xffa") == ["\ufffda"]


def test_a_line_without_end_is_cut_off() -> None:
    assert [len(line) for line in read_all(b"x" * 60_000)] == [60_000]
    read, write = os.pipe()
    lines: queue.Queue[str] = queue.Queue()
    ControlReader(None, lines.put, stdin=read)
    for _ in range(10):
        os.write(write, b"x" * 30_000)
    os.close(write)
    assert len(lines.get(timeout=PATIENCE_S)) == LONGEST_LINE
    os.close(read)


def test_one_writer_after_the_other_may_use_a_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "control"
    os.mkfifo(path)
    check_fifo(path)
    lines: queue.Queue[str] = queue.Queue()
    ControlReader(path, lines.put)
    for text in map(str, range(300)):  # one lost in a thousand is one too many
        with path.open("w", encoding="utf-8") as fifo:
            fifo.write(text + "\n")
        assert lines.get(timeout=PATIENCE_S) == text


def test_anything_but_a_named_pipe_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(UsageError, match="not a named pipe"):
        check_fifo(tmp_path / "file")
    with pytest.raises(UsageError, match="No such file") as caught:
        check_fifo(tmp_path / "absent")
    assert "mkfifo" in caught.value.mend
