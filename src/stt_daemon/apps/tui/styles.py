"""The styles of everything that is drawn in lines, by name. One place, so that panes look alike.

Colours come from the theme, but for the clock: it is cyan, in the shade the theme's terminal palette has.
"""

from __future__ import annotations

_STYLES = {
    "time": "color: ansi_cyan; text-style: bold;",
    "speaker": "color: $text-secondary;",
    "tentative": "text-style: dim;",
    "quiet": "color: $text-muted;",
    "gap": "color: $text-warning;",
    "mark": "color: $text-accent; text-style: bold;",
    "match": "background: $warning 40%;",
    "match-here": "background: $warning; color: $background; text-style: bold;",
    "cursor": "background: $primary 30%;",
    "you": "color: $text-primary; text-style: bold;",
    "assistant": "color: $text-accent; text-style: bold;",
    "strong": "text-style: bold;",
    "emphasis": "text-style: italic;",
    "code": "color: $text-success;",
    "cite": "color: $text-accent; text-style: underline;",
    "cite-here": "color: $text-accent; text-style: bold reverse;",
    "bar": "color: $accent;",
    "bar-rest": "color: $text-muted; text-style: dim;",
    "flag": "color: $text-warning; text-style: bold;",
    "error": "color: $text-error;",
    "heading": "text-style: bold;",
}


def component(name: str) -> str:
    """The CSS class behind a style's name."""
    return f"lines--{name}"


COMPONENTS = {component(name) for name in _STYLES}
COMPONENT_CSS = "".join(f"LinesView > .{component(name)} {{ {rules} }}\n" for name, rules in _STYLES.items())
