"""How somebody feels about what they say: −1 to 1, with degree and negation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claudemem_edge.language.pack import Language, Scan
    from claudemem_edge.shapes.reading import Span

REACH_CHARS = {True: 4, False: 16}
"""How far before a word its degree or negation may stand, in characters, by whether words are joined."""


def weigh(
    folded: str, spans: Sequence[Span], scan: Scan, language: Language
) -> tuple[list[float], list[tuple[str, Span]]]:
    """Return the attitude of each clause, and the words it was read from with where."""
    words = scan.spans("attitude")
    if not words:
        return [0.0] * len(spans), []
    shifts = scan.spans("degrees")
    reach = REACH_CHARS[language.joined]
    sums = [0.0] * len(spans)
    fired: list[tuple[str, Span]] = []
    for start, end, value in words:
        weight = float(value)
        at = next((at for at, (first, last) in enumerate(spans) if first <= start and end <= last), None)
        if not weight or at is None:
            continue
        sums[at] += weight * _shift(folded, max(spans[at][0], start - reach), start, shifts)
        fired.append((f"attitude.{value}", (start, end)))
    return [round(max(-1.0, min(1.0, total)), 2) for total in sums], fired


def _shift(folded: str, first: int, start: int, shifts: Sequence[tuple[int, int, str]]) -> float:
    """Return the product of the degree and negation words between `first` and the word at `start`."""
    factor = 1.0
    for shift_start, shift_end, value in shifts:
        if first <= shift_start and shift_end <= start and "," not in folded[shift_end:start]:
            factor *= float(value)
    return factor


def overall(attitudes: Sequence[float]) -> float:
    """Return the attitude of an utterance: the mean of the clauses that have one."""
    felt = [attitude for attitude in attitudes if attitude]
    return round(sum(felt) / len(felt), 2) if felt else 0.0
