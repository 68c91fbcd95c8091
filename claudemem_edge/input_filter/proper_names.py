"""Capitals: how far a proper name reaches in a text as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container


MARKS = ".,;:!?'\""
POINT = "."
"""Ends no name: inside a clause it belongs to an abbreviation."""


def has_capitals(text: str) -> bool:
    """Tell whether the writer used capitals at all; who uses none says nothing by leaving one out."""
    return text.lower() != text


def proper_end(text: str, start: int, end: int, stops: Container[str] = frozenset(), *, all_words: bool = False) -> int:
    """Return the end of the run of capitalised words at `start`, `start` when the first one has none.

    In a text without any capitals the first word counts, with `all_words` every one. A word of `stops` ends the run.
    """
    lower = not has_capitals(text)
    last = at = start
    for word in text[start:end].split(" "):
        bare = word.strip(MARKS)
        if not bare or bare.lower() in stops or not (bare[0].isupper() or lower):
            break
        last = at + len(word.rstrip(MARKS))
        at += len(word) + 1
        marked = not word.endswith((bare, POINT))
        if marked or (lower and not all_words):
            break
    return last


def proper_start(text: str, start: int, end: int, stops: Container[str] = frozenset()) -> int:
    """Return where the run of capitalised words begins that ends at `end`; `end` when there is none."""
    first = at = end
    while at > start:
        blank = text.rfind(" ", start, at - 1)
        word = text[blank + 1 : at].strip() if blank >= 0 else text[start:at].strip()
        begin = blank + 1 if blank >= 0 else start
        if not word[:1].isupper() or word.lower() in stops:
            break
        first = at = begin
    return first
