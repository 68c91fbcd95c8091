"""Of findings that overlap, the longer one stays."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claudemem_edge.shapes.reading import Span


class Spanned(Protocol):
    """Anything found at a place of the text."""

    @property
    def span(self) -> Span:
        """Where it stands."""


Found = TypeVar("Found", bound=Spanned)


def without_overlap(found: Iterable[Found]) -> tuple[Found, ...]:
    """Return the findings from left to right without those that overlap a longer one, or an earlier one as long."""
    kept: list[Found] = []
    starts: list[int] = []
    for one in sorted(found, key=_longest_first):
        start, end = one.span
        at = bisect_left(starts, start)
        if (at == 0 or kept[at - 1].span[1] <= start) and (at == len(kept) or end <= starts[at]):
            kept.insert(at, one)
            starts.insert(at, start)
    return tuple(kept)


def _longest_first(one: Spanned) -> int:
    return one.span[0] - one.span[1]
