"""Real processes for the tests of this folder."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.process.running import CLIP, MAIN, Running


@pytest.fixture(autouse=True, scope="session")
def _signals_as_in_a_terminal() -> Iterator[None]:
    """The program leaves SIGHUP ignored if it starts so, as under nohup, and a test run may be under one."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


@pytest.fixture
def start(sessions: Path) -> Iterator[Callable[..., Running]]:
    """Start the supervisor on fake apps; whatever still runs at the end of the test is killed."""
    started: list[Running] = []

    def start_one(**options: object) -> Running:
        started.append(Running(sessions, **options))  # type: ignore[arg-type]
        return started[-1]

    yield start_one
    for running in started:
        running.end()


@pytest.fixture
def start_up(sessions: Path) -> Iterator[Callable[..., Running]]:
    """Start the program's own `up`, its events on stdout; whatever still runs at the end is killed."""
    started: list[Running] = []

    def start_one(*options: str, source: Path | str = CLIP) -> Running:
        arguments = ["up", "--source", str(source), "--events", "-", "--offline", *options]
        sessions.parent.mkdir(exist_ok=True)
        started.append(Running(sessions, command=[*MAIN, *arguments], cwd=sessions.parent))
        return started[-1]

    yield start_one
    for running in started:
        running.end()
