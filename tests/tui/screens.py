"""Runs panes in an app without a terminal, reads what is drawn, and compares it with what was kept.

A kept screen is a text file: the characters, then for each line the style of every column as a letter, then
what the letters mean. Renew them with `pytest tests/tui --renew-screens`, and look at the difference.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from string import ascii_letters

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

KEPT = Path(__file__).parent / "kept"


class PaneApp(App[None]):
    """Shows some panes one below the other, and keeps what they post upwards."""

    def __init__(self, *panes: Widget) -> None:
        super().__init__()
        self.panes = panes
        self.posted: list[Message] = []

    def compose(self) -> ComposeResult:
        yield from self.panes

    def on_jump_to(self, message: Message) -> None:
        self.posted.append(message)

    def on_line_entered(self, message: Message) -> None:
        self.posted.append(message)


def in_app(
    *panes: Widget, size: tuple[int, int] = (80, 24), do: Callable[[Pilot[None]], Awaitable[None]]
) -> PaneApp:
    """Run the panes at a size, and do something with them."""
    app = PaneApp(*panes)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await do(pilot)

    asyncio.run(run())
    return app


def lines_of(app: App[None]) -> list[str]:
    """The characters on the screen, line by line."""
    return ["".join(segment.text for segment in line).rstrip() for line in _drawn(app)]


def widths_of(app: App[None]) -> set[int]:
    """The widths that the lines of the screen have; more than one means columns have moved."""
    return {sum(cell_len(segment.text) for segment in line) for line in _drawn(app)}


def written_by(app: App[None]) -> str:
    """Everything a full repaint sends to the terminal."""
    update = app.screen._compositor.render_full_update()
    return update.render_segments(app.console)


def colours_of(app: App[None]) -> set[tuple[int, int, int]]:
    """The red, green and blue of every colour on the screen."""
    styles = [segment.style for line in _drawn(app) for segment in line if segment.style]
    colours = [colour for style in styles for colour in (style.color, style.bgcolor) if colour]
    return {tuple(colour.get_truecolor()) for colour in colours if not colour.is_default}  # type: ignore[misc]


def check_screen(app: App[None], name: str, renew: bool) -> None:
    """Compare the screen, characters and styles, with the kept one."""
    found = _described(app)
    path = KEPT / f"{name}.txt"
    if renew:
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    elif not path.exists():
        pytest.fail(f"{path.name} is not kept yet: pytest tests/tui --renew-screens")
    assert found == path.read_text(encoding="utf-8")


def _described(app: App[None]) -> str:
    letters: dict[str, str] = {}
    text, styles = [], []
    for line in _drawn(app):
        text.append("".join(segment.text for segment in line))
        row = ""
        for segment in line:
            style = str(segment.style)
            letter = letters.setdefault(style, ascii_letters[len(letters)])
            row += letter * cell_len(segment.text)
        styles.append(row)
    meanings = [f"{letter} {style}" for style, letter in letters.items()]
    return "\n".join((*(f"|{line}|" for line in text), "", *styles, "", *meanings, ""))


def _drawn(app: App[None]) -> list[list[Segment]]:
    return [
        [
            Segment(segment.text, segment.style.clear_meta_and_links() if segment.style else None)
            for segment in strip
            if segment.text
        ]
        for strip in app.screen._compositor.render_strips()
    ]
