"""The colours: a dark and a light theme of our own, besides all that Textual brings. Pure.

Calm: one hue for what can be acted on, warm colours only for what wants attention.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="dark",
    dark=True,
    primary="#6ea8c8",
    secondary="#8fb8a8",
    accent="#9db7d6",
    foreground="#d5dae0",
    background="#14171b",
    surface="#1a1e23",
    panel="#23282f",
    success="#7fb98a",
    warning="#dcae62",
    error="#d3605f",
)
LIGHT = Theme(
    name="light",
    dark=False,
    primary="#2a6a8f",
    secondary="#2f6f5c",
    accent="#35608f",
    foreground="#23282e",
    background="#fbfaf7",
    surface="#f3f1ec",
    panel="#e6e3dc",
    success="#2f7a45",
    warning="#9a6200",
    error="#b3322f",
)
NO_COLOUR = "no-colour"
"""No theme of Textual's, but a filter over the dark one; NO_COLOR in the environment asks for it too."""

_SPELLINGS = {"no-color": NO_COLOUR, "none": NO_COLOUR, "textual": "textual-dark"}


def theme_name(configured: str) -> str:
    """The name under which the theme is known here."""
    return _SPELLINGS.get(configured, configured)
