"""A dictionary of terms that finds all of them in one pass over a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class TermHit(NamedTuple):
    """A term found: `start` and `end` in characters of the text, and the value kept for the term."""

    start: int
    end: int
    value: str


def _joins_words(character: str) -> bool:
    """Tell whether a neighbour of this character would make a longer word of it (Latin letters, digits, accents)."""
    return character.isalnum() and character < "\u2e80"


@dataclass(slots=True)
class TermIndex:
    """Terms by first character, longest first. Latin terms match whole words only, Han terms anywhere.

    Terms and texts must be folded alike (see Utterance.folded). A value may stand under several terms.
    """

    by_first: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    count: int = 0

    def add(self, term: str, value: str) -> None:
        """Add a folded term; the same pair twice is kept once."""
        if not term:
            return
        row = self.by_first.setdefault(term[0], [])
        if (term, value) not in row:
            row.append((term, value))
            row.sort(key=lambda pair: -len(pair[0]))
            self.count += 1

    def remove(self, term: str, value: str) -> None:
        """Remove the pair if it is there; the key goes with its last term."""
        row = self.by_first.get(term[:1], [])
        if (term, value) in row:
            row.remove((term, value))
            self.count -= 1
            if not row:
                del self.by_first[term[0]]

    def hits(self, text: str) -> list[TermHit]:
        """Return, from left to right, every value's longest term at each place; a value's hits do not overlap."""
        found: list[TermHit] = []
        ends: dict[str, int] = {}
        by_first = self.by_first
        length = len(text)
        inside = False
        for start, character in enumerate(text):
            joins = _joins_words(character)
            row = by_first.get(character)
            if row is not None and not (inside and joins):
                for term, value in row:
                    if text.startswith(term, start) and ends.get(value, 0) <= start:
                        end = start + len(term)
                        if end < length and _joins_words(text[end]) and _joins_words(text[end - 1]):
                            continue
                        ends[value] = end
                        found.append(TermHit(start, end, value))
            inside = joins
        return found
