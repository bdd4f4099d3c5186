"""Money: a number with a currency. Pure."""

from __future__ import annotations

from decimal import Decimal

from stt_daemon.values.amounts import amounts
from stt_daemon.values.candidates import Mention
from stt_daemon.values.numbers import Number, Numbers
from stt_daemon.values.tokens import DASHES, Tokens, word_set
from stt_daemon.values.typed import Money

_SYMBOLS = {"$": "$", "€": "EUR", "£": "GBP", "¥": "JPY"}
_DOLLARS = {"us": "USD", "ca": "CAD", "c": "CAD", "a": "AUD", "au": "AUD", "nz": "NZD", "hk": "HKD"}
_WHOSE = {"us": "USD", "american": "USD", "canadian": "CAD", "australian": "AUD"}
_CURRENCIES = {
    **dict.fromkeys(("dollar", "dollars", "buck", "bucks"), "$"),
    **dict.fromkeys(("euro", "euros", "eur", "€"), "EUR"),
    **dict.fromkeys(("quid", "gbp"), "GBP"),
    **dict.fromkeys(("yen", "jpy"), "JPY"),
    **{code: code.upper() for code in ("usd", "cad", "aud", "nzd", "chf", "sek", "nok", "dkk", "inr", "cny")},
}
_LARGE = {"m": 10**6, "mm": 10**6, "mn": 10**6, "mio": 10**6, "bn": 10**9, "b": 10**9}
_RATES = word_set(
    "per each apiece hourly daily weekly monthly yearly annually / hour day week month year annum piece head"
)


def money(tokens: Tokens, numbers: Numbers) -> list[Mention]:
    """Amounts with a currency. A rate ("$50 an hour") and "pounds", which may be weight, have no value."""
    return amounts(tokens, numbers, _money)


def _money(tokens: Tokens, numbers: Numbers, number: Number) -> Mention | None:
    start, end, value = number.start, number.end, number.value
    currency = _SYMBOLS.get(tokens.form(start - 1), "")
    if currency:
        start -= 1
        if tokens.joined(start) and tokens.form(start - 1) in _DOLLARS and currency == "$":
            currency, start = _DOLLARS[tokens.form(start - 1)], start - 1
    if tokens.form(end) in _LARGE and tokens.joined(end) and value is not None:
        if not currency and tokens.form(end + 1) not in _CURRENCIES:
            return None
        value, end = value * _LARGE[tokens.form(end)], end + 1
    if tokens.form(end) in _WHOSE and tokens.form(end + 1) in ("dollar", "dollars"):
        currency, end = _WHOSE[tokens.form(end)], end + 2
    elif tokens.form(end) in _CURRENCIES:
        named = _CURRENCIES[tokens.form(end)]
        if currency and "$" not in (currency, named) and named != currency:
            return Mention(start, end + 1, None, "two currencies")
        currency, end = (named if named != "$" or not currency else currency), end + 1
        value, end = _with_cents(tokens, numbers, value, end)
    if not currency:
        return _open_money(tokens, number)
    why = number.why
    if tokens.form(start - 1) in ("minus", "negative") or (tokens.form(start - 1) in DASHES):
        why = why or "a minus or a dash"
    if tokens.form(end) in _RATES or (tokens.form(end) in ("a", "an") and tokens.form(end + 1) in _RATES):
        why = why or "a rate, not an amount"
    return Mention(start, end, None if why or value is None else Money(value, currency), why)


def _open_money(tokens: Tokens, number: Number) -> Mention | None:
    """Money whose currency nobody named, or that may be something else."""
    unit = tokens.form(number.end)
    if unit in ("grand", "cents", "cent"):
        return Mention(number.start, number.end + 1, None, "the currency is not named")
    if unit in ("pound", "pounds"):
        if tokens.form(number.end + 1) == "sterling" and number.value is not None:
            return Mention(number.start, number.end + 2, Money(number.value, "GBP"))
        return Mention(number.start, number.end + 1, None, "pounds may be money or weight")
    return None


def _with_cents(
    tokens: Tokens, numbers: Numbers, value: Decimal | None, end: int
) -> tuple[Decimal | None, int]:
    """ "Five dollars and fifty cents"."""
    cents = numbers.starting.get(end + 1 if tokens.form(end) == "and" else end)
    if cents is None or tokens.form(cents.end) not in ("cent", "cents"):
        return value, end
    if value is None or cents.value is None or not 0 < cents.value < 100:
        return None, cents.end + 1
    return value + cents.value / 100, cents.end + 1
