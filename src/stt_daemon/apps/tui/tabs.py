"""Names of panes that share a place, the one in sight marked. Owned by the interface's loop."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widget import Widget

from stt_daemon.apps.tui.arrangement import PaneName


class PaneTabs(Widget):
    """One line; a click on a name asks for that pane. The keys for it belong to the app."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    PaneTabs { height: 1; padding: 0 1; display: none; text-wrap: nowrap; }
    PaneTabs.-some { display: block; }
    """

    class Chosen(Message):
        """The user wants to see a pane."""

        def __init__(self, pane: PaneName) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._names: tuple[PaneName, ...] = ()
        self._front: PaneName | None = None
        self._news: frozenset[PaneName] = frozenset()

    def offer(self, names: tuple[PaneName, ...], front: PaneName | None, news: frozenset[PaneName]) -> None:
        """Show these names. In panes with `news` something happened since they were in sight."""
        if (names, front, news) != (self._names, self._front, self._news):
            self._names, self._front, self._news = names, front, news
            self.set_class(bool(names), "-some")
            self.refresh(layout=True)

    def render(self) -> Content:
        names = [name.capitalize() for name in self._names]
        room = self.content_size.width
        if sum(map(len, names)) + 3 * len(names) > room:
            names = [name[: max(1, room // max(1, len(names)) - 3)] for name in names]
        return Content("  ").join(
            self._drawn(name, said) for name, said in zip(self._names, names, strict=True)
        )

    def on_click(self, event: events.Click) -> None:
        if (name := event.style.meta.get("choose")) in self._names:
            self.post_message(self.Chosen(name))

    def _drawn(self, name: PaneName, said: str) -> Content:
        if name == self._front:
            text = Content.styled(said, "bold underline $text-primary")
        else:
            text = Content.assemble(
                (said, "$text-muted"), ("•" if name in self._news else "", "$text-warning")
            )
        return text.stylize(Style.from_meta({"choose": name}))
