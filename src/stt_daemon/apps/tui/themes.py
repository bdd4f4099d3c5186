"""The colours: a dark and a light theme of our own, besides all that Textual brings. Pure.

Calm: one hue for what can be acted on, warm colours only for what wants attention. All are colours of the
256 that every terminal has, so that one without true colours shows the same.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="dark",
    dark=True,
    primary="#5fafd7",
    secondary="#87afaf",
    accent="#87afd7",
    foreground="#d0d0d0",
    background="#121212",
    surface="#1c1c1c",
    panel="#262626",
    success="#87af87",
    warning="#d7af5f",
    error="#d75f5f",
)
LIGHT = Theme(
    name="light",
    dark=False,
    primary="#005f87",
    secondary="#005f5f",
    accent="#005faf",
    foreground="#262626",
    background="#ffffff",
    surface="#f5f5f5",
    panel="#e4e4e4",
    success="#00875f",
    warning="#af5f00",
    error="#af0000",
)
NO_COLOUR = "no-colour"
"""No theme of Textual's, but a filter over the dark one; NO_COLOR in the environment asks for it too."""

_SPELLINGS = {"no-color": NO_COLOUR, "none": NO_COLOUR, "textual": "textual-dark"}


def theme_name(configured: str) -> str:
    """The name under which the theme is known here."""
    return _SPELLINGS.get(configured, configured)
