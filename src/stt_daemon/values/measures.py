"""Percentages and quantities with a unit. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from stt_daemon.values.amounts import amounts, sign
from stt_daemon.values.candidates import Mention
from stt_daemon.values.numbers import Number, Numbers
from stt_daemon.values.tokens import DASHES, Tokens
from stt_daemon.values.typed import Percentage, Quantity


def percentages(tokens: Tokens, numbers: Numbers) -> list[Mention]:
    """Parts of a hundred. Percentage points are another thing and have no value."""
    return amounts(tokens, numbers, _percentage)


def _percentage(tokens: Tokens, numbers: Numbers, number: Number) -> Mention | None:
    end = number.end
    if tokens.form(end) in ("percentage", "percent") and tokens.form(end + 1) in ("point", "points"):
        return Mention(number.start, end + 2, None, "percentage points")
    if tokens.form(end) in ("%", "percent", "pct"):
        end += 1
    elif tokens.says(end, "per", "cent"):
        end += 2
    else:
        return None
    signed = sign(tokens, numbers, number)
    if signed is None or number.value is None:
        return Mention(number.start, end, None, number.why or "a minus or a dash")
    return Mention(signed[0], end, Percentage(signed[1] * number.value))


_UNITS = {
    name: names.split()[0]
    for names in (
        "kg kilo kilos kilogram kilograms kilogramme kilogrammes",
        "g gram grams gramme grammes",
        "mg milligram milligrams",
        "t tonne tonnes",
        "ton tons",
        "lb lbs",
        "oz ounce ounces",
        "km kilometer kilometers kilometre kilometres",
        "m meter meters metre metres",
        "cm centimeter centimeters centimetre centimetres",
        "mm millimeter millimeters millimetre millimetres",
        "mi mile miles",
        "ft foot feet",
        "in inch inches",
        "yd yard yards",
        "l liter liters litre litres",
        "ml milliliter milliliters millilitre millilitres",
        "gal gallon gallons",
        "kB kilobyte kilobytes kb",
        "MB megabyte megabytes mb",
        "GB gigabyte gigabytes gb gig gigs",
        "TB terabyte terabytes tb",
        "Hz hertz hz",
        "kHz kilohertz khz",
        "MHz megahertz mhz",
        "GHz gigahertz ghz",
        "W watt watts",
        "kW kilowatt kilowatts kw",
        "kWh kwh",
        "V volt volts",
        "pallets pallet",
        "boxes box",
        "cases case",
        "pieces piece",
        "units unit",
        "pages page",
        "people",
        "seats seat",
        "licences licence license licenses",
        "servers server",
    )
    for name in names.split()
    if name not in ("in", "t", "m", "l", "W", "V", "g")  # a word or a letter that is mostly something else
}


def quantities(tokens: Tokens, numbers: Numbers, extra: Mapping[str, str] | None = None) -> list[Mention]:
    """Amounts of a known unit; `extra` maps more unit words, in lower case, to how the unit is written."""
    units = {**_UNITS, **(extra or {})}

    def read(tokens: Tokens, numbers: Numbers, number: Number) -> Mention | None:
        end = number.end
        if tokens.form(end) in DASHES and tokens.form(end + 1) in units and tokens.joined(end + 1):
            end += 1  # "a 20-foot container"
        if tokens.form(end) in ("pound", "pounds") and "pounds" not in units:
            return Mention(number.start, end + 1, None, "pounds may be money or weight")
        unit = units.get(tokens.form(end))
        if unit is None:
            return None
        signed = sign(tokens, numbers, number)
        if signed != (number.start, 1) or number.value is None:
            return Mention(number.start, end + 1, None, number.why or "a minus or a dash")
        if tokens.form(end + 1) in ("per", "/"):
            return Mention(number.start, end + 1, None, "a rate, not an amount")
        return Mention(number.start, end + 1, Quantity(number.value, unit))

    return amounts(tokens, numbers, read)
