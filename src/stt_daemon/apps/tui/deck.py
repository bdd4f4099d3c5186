"""The panes, which of them are in sight, and which one the user is in. Owned by the interface's loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from stt_daemon.apps.tui.arrangement import Arrangement, PaneName, arrange
from stt_daemon.apps.tui.chat import ChatPane
from stt_daemon.apps.tui.lines_view import LinesView
from stt_daemon.apps.tui.summary import SummaryPane
from stt_daemon.apps.tui.tabs import PaneTabs
from stt_daemon.apps.tui.transcript import TranscriptPane
from stt_daemon.apps.tui.triage import TriagePane
from stt_daemon.messages import ChatSaid, CommandChanged, Message, SummaryChanged, TriageChanged

Pane = TranscriptPane | TriagePane | SummaryPane | ChatPane

_NEWS: Mapping[PaneName, tuple[type[Message], ...]] = {
    "triage": (TriageChanged,),
    "summary": (SummaryChanged,),
    "chat": (ChatSaid, CommandChanged),
}
"""What is worth a mark at the tab of a pane that is out of sight. The transcript always has news."""


class Deck(Vertical):
    """`panes` in the order of the tab key; the transcript stands on its own, the others in a column."""

    def __init__(self, panes: Mapping[PaneName, Pane]) -> None:
        super().__init__(id="deck")
        self.panes = panes
        self._fronts = list(panes)
        self._news: set[PaneName] = set()
        self._arrangement = Arrangement(frozenset(panes))
        self._across = PaneTabs(id="across")
        self._among = PaneTabs(id="among")
        self._body = Horizontal(id="body")
        self._column = Vertical(id="column")

    def compose(self) -> ComposeResult:
        yield self._across
        with self._body:
            yield self.panes["transcript"]
            with self._column:
                yield self._among
                for name, pane in self.panes.items():
                    if name != "transcript":
                        yield pane

    def on_mount(self) -> None:
        self.enter("transcript")

    def on_resize(self, _: events.Resize) -> None:
        self._arrange()

    def show(self, message: Message) -> None:
        """Hand a message to every pane; each takes what it is about."""
        for name, pane in self.panes.items():
            pane.show(message)
            if name not in self.in_sight and isinstance(message, _NEWS.get(name, ())):
                self._news.add(name)
                self._offer_tabs()

    @property
    def in_sight(self) -> frozenset[PaneName]:
        return self._arrangement.shown

    @property
    def here(self) -> PaneName:
        """The pane the user is in."""
        focused = self.screen.focused
        if focused is not None:
            for name, pane in self.panes.items():
                if pane in focused.ancestors_with_self:
                    return name
        return self._fronts[0]

    def view(self, name: PaneName) -> LinesView[Any]:
        """The lines of a pane."""
        pane = self.panes[name]
        return pane.front if isinstance(pane, TriagePane) else pane.view

    def bring_to_front(self, name: PaneName) -> None:
        """Have a pane in sight, whatever has the focus."""
        self._fronts.remove(name)
        self._fronts.insert(0, name)
        self._arrange()

    def enter(self, name: PaneName) -> None:
        """Have a pane in sight and its lines under the user's keys."""
        self.bring_to_front(name)
        self.view(name).focus()

    def enter_next(self, step: int) -> None:
        order = list(self.panes)
        self.enter(order[(order.index(self.here) + step) % len(order)])

    # Inside

    def _arrange(self) -> None:
        width, height = self.screen.size
        arrangement = arrange(width, height, tuple(self.panes), self._fronts)
        self._news -= arrangement.shown
        if arrangement != self._arrangement:
            self._arrangement = arrangement
            for name, pane in self.panes.items():
                pane.display = name in arrangement.shown
            self._column.display = arrangement.shown != {"transcript"}
            self._body.set_class(arrangement.across, "-single")
            focused = self.screen.focused
            if focused is not None and not all(one.display for one in focused.ancestors_with_self):
                self.view(self._fronts[0]).focus()
        self._offer_tabs()

    def _offer_tabs(self) -> None:
        arrangement = self._arrangement
        front = next((name for name in self._fronts if name in arrangement.tabs), None)
        tabs, other = (self._across, self._among) if arrangement.across else (self._among, self._across)
        tabs.offer(arrangement.tabs, front, frozenset(self._news))
        other.offer((), None, frozenset())

    @on(events.DescendantFocus)
    def _focus_moved(self, _: events.DescendantFocus) -> None:
        """A click may have moved it."""
        if self.here != self._fronts[0]:
            self.bring_to_front(self.here)

    @on(PaneTabs.Chosen)
    def _tab_chosen(self, event: PaneTabs.Chosen) -> None:
        event.stop()
        self.enter(event.pane)
