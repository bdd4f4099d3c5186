"""The triage pane: the last signals and the brief, or the questions behind them.

Owned by the interface's loop. Only composed when triage is enabled; it shows what events say and feeds
nothing back.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from stt_daemon.apps.tui import triage_lines
from stt_daemon.apps.tui.inference import Inference
from stt_daemon.apps.tui.paragraphs_view import ParagraphsView
from stt_daemon.apps.tui.text import label
from stt_daemon.apps.tui.triage_lines import ClockOf
from stt_daemon.apps.tui.triage_state import Triage
from stt_daemon.messages import LaneChanged, Message


class TriagePane(Vertical):
    """The pane with its border. `clock_of` gives HH:MM:SS for an utterance's id, "" if it is not known."""

    DEFAULT_CSS = """
    TriagePane {
        border: round $panel;
        border-title-color: $text-muted;
        padding: 0 0 0 1;
        &:focus-within { border: round $primary; border-title-color: $text; }
    }
    TriagePane > #questions { display: none; }
    TriagePane.-questions > #questions { display: block; }
    TriagePane.-questions > #readout { display: none; }
    """

    def __init__(self, clock_of: ClockOf = lambda _: "", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.view = ParagraphsView(id="readout")
        self.questions = ParagraphsView(id="questions")
        self.triage = Triage()
        self._clock_of = clock_of
        self._inference = Inference()
        self._draw()

    def compose(self) -> ComposeResult:
        yield self.view
        yield self.questions

    def show(self, message: Message) -> None:
        """Take in a message; those that are not about triage or the LLM lane change nothing."""
        if isinstance(message, LaneChanged):
            if self._inference.follow(message):
                self._set_title()
        elif self.triage.follow(message):
            self._draw()

    def toggle_questions(self) -> None:
        """Swap to the questions, and back."""
        had_focus = self.view.has_focus or self.questions.has_focus
        self.toggle_class("-questions")
        self._set_title()
        if had_focus:
            self.front.focus()

    @property
    def front(self) -> ParagraphsView:
        """The view that can be seen."""
        return self.questions if self.has_class("-questions") else self.view

    def line_text(self) -> str:
        """What `y` copies: the line under the cursor, else all that is shown."""
        view = self.front
        if view.cursor is None:
            return "\n".join(map(view.copied, view.entries))
        return view.line_text()

    def _draw(self) -> None:
        self.view.set_entries(triage_lines.readout(self.triage, self._clock_of))
        self.questions.set_entries(triage_lines.questions_view(self.triage))
        self._set_title()

    def _set_title(self) -> None:
        name = "Questions" if self.has_class("-questions") else "Triage"
        self.border_title = label(f"{name} {self._inference.told()}")
