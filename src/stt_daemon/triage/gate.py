"""Whether a classification found something new enough for a brief. Pure.

Fail-open: without a usable answer the brief is asked for. Words that were said are not to be lost because a
classifier was unsure.
"""

from __future__ import annotations

import math

GATE_QUESTION = "substantive_update"
"""The question whose answer decides; a questions file without it has no gate."""


def gate_passes(p: object, *, enabled: bool, threshold: float) -> bool:
    """`p`: what the question was answered with, None when it was not."""
    if not enabled or isinstance(p, bool) or not isinstance(p, int | float) or not math.isfinite(p):
        return True
    return p >= threshold
