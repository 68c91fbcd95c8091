from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.input_filter.overlap import without_overlap


@dataclass(frozen=True)
class Piece:
    span: tuple[int, int]


PIECES = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda made: Piece((made[0], made[0] + made[1]))), max_size=20
)


def test_the_longer_stays_and_of_two_as_long_the_first_given() -> None:
    long, short, beside = Piece((0, 5)), Piece((3, 6)), Piece((5, 7))
    assert without_overlap([short, beside, long]) == (long, beside)
    first, second = Piece((0, 3)), Piece((2, 5))
    assert without_overlap([first, second]) == (first,)
    assert without_overlap([]) == ()


@given(PIECES)
def test_what_stays_is_in_order_apart_and_nothing_else_would_fit(pieces: list[Piece]) -> None:
    kept = without_overlap(pieces)
    assert all(one.span[1] <= other.span[0] for one, other in pairwise(kept))
    for piece in pieces:
        assert any(piece.span[0] < other.span[1] and other.span[0] < piece.span[1] for other in kept)
