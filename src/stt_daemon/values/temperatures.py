"""Temperatures: a number with degrees or a scale, or one that can be nothing else. Pure."""

from __future__ import annotations

from stt_daemon.values.amounts import amounts, sign
from stt_daemon.values.candidates import Mention
from stt_daemon.values.numbers import Number, Numbers
from stt_daemon.values.tokens import Tokens, word_set
from stt_daemon.values.typed import Temperature

_SCALES = {
    **dict.fromkeys(("f", "fahrenheit"), "F"),
    **dict.fromkeys(("c", "celsius", "centigrade"), "C"),
    "℉": "F",
    "℃": "C",
}
_DEGREES = frozenset(("°", "º", "degree", "degrees", "deg", "degs"))
_RELATIVE = word_set(
    "above below over under warmer cooler colder hotter higher lower off up down more less apart difference"
)
_CHANGES = frozenset(("by", "up", "down", "another", "within", "plus", "off", "only"))
_CUES = frozenset(("temp", "temps", "temperature"))
_BETWEEN_CUE_AND_NUMBER = frozenset(("is", "at", "of", "reads", "reading", "now", "=", ":", "currently"))


def temperatures(tokens: Tokens, numbers: Numbers, scale: str = "") -> list[Mention]:
    """Temperatures; `scale` ("F" or "C") is meant where none is said. Without it such a one has no value."""

    def read(tokens: Tokens, numbers: Numbers, number: Number) -> Mention | None:
        return _temperature(tokens, numbers, number, scale)

    return amounts(tokens, numbers, read)


def _temperature(tokens: Tokens, numbers: Numbers, number: Number, scale: str) -> Mention | None:
    end, said = number.end, ""
    degrees = tokens.form(end) in _DEGREES
    if degrees:
        end += 1
    if tokens.form(end) in _SCALES and (
        degrees or tokens.joined(end) or len(tokens.form(end)) > 1 or tokens.raw(end).isupper()
    ):
        said, end = _SCALES[tokens.form(end)], end + 1
    if tokens.form(end) == "zero" or (tokens.form(end) == "below" and tokens.form(end + 1) in ("zero", "0")):
        return Mention(number.start, end + 2, None, "below zero is not read")
    signed = sign(tokens, numbers, number)
    if not degrees and not said and not _bare(tokens, number, signed):
        return None
    if tokens.form(end) == "below" and tokens.ends_at(end + 1):
        return Mention(number.start, end + 1, None, "below what is not said")
    if signed is None or number.value is None:
        return Mention(number.start, end, None, number.why or "a minus or a dash")
    start, factor = signed
    why = ""
    if tokens.form(end) in _RELATIVE or tokens.form(start - 1) in _CHANGES:
        why = "a difference, not a temperature"
    elif not said and tokens.form(end - 1) == "degree" and number.value != 1 and not tokens.ends_at(end):
        why = "an angle, or a degree of something"
    elif not (said or scale):
        why = "the scale is not named"
    return Mention(start, end, None if why else Temperature(factor * number.value, said or scale), why)


def _bare(tokens: Tokens, number: Number, signed: tuple[int, int] | None) -> bool:
    """ "Minus ten", "temp is 34": a number alone that can only be a temperature, or is called one."""
    if not tokens.ends_at(number.end):
        return False
    if signed is not None and signed[1] < 0:
        return True
    place = number.start - 1
    while place > number.start - 4 and tokens.form(place) in _BETWEEN_CUE_AND_NUMBER:
        place -= 1
    return tokens.form(place) in _CUES
