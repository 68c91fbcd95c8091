"""A dictionary of terms that finds all of them in one pass over a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

JOINING = "[^\\W_\u2e80-\U0010ffff]"
"""Latin letters, digits, accents: neighbours that make a longer word of one another."""
WORD = re.compile(f"{JOINING}+")
Row = list[tuple[str, int, str]]
"""Terms with one beginning, longest first: term, its length, value."""


class TermHit(NamedTuple):
    """A term found: `start` and `end` in characters of the text, and the value kept for the term."""

    start: int
    end: int
    value: str


@dataclass(slots=True)
class TermIndex:
    """Terms by their first word (Latin) or first two characters (Han), longest first.

    Latin terms match whole words only, Han terms anywhere. Terms and texts must be folded alike (see
    Utterance.folded). A value may stand under several terms.
    """

    words: dict[str, Row] = field(default_factory=dict)
    pairs: dict[str, Row] = field(default_factory=dict)
    singles: dict[str, Row] = field(default_factory=dict)
    """First character → the terms of that one character: an empty row says that longer ones begin so."""
    count: int = 0

    def add(self, term: str, value: str) -> None:
        """Add a folded term; the same pair twice is kept once."""
        if not term:
            return
        rows, key = self._place(term)
        row = rows.setdefault(key, [])
        entry = (term, len(term), value)
        if entry in row:
            return
        at = next((at for at, (_, length, _) in enumerate(row) if length < len(term)), len(row))
        row.insert(at, entry)
        self.count += 1
        if rows is self.pairs:
            self.singles.setdefault(term[0], [])

    def remove(self, term: str, value: str) -> None:
        """Remove the pair if it is there; the key goes with its last term."""
        if not term:
            return
        rows, key = self._place(term)
        row = rows.get(key, [])
        entry = (term, len(term), value)
        if entry not in row:
            return
        row.remove(entry)
        self.count -= 1
        if not row and rows is not self.singles:
            del rows[key]
        first = term[0]
        if self.singles.get(first) == [] and not any(pair[0] == first for pair in self.pairs):
            del self.singles[first]

    def hits(self, text: str) -> list[TermHit]:
        """Return, from left to right, every value's longest term at each place; a value's hits do not overlap."""
        found: list[TermHit] = []
        ends: dict[str, int] = {}
        for start, end, value in self.places(text):
            if ends.get(value, 0) <= start:
                ends[value] = end
                found.append(TermHit(start, end, value))
        return found

    def places(self, text: str) -> list[tuple[int, int, str]]:
        """Return every term at every place as (start, end, value), from left to right, the longest first."""
        found: list[tuple[int, int, str]] = []
        words = self.words
        if words:
            for match in WORD.finditer(text):
                row = words.get(match.group())
                if row is not None:
                    _collect(text, match.start(), row, found)
        if self.singles:
            from_words = len(found)
            self._collect_joined(text, found)
            if 0 < from_words < len(found):
                found.sort(key=_start)
        return found

    def _collect_joined(self, text: str, found: list[tuple[int, int, str]]) -> None:
        singles, pairs = self.singles, self.pairs
        for start, character in enumerate(text):
            row = singles.get(character)
            if row is not None:
                longer = pairs.get(text[start : start + 2])
                if longer is not None:
                    _collect(text, start, longer, found)
                if row:
                    _collect(text, start, row, found)

    def _place(self, term: str) -> tuple[dict[str, Row], str]:
        word = WORD.match(term)
        if word is not None:
            return self.words, word.group()
        return (self.singles, term) if len(term) == 1 else (self.pairs, term[:2])


def _collect(text: str, start: int, row: Row, found: list[tuple[int, int, str]]) -> None:
    for term, length, value in row:
        if text.startswith(term, start):
            end = start + length
            after = text[end : end + 1]
            if after.isalnum() and after < "\u2e80" and WORD.match(text, end - 1):
                continue
            found.append((start, end, value))


def _start(hit: tuple[int, int, str]) -> int:
    return hit[0]
