"""The transcript pane: what was said, what is being said, gaps and marks, and searching in them.

Owned by the interface's loop. Lines stay as long as the interface runs; a new session adds to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message as TextualMessage
from textual.widgets import Input

from stt_daemon.apps.tui import transcript_lines
from stt_daemon.apps.tui.line_input import LineInput
from stt_daemon.apps.tui.lines_view import LinesView
from stt_daemon.apps.tui.rows import Span
from stt_daemon.apps.tui.search import Search
from stt_daemon.apps.tui.text import label
from stt_daemon.apps.tui.transcript_lines import TranscriptLine, line_of, place_of, rule
from stt_daemon.apps.tui.wrap import Row
from stt_daemon.domain import Gap, Utterance
from stt_daemon.messages import (
    GapMarked,
    LagChanged,
    Marked,
    Message,
    PartialHeard,
    SessionChanged,
    SpeechChanged,
    UtteranceFinished,
)
from stt_daemon.sessions.marks import Mark

_SAME_T0_S = 0.001


class TranscriptView(LinesView[TranscriptLine]):
    """The lines, and the partial text below them."""

    def __init__(self, *, follow: bool = True) -> None:
        super().__init__(follow=follow)
        self.partial: PartialHeard | None = None
        self.search = Search()

    def layout_entry(self, entry: TranscriptLine, width: int) -> Sequence[Row]:
        return transcript_lines.layout(entry, width)

    def layout_tail(self, width: int) -> Sequence[Row]:
        return transcript_lines.layout_partial(self.partial, width) if self.partial else ()

    def extent(self, entry: TranscriptLine) -> int:
        return transcript_lines.extent(entry)

    def copied(self, entry: TranscriptLine) -> str:
        return transcript_lines.copied(entry)

    def spans(self, entry: int, row: Row) -> Iterable[Span]:
        style = "match-here" if entry == self.search.here else "match"
        return [Span(start, end, style) for start, end in self.search.spans(row.text)]

    def add(self, line: TranscriptLine) -> None:
        position = place_of(self.entries, line)
        self.search.inserted(position, line)
        self.insert(position, line)

    def show_partial(self, partial: PartialHeard | None) -> None:
        if partial != self.partial:
            self.partial = partial
            self.tail_changed()


class TranscriptPane(Vertical):
    """The pane with its border, its search line and what both say."""

    DEFAULT_CSS = """
    TranscriptPane {
        border: round $panel;
        border-title-color: $text-muted;
        border-subtitle-color: $text-warning;
        border-subtitle-style: bold;
        padding: 0 0 0 1;
        &:focus-within { border: round $primary; border-title-color: $text; }
    }
    TranscriptPane > #search { display: none; }
    TranscriptPane.-searching > #search { display: block; }
    """
    BORDER_TITLE: ClassVar[str] = "Transcript"

    class Unseen(TextualMessage):
        """The number of lines below what is in sight changed."""

        def __init__(self, count: int) -> None:
            super().__init__()
            self.count = count

    def __init__(self, *, follow: bool = True, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.view = TranscriptView(follow=follow)
        self._query = LineInput(placeholder="search", id="search", compact=True)
        self._clocks: dict[str, str] = {}
        self._by_id: dict[str, TranscriptLine] = {}
        self._session = ""
        self._seq = 0
        self._speaking = False

    def compose(self) -> ComposeResult:
        yield self.view
        yield self._query

    # What happened

    def load(self, lines: Iterable[Utterance | Gap], marks: Iterable[Mark] = ()) -> None:
        """Begin with what the session's files hold."""
        self._by_id.clear()
        entries = transcript_lines.ordered(lines, marks)
        for line in entries:
            self._know(line)
        self.view.search.reset(entries)
        self.view.set_entries(entries)

    def show(self, message: Message) -> None:
        """Take in a message; those that are not about the transcript change nothing."""
        if isinstance(message, UtteranceFinished):
            self._add(message)
            partial = self.view.partial
            if partial is not None and message.t0 >= partial.t0 - _SAME_T0_S:
                self.view.show_partial(None)
        elif isinstance(message, PartialHeard):
            self.view.show_partial(message)
        elif isinstance(message, GapMarked):
            self._add(message)
        elif isinstance(message, Marked):
            self.view.add(line_of(message))
        elif isinstance(message, SessionChanged):
            self._session_changed(message)
        elif isinstance(message, SpeechChanged):
            self._speaking = message.state == "start"
        elif isinstance(message, LagChanged) and message.seconds == 0 and not self._speaking:
            # Nothing is open and nothing waits: what the partial announced turned out to be no words.
            self.view.show_partial(None)

    def clock_of(self, utterance: str) -> str:
        """HH:MM:SS of a line of the present session; "" for one that is not there."""
        line = self._by_id.get(utterance)
        return line.clock if line else ""

    # What the user wishes

    def jump(self, utterance: str) -> bool:
        """Bring a line of the present session into sight; False if it is not there."""
        line = self._by_id.get(utterance)
        if line is None:
            return False
        self.view.show_entry(self.view.entries.index(line))
        return True

    def line_text(self) -> str:
        """What `y` copies."""
        return self.view.line_text()

    def open_search(self) -> None:
        self.add_class("-searching")
        self._query.focus()
        self._query.action_select_all()

    def close_search(self) -> None:
        self.view.search.clear()
        self.remove_class("-searching")
        self.view.focus()
        self.view.refresh()
        self._tell()

    def find(self, query: str) -> int:
        """Search, bring the nearest match upwards into sight, and say how many there are."""
        search = self.view.search
        sight = self.view.in_sight()
        search.start(query, self.view.entries, before=sight.stop or len(self.view.entries))
        self._show_match()
        return len(search)

    def find_next(self, step: int = 1) -> None:
        """The next match below, or with -1 above; from the last it goes on with the first."""
        self.view.search.move(step)
        self._show_match()

    # Inside

    def _add(self, message: UtteranceFinished | GapMarked) -> None:
        if message.seq <= self._seq:
            return
        line = line_of(message)
        self._know(line)
        self.view.add(line)

    def _know(self, line: TranscriptLine) -> None:
        self._seq = max(self._seq, line.seq)
        if line.id:
            self._by_id[line.id] = line

    def _session_changed(self, message: SessionChanged) -> None:
        if message.state == "closed" or message.id == self._session:
            return
        if self._session:
            self._by_id.clear()
            self._seq = 0
            self.view.show_partial(None)
            self.view.add(rule(message.id))
        self._session = message.id

    def _show_match(self) -> None:
        here = self.view.search.here
        if here is not None:
            self.view.show_entry(here)
        self.view.refresh()
        self._tell()

    def _tell(self) -> None:
        unseen, search = self.view.unseen, self.view.search
        parts = [search.told()] if search.query else []
        if unseen:
            parts.append(f"{unseen} new ↓")
        self.border_subtitle = label(" · ".join(parts)) if parts else None

    @on(LinesView.UnseenChanged)
    def _unseen_changed(self, event: LinesView.UnseenChanged) -> None:
        event.stop()
        self._tell()
        self.post_message(self.Unseen(event.count))

    @on(Input.Changed, "#search")
    def _query_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.find(event.value)

    @on(Input.Submitted, "#search")
    def _query_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.find_next(-1)

    def on_key(self, event: events.Key) -> None:
        if not self._query.has_focus:
            return
        if event.key in ("down", "up"):
            self.find_next(1 if event.key == "down" else -1)
        elif event.key == "escape":
            self.close_search()
        else:
            return
        event.stop()

    def on_click(self, event: events.Click) -> None:
        """The badge is in the border."""
        if self.view.unseen and event.get_content_offset(self) is None:
            self.view.go_to_end()
