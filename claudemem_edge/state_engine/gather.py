"""Short sentences of one breath are kept as one statement: a record costs more than its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.shapes.digest import TOGETHER_CHARS
from claudemem_edge.shapes.reading import Clause

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.shapes.reading import Reading, Span

BETWEEN_CHARS = 3
"""An end mark and a blank or two: more than that between two clauses was cut for a reason."""


def gathered(reading: Reading) -> Iterator[Clause]:
    """Give the clauses of a reading, short neighbours together where nothing is asked and nothing rests on them."""
    held: Clause | None = None
    for clause in reading.clauses:
        if held is None:
            held = clause
        elif (joined := _joined(reading, held, clause)) is not None:
            held = joined
        else:
            yield held
            held = clause
    if held is not None:
        yield held


def _joined(reading: Reading, one: Clause, other: Clause) -> Clause | None:
    """Return two neighbours as one clause, or None when they must stay apart."""
    span = (one.span[0], other.span[1])
    if (
        span[1] - span[0] > TOGETHER_CHARS
        or other.span[0] - one.span[1] > BETWEEN_CHARS
        or one.question
        or other.question
        or one.attitude * other.attitude < 0
        or _carries(reading, span)
    ):
        return None
    return Clause(
        reading.utterance.text[span[0] : span[1]],
        span,
        one.terms + other.terms,
        asserted=one.asserted and other.asserted,
        attitude=max(one.attitude, other.attitude, key=abs),
    )


def _carries(reading: Reading, span: Span) -> bool:
    """Tell whether a claim, a reminder or an order rests on these words."""
    return any(
        one.span[0] < span[1] and span[0] < one.span[1]
        for found in (reading.claims, reading.reminders, reading.commands)
        for one in found
    )
