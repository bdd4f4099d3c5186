"""The styles of everything that is drawn in lines, by name. One place, so that panes look alike.

Colours come from the theme, but for the clock: it is cyan, in the shade the theme's terminal palette has.
They are solid, since a style of part of a line cannot be blended with what lies below it.
"""

from __future__ import annotations

_STYLES = {
    "time": "color: ansi_cyan; text-style: bold;",
    "speaker": "color: $text-secondary;",
    "tentative": "text-style: dim;",
    "quiet": "text-style: dim;",
    "gap": "color: $text-warning;",
    "mark": "color: $text-success; text-style: bold;",
    "match": "background: $warning-muted;",
    "match-here": "background: $warning; color: $background; text-style: bold;",
    "cursor": "background: $primary-muted;",
    "you": "color: $text-primary; text-style: bold;",
    "assistant": "color: $text-accent; text-style: bold;",
    "strong": "text-style: bold;",
    "emphasis": "text-style: italic;",
    "code": "color: $text-success;",
    "cite": "color: $text-primary; text-style: underline;",
    "cite-here": "text-style: bold reverse;",
    "bar": "color: $primary;",
    "bar-flagged": "color: $warning;",
    "bar-rest": "text-style: dim;",
    "flag": "color: $text-warning; text-style: bold;",
    "heading": "text-style: bold;",
}


def component(name: str) -> str:
    """The CSS class behind a style's name."""
    return f"lines--{name}"


COMPONENTS = {component(name) for name in _STYLES}
COMPONENT_CSS = "".join(f"LinesView > .{component(name)} {{ {rules} }}\n" for name, rules in _STYLES.items())
