"""The whole interface without a terminal: what it shows, and what it sends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from textual.pilot import Pilot

from stt_daemon.apps.tui.app import SttApp
from stt_daemon.config import Config
from stt_daemon.messages import (
    CaptureChanged,
    ControlReceived,
    LaneChanged,
    LevelMeasured,
    Message,
    SessionChanged,
    TriageStateChanged,
)
from tests.fakes.clock import FakeClock
from tests.tui.screens import lines_of

EVERYTHING = {"triage": {"enabled": True}, "summary": {"enabled": True}}
SESSION = SessionChanged(state="opened", id="20260101-100000", dir="/sessions/20260101-100000")
LIVE = CaptureChanged(state="live", device="Built-in Audio", rate=48_000)
QUESTIONS = {"blocker": {"type": "noul", "instructions": "Is somebody stuck?", "criteria": {"true": "yes"}}}
DEVICES = (
    {
        "name": "Built-in Audio",
        "default": True,
        "monitor": False,
        "channels": 2,
        "rate": 48_000,
        "host_api": "ALSA",
    },
    {
        "name": "Monitor of it",
        "default": False,
        "monitor": True,
        "channels": 2,
        "rate": 44_100,
        "host_api": "ALSA",
    },
)


class Sent:
    """An outbox that keeps everything."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def publish(self, message: Message) -> None:
        self.messages.append(message)

    @property
    def lines(self) -> list[str]:
        return [message.line for message in self.messages if isinstance(message, ControlReceived)]

    def of(self, kind: type[Message]) -> list[Message]:
        return [message for message in self.messages if isinstance(message, kind)]


class Shown:
    """A running interface."""

    def __init__(self, app: SttApp, pilot: Pilot[None], sent: Sent, clock: FakeClock) -> None:
        self.app = app
        self.pilot = pilot
        self.sent = sent
        self.clock = clock
        self.copied: list[str] = []

    async def tell(self, *messages: Message) -> None:
        for message in messages:
            self.app.show(message)
        await self.settle()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def settle(self) -> None:
        await self.pilot.pause()
        await self.pilot.pause()

    @property
    def screen(self) -> str:
        return "\n".join(lines_of(self.app))

    def has(self, *texts: str) -> bool:
        return all(text in self.screen for text in texts)

    def line(self, text: str) -> str:
        """The first line of the screen that has a text."""
        return next((line for line in lines_of(self.app) if text in line), "")


async def _no_devices() -> Sequence[dict[str, Any]]:
    return DEVICES


def in_interface(
    do: Callable[[Shown], Awaitable[None]],
    *,
    size: tuple[int, int] = (120, 40),
    config: dict[str, Any] | None = None,
    begun: bool = True,
) -> Shown:
    """Run the interface at a size and do something with it; `begun`: a session is open and all is well."""
    clock, sent = FakeClock(), Sent()
    settings = Config.model_validate(EVERYTHING if config is None else config)
    app = SttApp(settings, sent, clock, session="20260101-100000", list_devices=_no_devices)
    shown: list[Shown] = []

    async def run() -> None:
        async with app.run_test(size=size, notifications=True) as pilot:
            one = Shown(app, pilot, sent, clock)
            shown.append(one)
            app.copy_to_clipboard = one.copied.append  # type: ignore[method-assign]
            if begun:
                await one.tell(SESSION, LIVE, LevelMeasured(db=-18.0, clipping=False))
                await one.tell(LaneChanged(name="whisper", state="ready"))
                await one.tell(TriageStateChanged(state="ok", questions=QUESTIONS))
            await do(one)

    asyncio.run(run())
    return shown[0]
