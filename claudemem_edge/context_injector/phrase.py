"""The shape of a phrase."""

from __future__ import annotations

from typing import NamedTuple

NAME, NUMBER, CONTENT, WEAK = 3, 2, 1, 0
STOP, NEGATION, WHOLE = -1, -2, -3
"""Kinds of words at which a text is cut, and WHOLE: words that are never cut."""


class Phrase(NamedTuple):
    """A phrase as said, folded for comparing, its rank and its place in the text."""

    text: str
    folded: str
    rank: int
    start: int
    end: int
    denies: bool = False
    """It begins with a negation: then no word of it may go."""
