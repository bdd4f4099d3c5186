"""The interface: panes, header, banner, keys. A key sends a request, a message changes the view.

Owned by the interface's loop. Nothing is decided here that belongs to the core: what a line means, whether a
mute took effect, when a session begins are all learnt from messages.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.filter import Monochrome
from textual.screen import Screen

from stt_daemon.apps.tui.arrangement import PaneName
from stt_daemon.apps.tui.banner import Banner
from stt_daemon.apps.tui.bridge import Arrived, Bridge, Ended
from stt_daemon.apps.tui.chat import ChatPane, LineEntered
from stt_daemon.apps.tui.deck import Deck, Pane
from stt_daemon.apps.tui.devices import DevicesScreen, ListDevices, listed_devices
from stt_daemon.apps.tui.footer import Footer
from stt_daemon.apps.tui.header import Header
from stt_daemon.apps.tui.help import HelpScreen
from stt_daemon.apps.tui.jump import JumpTo
from stt_daemon.apps.tui.keys import KEYS, MORE_KEYS, Key
from stt_daemon.apps.tui.past import Past
from stt_daemon.apps.tui.quitting import QuittingScreen
from stt_daemon.apps.tui.situation import Situation
from stt_daemon.apps.tui.summary import SummaryPane
from stt_daemon.apps.tui.text import shown
from stt_daemon.apps.tui.themes import DARK, LIGHT, NO_COLOUR, theme_name
from stt_daemon.apps.tui.toasts import Shelf, Toast, toast_of
from stt_daemon.apps.tui.transcript import TranscriptPane
from stt_daemon.apps.tui.triage import TriagePane
from stt_daemon.channels import Outbox
from stt_daemon.config import Config
from stt_daemon.domain import Clock
from stt_daemon.messages import (
    ChildChanged,
    ChildReady,
    ControlReceived,
    Heartbeat,
    LagChanged,
    LaneChanged,
    LevelMeasured,
    Message,
    ShutdownRequested,
)

log = logging.getLogger(__name__)

_BEAT_S = 1.0


class SttApp(App[None]):
    """`session` is the one that was configured; `bridge` begins to read when the first screen is there."""

    CSS_PATH = "stt.tcss"
    TITLE = "stt-daemon"
    ESCAPE_TO_MINIMIZE = False
    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key.keys, key.action, key.label, show=False, priority=key.priority)
        for key in (*KEYS, *MORE_KEYS)
    ]

    def __init__(
        self,
        config: Config,
        outbox: Outbox,
        clock: Clock,
        *,
        bridge: Bridge | None = None,
        session: str = "",
        list_devices: ListDevices = listed_devices,
    ) -> None:
        super().__init__()
        self._outbox = outbox
        self._clock = clock
        self._bridge = bridge
        self._list_devices = list_devices
        self._configured_theme = config.tui.theme
        self.situation = Situation(session=session, language=config.whisper.language)
        self.transcript = TranscriptPane(follow=config.tui.follow, id="transcript")
        self.chat = ChatPane(id="chat")
        self.triage = TriagePane(self.transcript.clock_of, id="triage") if config.triage.enabled else None
        panes: dict[PaneName, Pane] = {"transcript": self.transcript}
        if self.triage is not None:
            panes["triage"] = self.triage
        if config.summary.enabled:
            panes["summary"] = SummaryPane(id="summary")
        panes["chat"] = self.chat
        self.deck = Deck(panes)
        self._header = Header(self.situation)
        self._banner = Banner(self.situation, clock.wall())
        self._footer = Footer(self._is_on, self.is_usable)
        self._shelf = Shelf()
        self._quitting: QuittingScreen | None = None

    def compose(self) -> ComposeResult:
        yield self._header
        yield self._banner
        yield self.deck
        yield self._footer

    def on_mount(self) -> None:
        self._use_theme()
        self._banner.update_at(self._clock.wall())
        self.set_interval(_BEAT_S, self._beat)
        if self._bridge is not None:
            self._bridge.start(self)
        self._outbox.publish(ChildReady(name="tui"))
        self._beat()

    def _use_theme(self) -> None:
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        name = theme_name(self._configured_theme)
        if name == NO_COLOUR:
            self.no_color = True
            self._filters.append(Monochrome())
            name = DARK.name
        if name not in self.available_themes:
            self._toast(Toast("theme", f"there is no theme {shown(name)}", "warning", 8.0))
            name = DARK.name
        self.theme = name

    # What happened

    def on_arrived(self, _: Arrived) -> None:
        assert self._bridge is not None
        with self.batch_update():
            for item in self._bridge.take():
                if isinstance(item, Past):
                    self.transcript.load(item.lines, item.marks)
                    self.chat.load(item.chat)
                elif isinstance(item, Message):
                    self.show(item)

    def on_ended(self, _: Ended) -> None:
        self.exit()

    def show(self, message: Message) -> None:
        """Take in one message."""
        if self.situation.follow(message):
            self._situation_changed(message)
        self.deck.show(message)
        if (toast := toast_of(message, chat_in_sight="chat" in self.deck.in_sight)) is not None:
            self._toast(toast)

    def _situation_changed(self, message: Message) -> None:
        if isinstance(message, LevelMeasured):
            return
        self._header.keep_step()
        self._banner.update_at(self._clock.wall())
        self._footer.keep_step()
        if isinstance(message, ChildChanged) and self.situation.stopping:
            self._show_quitting()
        if self._quitting is not None and isinstance(message, ChildChanged | LagChanged | LaneChanged):
            self._quitting.refresh_told()

    def _beat(self) -> None:
        self._outbox.publish(Heartbeat(name="tui"))
        self._banner.update_at(self._clock.wall())

    # What the user wishes

    def action_send(self, line: str) -> None:
        """Have a line carried out, as if it had been typed."""
        self._outbox.publish(ControlReceived(line=line))

    def on_line_entered(self, event: LineEntered) -> None:
        self.action_send(event.text)

    def action_chat(self) -> None:
        if self.situation.mode != "chat":
            self.action_send("/chat")
        self.deck.bring_to_front("chat")
        self.chat.open_entry()

    def action_command(self) -> None:
        self.deck.bring_to_front("chat")
        self.chat.open_entry("/")

    def action_mute(self) -> None:
        undo = {"muted": "/unmute", "paused": "/resume"}
        self.action_send(undo.get(self.situation.capture_state, "/mute"))

    def action_send_to_triage(self) -> None:
        if self.triage is not None:
            self.action_send(f"/triage {self._opposite('send_to_triage')}")

    def action_send_transcripts(self) -> None:
        self.action_send(f"/transcripts {self._opposite('send_transcripts')}")

    async def action_quit(self) -> None:
        """Ask for the stop; the end comes when all is drained. Asked again while it drains: do not wait."""
        self._outbox.publish(ShutdownRequested())
        self._show_quitting()

    # What the user wants to see

    def action_questions(self) -> None:
        if self.triage is not None:
            self.deck.bring_to_front("triage")
            self.triage.toggle_questions()

    def action_search(self) -> None:
        self.deck.bring_to_front("transcript")
        self.transcript.open_search()

    def action_devices(self) -> None:
        capture = self.situation.capture
        self.push_screen(DevicesScreen(self._list_devices, capture.device if capture else ""))

    def action_help(self) -> None:
        self.push_screen(HelpScreen())

    def action_copy(self) -> None:
        text = self.screen.get_selected_text() or self.deck.panes[self.deck.here].line_text()
        if text.strip():
            self.copy_to_clipboard(text)
            self._toast(Toast("copied", shown(text.strip().splitlines()[0])[:60], "information", 2.0))
        else:
            self._toast(Toast("", "nothing to copy", "information", 2.0))

    def action_first(self) -> None:
        self.deck.view(self.deck.here).action_first()

    def action_last(self) -> None:
        self.deck.view(self.deck.here).action_last()

    def action_next_pane(self, step: int) -> None:
        if len(self.screen_stack) == 1:
            self.deck.enter_next(step)

    def on_jump_to(self, event: JumpTo) -> None:
        if self.transcript.jump(event.utterance):
            self.deck.enter("transcript")
        else:
            text = f"{shown(event.utterance)} is not in the transcript of this session"
            self._toast(Toast("", text, "warning", 4.0))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for key in (*KEYS, *MORE_KEYS):
            if self.is_usable(key) and key.action != "command_palette":
                name = f"{key.label.capitalize()} ({key.shown})"
                yield SystemCommand(name, key.does, partial(self.run_action, key.action))
        yield SystemCommand("Theme", "Choose other colours", self.action_change_theme)

    def is_usable(self, key: Key) -> bool:
        """Whether the part of the interface that the key is for is there."""
        return not key.needs or key.needs in self.deck.panes

    # Small helpers

    def _opposite(self, toggle: str) -> str:
        return "off" if self.situation.toggles.get(toggle) else "on"

    def _is_on(self, key: Key) -> bool:
        now = self.situation
        return {
            "chat": now.mode == "chat",
            "command": now.mode == "command",
            "mute": now.capture_state in ("muted", "paused"),
            "send_to_triage": self.triage is not None and now.toggles.get("send_to_triage", False),
            "send_transcripts": now.toggles.get("send_transcripts", False),
        }.get(key.action, False)

    def _toast(self, toast: Toast) -> None:
        place = self._shelf.place(toast, self._clock.monotonic())
        if place == "alone":
            self.call_later(self.clear_notifications)  # after those that were asked for just now
        if place != "skip":
            self.notify(
                toast.text, title=toast.title, severity=toast.severity, timeout=toast.seconds, markup=False
            )

    def _show_quitting(self) -> None:
        if self._quitting is None:
            self._quitting = QuittingScreen(self.situation)
            self.push_screen(self._quitting)

    def _fatal_error(self) -> None:
        """Textual would print a traceback with all local variables, what was said and keys among them."""
        log.exception("the interface failed")
        self._close_messages_no_wait()
