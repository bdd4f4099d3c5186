"""The summary tab: the rolling summary, then the latest words that are not in it yet.

Owned by the interface's loop.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from stt_daemon.apps.tui.markdown import Paragraph, plain_paragraphs
from stt_daemon.apps.tui.paragraphs_view import ParagraphsView
from stt_daemon.apps.tui.wrap import Piece
from stt_daemon.messages import Message, SummaryChanged


class SummaryPane(Vertical):
    """The pane with its border."""

    DEFAULT_CSS = """
    SummaryPane {
        border: round $panel;
        border-title-color: $text-muted;
        padding: 0 0 0 1;
        &:focus-within { border: round $primary; border-title-color: $text; }
    }
    """
    BORDER_TITLE = "Summary"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.view = ParagraphsView()
        self.view.set_entries(summary_lines("", ""))

    def compose(self) -> ComposeResult:
        yield self.view

    def show(self, message: Message) -> None:
        """Take in a message; only a summary changes anything."""
        if isinstance(message, SummaryChanged):
            self.view.set_entries(summary_lines(message.summary, message.recent))

    def line_text(self) -> str:
        """What `y` copies: the line under the cursor, else all that is shown."""
        if self.view.cursor is None:
            return "\n".join(map(self.view.copied, self.view.entries))
        return self.view.line_text()


def summary_lines(summary: str, recent: str) -> list[Paragraph]:
    """The two parts, and never nothing."""
    lines = plain_paragraphs(summary.strip()) if summary.strip() else []
    if recent.strip():
        lines += [Paragraph(())] if lines else []
        lines.append(Paragraph((Piece("Since then", "heading"),)))
        lines += plain_paragraphs(recent.strip(), "quiet")
    return lines or [Paragraph((Piece("nothing summed up yet", "quiet"),))]
