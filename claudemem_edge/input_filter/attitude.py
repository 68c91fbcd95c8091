"""How somebody feels about what they say: −1 to 1, with degree and negation."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from claudemem_edge.language.pack import Language, Scan
    from claudemem_edge.shapes.reading import Span

REACH_CHARS = {True: 4, False: 16}
"""How far before a word its degree or negation may stand, in characters, by whether words are joined."""


def weigh(
    folded: str, spans: Sequence[Span], scan: Scan, language: Language
) -> tuple[list[float], list[tuple[str, Span]]]:
    """Return the attitude of each clause, and the words it was read from with where."""
    words = scan.spans("attitude")
    sums = [0.0] * len(spans)
    fired: list[tuple[str, Span]] = []
    if not words:
        return sums, fired
    starts = [start for start, _ in spans]
    shifts = scan.spans("degrees")
    shift_starts = [start for start, _, _ in shifts]
    reach = REACH_CHARS[language.joined]
    for start, end, value in words:
        weight = float(value)
        at = bisect_right(starts, start) - 1
        if weight and at >= 0 and end <= spans[at][1]:
            first = bisect_left(shift_starts, max(starts[at], start - reach))
            last = bisect_left(shift_starts, start)
            sums[at] += weight * _shift(folded, shifts[first:last], start)
            fired.append((f"attitude.{value}", (start, end)))
    return [round(max(-1.0, min(1.0, total)), 2) for total in sums], fired


def _shift(folded: str, shifts: Iterable[tuple[int, int, str]], start: int) -> float:
    """Return the product of the degree and negation words before the word at `start`."""
    factor = 1.0
    for _, end, value in shifts:
        if end <= start and "," not in folded[end:start]:
            factor *= float(value)
    return factor


def overall(attitudes: Sequence[float]) -> float:
    """Return the attitude of an utterance: the mean of the clauses that have one."""
    felt = [attitude for attitude in attitudes if attitude]
    return round(sum(felt) / len(felt), 2) if felt else 0.0
