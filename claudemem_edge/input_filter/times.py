"""Time expressions: the entry of the time grammar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Lexicon
    from claudemem_edge.shapes.reading import Span
    from claudemem_edge.shapes.times import Moment, TimeMention


@dataclass(slots=True, frozen=True)
class TimesRead:
    """What was understood, left to right, and the places where a time was said but not understood."""

    mentions: tuple[TimeMention, ...] = ()
    unclear: tuple[Span, ...] = ()


def read_times(text: str, now: Moment, lexicon: Lexicon, hint: str = "") -> TimesRead:
    """Find and resolve the time expressions of a text in its own language."""
    return TimesRead()
