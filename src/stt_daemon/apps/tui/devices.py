"""The audio inputs, listed by a process of its own: what asks the sound system may print, hang or crash.

Owned by the interface's loop.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from stt_daemon.apps.tui.text import shown
from stt_daemon.errors import AudioError

log = logging.getLogger(__name__)

Device = dict[str, Any]
ListDevices = Callable[[], Awaitable[Sequence[Device]]]

_LISTED_WITHIN_S = 20.0


async def listed_devices() -> Sequence[Device]:
    """What `stt-daemon devices --json` says. Raises AudioError."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "stt_daemon",
        "devices",
        "--json",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, complaint = await asyncio.wait_for(process.communicate(), _LISTED_WITHIN_S)
    except (asyncio.TimeoutError, asyncio.CancelledError) as error:
        process.kill()
        if isinstance(error, asyncio.CancelledError):
            raise
        raise AudioError("the sound system does not answer", code="no_answer") from error
    try:
        devices = json.loads(out) if process.returncode == 0 else None
    except ValueError:
        devices = None
    if not isinstance(devices, list):
        said = complaint.decode("utf-8", "replace").strip().splitlines()
        log.warning("devices cannot be listed: %s", said)
        raise AudioError(said[-1] if said else "devices cannot be listed", code="no_list")
    return devices


class DevicesScreen(ModalScreen[None]):
    """The inputs, the default marked, and the one in use."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,d,enter", "dismiss", "Close", show=False),
        Binding("r", "list_again", "List again", show=False),
    ]

    def __init__(self, list_devices: ListDevices, in_use: str) -> None:
        super().__init__()
        self._list = list_devices
        self._in_use = in_use

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="sheet") as sheet:
            sheet.border_title = "Audio inputs"
            sheet.border_subtitle = "r lists again · esc closes"
            yield Static(id="listed")

    def on_mount(self) -> None:
        self.action_list_again()

    def action_list_again(self) -> None:
        self.query_one("#listed", Static).update(Content.styled("asking the sound system …", "dim"))
        self.run_worker(self._show(), exclusive=True)

    async def _show(self) -> None:
        try:
            text = devices_text(await self._list(), self._in_use)
        except (AudioError, OSError) as error:
            text = Content.styled(shown(str(error)), "$text-warning")
        self.query_one("#listed", Static).update(text)


def devices_text(devices: Sequence[Device], in_use: str) -> Content:
    """Two lines a device, and how to choose one."""
    hint = Content.styled("\n\nChoose one with --source mic:NAME or device in [audio].", "dim")
    if not devices:
        return Content.assemble(("no input device", "$text-warning"), hint)
    return Content.assemble(Content("\n").join(_entry(device, in_use) for device in devices), hint)


def _entry(device: Device, in_use: str) -> Content:
    name = shown(str(device.get("name", "")))
    used = bool(in_use) and name == shown(in_use)
    facts = [
        f"{device.get('channels')} ch",
        f"{device.get('rate')} Hz",
        shown(str(device.get("host_api", ""))),
    ]
    facts += ["default"] if device.get("default") else []
    facts += ["what the computer plays"] if device.get("monitor") else []
    return Content.assemble(
        ("● " if used else "○ " if device.get("default") else "  ", "$text-success"),
        (name, "bold" if used else ""),
        (f"\n    {' · '.join(facts)}", "dim"),
    )
