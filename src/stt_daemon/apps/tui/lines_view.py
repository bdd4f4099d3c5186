"""A scrolling list of entries of any length, of which only what is in sight is broken into rows and drawn.

Owned by the interface's loop. A pane says how an entry is laid out; this widget does everything else:
following the end, scrolling, the cursor, selecting with the mouse, copying.

Invariants:
- An entry's height is exact within a screen of what is in sight, and an estimate elsewhere.
- When an estimate above the first visible row turns out wrong, the scroll position moves with it: what the
  user reads stays where it is.
- Entries are never removed; what was broken into rows is kept for `_KEPT_ROWS` entries, and so many rows are
  kept as they were drawn, as long as neither width nor style changes.

Longer than other modules because Textual wants what one widget answers to in one class.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from stt_daemon.apps.tui.heights import Heights
from stt_daemon.apps.tui.jump import JumpTo
from stt_daemon.apps.tui.rows import ROWS_AN_ENTRY, Span, alike, citation, drawn, jumps, selected
from stt_daemon.apps.tui.styles import COMPONENT_CSS, COMPONENTS, component
from stt_daemon.apps.tui.wrap import Row

EntryT = TypeVar("EntryT")

_KEPT_ROWS = 1024
_WHEEL_ROWS = 3


class LinesView(ScrollView, Generic[EntryT], can_focus=True):
    """Base of every pane that shows lines."""

    ALLOW_SELECT = True
    FOLLOWS_END: ClassVar[bool] = True
    """Whether what is at its end stays there when more comes."""
    COMPONENT_CLASSES: ClassVar[set[str]] = COMPONENTS
    DEFAULT_CSS = (
        """
    LinesView {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-color: $panel;
    }
    """
        + COMPONENT_CSS
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor(-1)", "Line up", show=False),
        Binding("down,j", "cursor(1)", "Line down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", "first", "First line", show=False),
        Binding("end,G", "last", "Last line", show=False),
        Binding("left", "citation(-1)", "Citation before", show=False),
        Binding("right", "citation(1)", "Citation after", show=False),
        Binding("enter", "jump", "Go to the cited line", show=False),
        Binding("escape", "leave_line", "Leave the line", show=False),
    ]

    class UnseenChanged(Message):
        """So many entries were added below while the view was not at its end."""

        def __init__(self, count: int) -> None:
            super().__init__()
            self.count = count

    def __init__(self, *, follow: bool = True, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.following = follow and self.FOLLOWS_END
        self.entries: list[EntryT] = []
        self.cursor: int | None = None
        self.unseen = 0
        self._rows = Heights()
        self._laid_out: LRUCache[int, Sequence[Row]] = LRUCache(_KEPT_ROWS)
        self._drawn_rows: LRUCache[tuple[int, Row], Strip] = LRUCache(_KEPT_ROWS)
        self._tail: Sequence[Row] = ()
        self._width = 0
        self._sizes: tuple[Size, Size, Size] | None = None
        self._placing = False
        self._cited = 0

    # What a pane says about its entries

    @abstractmethod
    def layout_entry(self, entry: EntryT, width: int) -> Sequence[Row]:
        """The rows of an entry, at least one."""

    @abstractmethod
    def extent(self, entry: EntryT) -> int:
        """About how many columns the entry takes if it is one long row; must be cheap."""

    @abstractmethod
    def copied(self, entry: EntryT) -> str:
        """What copying the entry puts on the clipboard."""

    def layout_tail(self, width: int) -> Sequence[Row]:
        """Rows below the last entry that are not an entry yet; often none."""
        return ()

    def spans(self, entry: int, row: Row) -> Iterable[Span]:
        """What stands out in a row of an entry, such as what was searched for."""
        return ()

    # Changing the entries

    def append(self, entry: EntryT) -> None:
        self.insert(len(self.entries), entry)

    def insert(self, position: int, entry: EntryT) -> None:
        """Add an entry; anywhere but at the end costs as much as there is behind it."""
        self.entries.insert(position, entry)
        self._rows.add(position, self.extent(entry))
        if position < len(self.entries) - 1:
            self._laid_out.clear()
            if self.cursor is not None and self.cursor >= position:
                self.cursor += 1
        if not self.following:
            self._set_unseen(self.unseen + 1)
        self._changed(first=lambda: self._rows.top(position))

    def replace(self, position: int, entry: EntryT) -> None:
        """Another entry at a position, as long as its reply grows for example."""
        before = self._laid_out.get(position) or ()
        self.entries[position] = entry
        self._rows.change(position, self.extent(entry))
        self._laid_out.discard(position)
        self._changed(first=lambda: self._rows.top(position) + alike(before, self._rows_of(position)))

    def set_entries(self, entries: Iterable[EntryT]) -> None:
        """Show these and nothing else."""
        self.entries = list(entries)
        self._rows.begin(map(self.extent, self.entries))
        self._laid_out.clear()
        if self.cursor is not None and self.cursor >= len(self.entries):
            self.cursor = None
        self._set_unseen(0)
        self._changed()

    def tail_changed(self) -> None:
        """`layout_tail` has something else to say."""
        before, self._tail = self._tail, self.layout_tail(self._width) if self._width else ()
        self._changed(first=lambda: self._rows.total + alike(before, self._tail))

    # Moving

    def show_entry(self, position: int) -> None:
        """Put the cursor on an entry and bring it into sight, with what came before it."""
        self.cursor = position
        self.following = self.following and not self.max_scroll_y
        self._changed((position, -(self.size.height // 3)))

    def go_to_end(self) -> None:
        self.cursor = None
        self.following = self.FOLLOWS_END
        self._changed((len(self.entries), 0))

    def in_sight(self) -> range:
        """The positions of the entries in sight."""
        if not self.entries or not self.size.height:
            return range(0)
        top = min(self.scroll_offset.y, self._rows.total - 1)
        bottom = min(top + self.size.height, self._rows.total) - 1
        return range(self._rows.at(top)[0], self._rows.at(bottom)[0] + 1)

    def action_cursor(self, step: int) -> None:
        sight = self.in_sight()
        if not sight:
            return
        if self.cursor is None or self.cursor not in sight:
            self.cursor = sight[-1] if step < 0 else sight[0]
        else:
            self.cursor = max(0, min(len(self.entries) - 1, self.cursor + step))
        self._cited = 0
        self._bring_cursor_into_sight()
        self.refresh()

    def action_page(self, step: int) -> None:
        self._scroll_rows(step * max(1, self.size.height - 1))

    def action_first(self) -> None:
        self.cursor = 0 if self.entries else None
        self._scroll_to_row(0)
        self.refresh()

    def action_last(self) -> None:
        self.go_to_end()

    def action_leave_line(self) -> None:
        self.cursor = None
        self.screen.clear_selection()
        self.refresh()

    def action_citation(self, step: int) -> None:
        self._cited += step if self._choose_citing() else 0
        self.refresh()

    def action_jump(self) -> None:
        if found := self._choose_citing():
            self.post_message(JumpTo(found[self._cited % len(found)]))
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, _WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, -_WHEEL_ROWS)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or self.screen.get_selected_text():
            return
        row = self.scroll_offset.y + offset.y
        self.cursor = self._rows.at(row)[0] if row < self._rows.total else None
        self.refresh()
        jump = event.style.meta.get("jump")
        if isinstance(jump, str):
            self.post_message(JumpTo(jump))

    # Copying

    def line_text(self) -> str:
        """The text of the entry under the cursor, else of the last one; "" when there is none."""
        if not self.entries:
            return ""
        return self.copied(self.entries[-1 if self.cursor is None else self.cursor])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        if not self.entries:
            return None
        text = selected(selection, len(self.entries), lambda at: self.copied(self.entries[at]), self._rows_of)
        return text, "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    # Textual's side

    def on_resize(self, event: events.Resize) -> None:
        width = self.scrollable_content_region.width
        if width != self._width:
            anchor = self._anchor()
            self._width = width
            self._drawn_rows.clear()
            self._laid_out.clear()
            self._rows.change_width(width)
            self._tail = self.layout_tail(width)
            self._changed(anchor)
        else:
            self._changed()

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        """Textual draws the scroll bar anew at every layout of the screen, here only if something changed: a
        bar at the far side would make each line that is added somewhere a paint of the whole screen.
        """
        sizes = (size, self.virtual_size, container_size)
        if sizes == self._sizes:
            return False
        self._sizes = sizes
        return super()._size_updated(size, virtual_size, container_size, layout)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn_rows.clear()
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not self._placing:
            self.following = self.FOLLOWS_END and self.is_vertical_scroll_end
            self._changed(self._anchor())

    def render_line(self, y: int) -> Strip:
        at = self.scroll_offset.y + y
        if at < self._rows.total:
            entry, number = self._rows.at(at)
            rows = self._rows_of(entry)
        else:
            entry, number, rows = len(self.entries), at - self._rows.total, self._tail
        if number >= len(rows):
            return Strip.blank(self.size.width, self.rich_style)
        row, place = rows[number], entry * ROWS_AN_ENTRY + number
        spans = tuple(self.spans(entry, row))
        if spans or entry == self.cursor or self.text_selection is not None:
            return self._strip(entry, row, place, spans)
        strip = self._drawn_rows.get((place, row))
        if strip is None:
            strip = self._drawn_rows[place, row] = self._strip(entry, row, place, ())
        return strip

    # Inside

    def _strip(self, entry: int, row: Row, place: int, spans: Sequence[Span]) -> Strip:
        base = self.rich_style + (self._style("cursor") if entry == self.cursor else Style.null())
        text = drawn(row, (*spans, *self._chosen_citation(entry, row)), base, self._style)
        if (selection := self.text_selection) is not None and (chosen := selection.get_span(place)):
            start, end = chosen
            style = self.screen.get_component_rich_style("screen--selection")
            text.stylize(style, start, len(text) if end == -1 else end)
        strip = Strip(text.render(self.app.console))
        return strip.crop_extend(0, self.size.width, base).apply_offsets(0, place)

    def _choose_citing(self) -> Sequence[str]:
        """Where the entry under the cursor leads to. Without a cursor the last entry in sight that leads
        anywhere gets it."""
        if self.cursor is None:
            self._cited = 0
            self.cursor = next((at for at in reversed(self.in_sight()) if self._jumps(at)), None)
        return self._jumps(self.cursor) if self.cursor is not None else ()

    def _jumps(self, position: int) -> list[str]:
        return jumps(self._rows_of(position))

    def _chosen_citation(self, entry: int, row: Row) -> Iterable[Span]:
        if entry != self.cursor or not (found := self._jumps(entry)):
            return ()
        return citation(row, found[self._cited % len(found)])

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(component(name), partial=True)

    def _rows_of(self, position: int) -> Sequence[Row]:
        rows = self._laid_out.get(position)
        if rows is None:
            rows = self.layout_entry(self.entries[position], self._width)
            self._laid_out[position] = rows
        return rows

    def _anchor(self) -> tuple[int, int]:
        """The entry at the top of the view, and how many of its rows are above it."""
        row = self.scroll_offset.y
        return self._rows.at(row) if row < self._rows.total else (len(self.entries), row - self._rows.total)

    def _changed(
        self, anchor: tuple[int, int] | None = None, *, first: Callable[[], int] | None = None
    ) -> None:
        """Make heights exact around the view, then put the view where it belongs, and draw: from the row that
        `first` gives if the view stays where it is, else all of it.
        """
        if not self._width or not self.is_attached:
            return
        top = self.scroll_offset.y
        if self.following:
            self._measure(range(len(self.entries) - 1, -1, -1), screens=2)
            self._place(self._rows.total)
        else:
            entry, above = self._anchor() if anchor is None else anchor
            self._measure(range(entry - 1, -1, -1), screens=1)
            self._measure(range(entry, len(self.entries)), screens=2)
            if entry < len(self.entries):
                above = min(above, self._rows[entry] - 1)
            self._place(self._rows.top(entry) + above)
        if first is None or self.scroll_offset.y != top:
            self.refresh()
        elif (row := max(first(), top)) < top + self.size.height:
            self.refresh_lines(row, top + self.size.height - row)

    def _place(self, row: int) -> None:
        """Scroll so that this row is the first one; rows behind the end mean the end."""
        height = self._rows.total + len(self._tail)
        self._placing = True
        try:
            if self.virtual_size != (self._width, height):
                self.virtual_size = Size(self._width, height)
            self.scroll_to(y=max(0, min(row, self.max_scroll_y)), animate=False, force=True)
        finally:
            self._placing = False
        if self.is_vertical_scroll_end:
            # With less than a screen of lines there is no end to be at, and nothing to have missed.
            self.following = self.following or (self.FOLLOWS_END and self.max_scroll_y > 0)
            self._set_unseen(0)

    def _measure(self, entries: range, *, screens: int) -> None:
        rows = screens * max(1, self.size.height)
        self._rows.measure(entries, rows, lambda entry: len(self._rows_of(entry)))

    def _scroll_rows(self, rows: int) -> None:
        self._scroll_to_row(self.scroll_offset.y + rows)

    def _scroll_to_row(self, row: int) -> None:
        self.scroll_to(y=max(0, min(row, self.max_scroll_y)), animate=False, force=True)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        event.stop()
        event.prevent_default()
        self._scroll_rows(rows)

    def _bring_cursor_into_sight(self) -> None:
        assert self.cursor is not None
        top, height = self._rows.top(self.cursor), self._rows[self.cursor]
        if top < self.scroll_offset.y:
            self._scroll_to_row(top)
        elif top + height > self.scroll_offset.y + self.size.height:
            self._scroll_to_row(min(top, top + height - self.size.height))

    def _set_unseen(self, count: int) -> None:
        if count != self.unseen:
            self.unseen = count
            if self.is_attached:
                self.post_message(self.UnseenChanged(count))
