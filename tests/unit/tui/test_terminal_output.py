from __future__ import annotations

import os
import threading

from stt_daemon.apps.tui.terminal_output import WAITING_AT_MOST, TerminalOutput

PATIENCE_S = 10.0


class Pipe:
    """What stands for the terminal, and what was told of it."""

    def __init__(self) -> None:
        self.read, self.write = os.pipe()
        self.overrun, self.lost = threading.Event(), threading.Event()
        self.output = TerminalOutput(self.write, overrun=self.overrun.set, lost=self.lost.set)

    def text(self, length: int) -> str:
        found = b""
        while len(found) < length:
            found += os.read(self.read, length - len(found))
        return found.decode()


def test_what_is_written_arrives_in_order() -> None:
    pipe = Pipe()
    for number in range(10):
        pipe.output.write(f"{number};")
    pipe.output.close(PATIENCE_S)
    assert pipe.text(20) == "0;1;2;3;4;5;6;7;8;9;"
    assert not pipe.overrun.is_set()


def test_a_reader_that_takes_nothing_delays_no_writer_and_is_drawn_anew_when_it_does_again() -> None:
    pipe = Pipe()
    for _ in range(40):
        pipe.output.write("x" * (WAITING_AT_MOST // 10))
    assert not pipe.overrun.is_set()

    def drain() -> None:
        while os.read(pipe.read, 65_536):
            pass

    threading.Thread(target=drain, daemon=True).start()
    assert pipe.overrun.wait(PATIENCE_S)
    pipe.output.close(PATIENCE_S)
    os.close(pipe.write)


def test_a_terminal_that_is_gone_is_told() -> None:
    pipe = Pipe()
    os.close(pipe.read)
    pipe.output.write("anybody?")
    assert pipe.lost.wait(PATIENCE_S)


def test_lone_surrogates_do_not_end_it() -> None:
    pipe = Pipe()
    pipe.output.write("a\ud800b")
    pipe.output.close(PATIENCE_S)
    assert pipe.text(3) == "a?b"
