"""Names of time zones. A time whose zone was named is left open: code does not guess which is meant. Pure."""

from __future__ import annotations

import re

from stt_daemon.values.tokens import Tokens, word_set

_ZONES = word_set(
    "est edt cst cdt mst mdt pst pdt akst akdt hst utc gmt zulu cet cest eet eest wet west bst ist jst "
    "msk sgt hkt aest aedt acst awst nzst nzdt"
)
_ZONE_LETTERS = frozenset(("ET", "CT", "MT", "PT", "Z"))
_ZONE_NAMES = frozenset(("eastern", "central", "mountain", "pacific", "atlantic"))
_OFFSET = re.compile(r"[+−-]")


def zone_end(tokens: Tokens, end: int) -> int:
    """Where a time zone ends that stands directly after a time, 0 if none does."""
    form, raw = tokens.form(end), tokens.raw(end)
    if form in ("local",) or form in _ZONES or raw in _ZONE_LETTERS:
        return end + (2 if tokens.form(end + 1) == "time" else 1)
    if form in _ZONE_NAMES:
        end += 1
        end += 1 if tokens.form(end) in ("standard", "daylight") else 0
        return end + (1 if tokens.form(end) == "time" else 0)
    if tokens.is_word(end) and tokens.form(end + 1) == "time":
        return end + 2
    if _OFFSET.fullmatch(raw) and tokens.joined(end) and tokens.joined(end + 1) and tokens.is_digits(end + 1):
        return end + 2 if ":" in tokens.raw(end + 1) and tokens.raw(end + 1).endswith("00") else 0
    return 0


def zone_at(tokens: Tokens, place: int) -> bool:
    """Whether a zone that is known by name stands here: "ten fifteen Pacific"."""
    return tokens.form(place) in _ZONES | _ZONE_NAMES or tokens.raw(place) in _ZONE_LETTERS


def names_zone(tokens: Tokens) -> bool:
    """Whether a zone is named anywhere: "all times Eastern time" may be about any time of the text."""
    return any(
        token.form in _ZONES - {"west", "wet"}
        or token.raw in _ZONE_LETTERS - {"Z"}
        or (token.form in _ZONE_NAMES and tokens.form(n + 1) in ("time", "standard", "daylight"))
        for n, token in enumerate(tokens.items)
    )
