"""An API key that cannot be shown by accident. Immutable, safe from any thread."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

_HIDDEN = "***"


class Secret:
    """Holds the key; every textual form of the object hides it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value.strip()

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Secret({_HIDDEN if self._value else ''})"

    __str__ = __repr__

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a secret is not pickled")

    def reveal(self) -> str:
        """The key itself, for the one header that carries it."""
        return self._value

    def fits_a_header(self) -> bool:
        """Whether the key is printable ASCII without blanks."""
        return all(0x21 <= ord(character) <= 0x7E for character in self._value)

    def redact(self, text: str) -> str:
        """The text with every copy of the key hidden: servers like to quote it back."""
        if not self._value:
            return text
        for form in (self._value, quote(self._value, safe=""), repr(self._value)[1:-1]):
            text = text.replace(form, _HIDDEN)
        return text

    def redacted(self, value: Any) -> Any:
        """A copy of JSON-able data with every copy of the key hidden, in names too."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict):
            return {self.redact(name): self.redacted(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.redacted(inner) for inner in value]
        return value
