"""Paragraphs that are replaced as a whole: triage, questions, summary. Owned by the interface's loop."""

from __future__ import annotations

from collections.abc import Sequence

from stt_daemon.apps.tui.lines_view import LinesView
from stt_daemon.apps.tui.markdown import Paragraph
from stt_daemon.apps.tui.text import cells
from stt_daemon.apps.tui.wrap import Row


class ParagraphsView(LinesView[Paragraph]):
    """Shows paragraphs from the top, and stays where the user scrolled to when they change."""

    FOLLOWS_END = False

    def layout_entry(self, entry: Paragraph, width: int) -> Sequence[Row]:
        return entry.rows(width)

    def extent(self, entry: Paragraph) -> int:
        return entry.indent + sum(cells(piece.text) for piece in entry.pieces)

    def copied(self, entry: Paragraph) -> str:
        return "".join(piece.text for piece in entry.pieces)
