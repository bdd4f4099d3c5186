"""The report of a calibration: a table, and a reliability plot as SVG. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from stt_daemon.values.calibration import Counts, Fit

BINS = 10
_SIZE, _MARGIN = 400, 44


def table(fit: Fit) -> str:
    """Markdown: one line a field and set of cases, one column a recording."""
    recordings = max((len(one.fitted) for one in fit.fields), default=0)
    heads = [f"Recording {n}" for n in range(1, recordings + 1)]
    lines = [
        f"Seed {fit.seed}. Accepted positives of all, and wrong values.",
        "",
        "| Field | Present | Guard | Set | " + " | ".join(heads) + " |",
        "| --- " * (4 + recordings) + "|",
    ]
    for one in fit.fields:
        limits = (f"{one.chosen.present:.2f}", f"{one.chosen.guard:.2f}") if one.chosen else ("none", "none")
        for name, counts in (("fitted", one.fitted), ("held out", one.held_out)):
            cells = [one.field, *limits, name, *(_cell(count) for count in counts)]
            lines.append("| " + " | ".join(cells) + " |")
    without = [one.field for one in fit.fields if one.chosen is None]
    if without:
        lines += ["", f"No setting without a wrong value: {', '.join(without)}. Their thresholds stay."]
    return "\n".join(lines) + "\n"


def reliability(points: Sequence[tuple[float, bool]]) -> list[tuple[float, float, int]]:
    """For each tenth of the probabilities that has any: their mean, the share that was right, how many."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for chance, right in points:
        if 0 <= chance <= 1:
            bins[min(int(chance * BINS), BINS - 1)].append((chance, right))
    return [
        (
            sum(chance for chance, _ in held) / len(held),
            sum(right for _, right in held) / len(held),
            len(held),
        )
        for held in bins
        if held
    ]


def plot(points: Sequence[tuple[float, bool]]) -> str:
    """An SVG picture: on the diagonal, what is said with 70 % is true in 70 % of the cases."""
    dots = reliability(points)
    most = max((number for _, _, number in dots), default=1)
    edge = _SIZE - _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SIZE}" height="{_SIZE}" '
        f'viewBox="0 0 {_SIZE} {_SIZE}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_SIZE}" height="{_SIZE}" fill="white"/>',
        f'<path d="M{_MARGIN} {_MARGIN}V{edge}H{edge}" fill="none" stroke="#444"/>',
        f'<path d="M{_MARGIN} {edge}L{edge} {_MARGIN}" stroke="#aaa" stroke-dasharray="4 4"/>',
        f'<text x="{_SIZE / 2:.0f}" y="{_SIZE - 8}" text-anchor="middle">probability of yes</text>',
        f'<text x="14" y="{_SIZE / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {_SIZE / 2:.0f})">share that was right</text>',
    ]
    for tick in (0.0, 0.5, 1.0):
        x, y = _place(tick, tick)
        parts.append(f'<text x="{x:.0f}" y="{edge + 16}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{_MARGIN - 6}" y="{y + 4:.0f}" text-anchor="end">{tick:g}</text>')
    for chance, share, number in dots:
        x, y = _place(chance, share)
        radius = 3 + 9 * (number / most) ** 0.5
        title = f"{number} answers, mean {chance:.2f}, right {share:.2f}"
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#2a6" fill-opacity="0.7">'
            f"<title>{title}</title></circle>"
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _place(chance: float, share: float) -> tuple[float, float]:
    length = _SIZE - 2 * _MARGIN
    return _MARGIN + chance * length, _SIZE - _MARGIN - share * length


def _cell(counts: Counts) -> str:
    return (
        f"{counts.accepted}/{counts.positives}, {counts.wrong} wrong of {counts.positives + counts.negatives}"
    )
