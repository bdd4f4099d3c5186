"""On a real pseudo terminal."""

from __future__ import annotations

import os
import pty
import termios
import tty
from collections.abc import Iterator

import pytest

from stt_daemon.terminal import RESET, TerminalGuard


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """The side of the emulator and the side of the program."""
    master, slave = pty.openpty()
    yield master, slave
    os.close(master)
    os.close(slave)


def test_the_modes_come_back_after_a_program_left_them_raw(terminal: tuple[int, int]) -> None:
    _, slave = terminal
    before = termios.tcgetattr(slave)
    guard = TerminalGuard(slave)
    guard.save()
    tty.setraw(slave)
    assert termios.tcgetattr(slave) != before
    guard.restore()
    assert termios.tcgetattr(slave) == before


def test_the_emulator_is_told_to_leave_every_special_mode(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    guard = TerminalGuard(slave)
    guard.save()
    tty.setraw(slave)
    guard.restore()
    told = os.read(master, 1000).decode()
    assert told == RESET
    for mode in ("?2026l", "?1003l", "?1006l", "?2004l", "?1004l", "<u", "?1049l", "?25h", "?7h"):
        assert f"\x1b[{mode}" in told


def test_keys_pressed_for_the_dead_program_do_not_reach_the_shell(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    guard = TerminalGuard(slave)
    guard.save()
    tty.setraw(slave)
    os.write(master, b"\x1b[<35;10;10M")
    guard.restore()
    os.set_blocking(slave, False)
    with pytest.raises(BlockingIOError):
        os.read(slave, 100)


def test_what_is_no_terminal_is_left_alone() -> None:
    read, write = os.pipe()
    guard = TerminalGuard(write)
    guard.save()
    guard.restore()
    os.set_blocking(read, False)
    with pytest.raises(BlockingIOError):
        os.read(read, 1)
    os.close(read)
    os.close(write)


def test_a_terminal_that_is_gone_is_no_error() -> None:
    master, slave = pty.openpty()
    guard = TerminalGuard(slave)
    guard.save()
    os.close(master)
    guard.restore()
    os.close(slave)


def test_a_terminal_that_takes_nothing_holds_nobody_up(terminal: tuple[int, int]) -> None:
    _, slave = terminal
    guard = TerminalGuard(slave)
    guard.save()
    termios.tcflow(slave, termios.TCOOFF)  # as after Ctrl-S, or on a frozen connection
    guard.restore()
    termios.tcflow(slave, termios.TCOON)
