"""What a value can be. Each has two forms: `str(value)` for people, `plain` for files and programs. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal

Kind = Literal["instant", "duration", "money", "percentage", "quantity", "temperature", "identifier"]

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def number(value: Decimal) -> str:
    """Without an exponent and without zeros that say nothing."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True)
class Instant:
    """A moment, aware of its time zone, to the second."""

    at: datetime

    def __str__(self) -> str:
        at = self.at
        half = "AM" if at.hour < 12 else "PM"
        day = f"{_DAYS[at.weekday()]} {_MONTHS[at.month - 1]} {at.day}"
        return f"{day}, {at.hour % 12 or 12}:{at.minute:02d} {half} {at.tzname() or ''}".rstrip()

    @property
    def plain(self) -> str:
        return self.at.isoformat(timespec="seconds")


@dataclass(frozen=True)
class Duration:
    """A length of time in seconds; weeks and days are exact, months and years are never read."""

    seconds: Decimal

    def __str__(self) -> str:
        parts, rest = [], self.seconds
        for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
            amount, rest = divmod(rest, size)
            if amount:
                parts.append(f"{number(amount)} {name}{'s' if amount != 1 else ''}")
        if rest:
            parts.append(f"{number(rest)} second{'s' if rest != 1 else ''}")
        return " ".join(parts) or "0 seconds"

    @property
    def plain(self) -> str:
        return f"{number(self.seconds)} s"


@dataclass(frozen=True)
class Money:
    """`currency` is an ISO 4217 code, or "$" where only dollars were said: whose dollars is not guessed."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        amount = (
            f"{self.amount:,f}" if self.amount == self.amount.to_integral_value() else f"{self.amount:,.2f}"
        )
        amount = amount.split(".")[0] if self.amount == self.amount.to_integral_value() else amount
        return f"${amount}" if self.currency == "$" else f"{amount} {self.currency}"

    @property
    def plain(self) -> str:
        return f"{number(self.amount)} {self.currency}"


@dataclass(frozen=True)
class Percentage:
    """Of a hundred: 23 is 23 %."""

    value: Decimal

    def __str__(self) -> str:
        return f"{number(self.value)} %"

    @property
    def plain(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Quantity:
    """An amount of a unit, the unit in its shortest usual form."""

    amount: Decimal
    unit: str

    def __str__(self) -> str:
        return f"{number(self.amount)} {self.unit}"

    @property
    def plain(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Temperature:
    """`scale` is "F" or "C"."""

    degrees: Decimal
    scale: str

    def __str__(self) -> str:
        return f"{number(self.degrees)} °{self.scale}"

    @property
    def plain(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Identifier:
    """Letters and digits as they were given, without the blanks between spelled ones."""

    code: str

    def __str__(self) -> str:
        return self.code

    @property
    def plain(self) -> str:
        return self.code


Value = Instant | Duration | Money | Percentage | Quantity | Temperature | Identifier
