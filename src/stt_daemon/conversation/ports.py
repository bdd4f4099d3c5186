"""What this room needs from outside, and the plain form of what it hands out. Any thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Role = Literal["system", "user", "assistant"]


class TokenCounter(Protocol):
    """How many tokens a text costs the model. May ask a server, so it is never called by the core's loop.

    The result need not be exact or additive: every request is measured once more in its final form.
    """

    def __call__(self, text: str, /) -> int: ...


@dataclass(frozen=True)
class PromptMessage:
    """One message of a request, in the order in which it is sent."""

    role: Role
    content: str
