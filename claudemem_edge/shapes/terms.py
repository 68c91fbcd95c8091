"""A dictionary of terms that finds all of them in one pass over a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WORD = re.compile("([^\\W_\u2e80-\U0010ffff]+)")
"""Latin letters, digits, accents: neighbours that make a longer word of one another."""
FEW = 4
Place = tuple[int, int, str]
"""Start, end, value."""
Row = tuple[tuple[str, int, str], ...]
"""Terms with one beginning, longest first: term, its length, value."""


class TermHit(NamedTuple):
    """A term found: `start` and `end` in characters of the text, and the value kept for the term."""

    start: int
    end: int
    value: str


@dataclass(slots=True)
class TermIndex:
    """Terms by how they begin. Latin terms match whole words only, Han terms anywhere.

    Terms and texts must be folded alike (see Utterance.folded). A value may stand under several terms.
    """

    words: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """First word of a Latin term → the values of that word alone; an empty row says that longer terms begin so."""
    phrases: dict[str, Row] = field(default_factory=dict)
    """Longer Latin terms by their first word and the two characters after it."""
    singles: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """First character of any other term → the values of that character alone; may be empty likewise."""
    pairs: dict[str, Row] = field(default_factory=dict)
    """Terms of more than one character by their first two."""
    count: int = 0

    def add(self, term: str, value: str) -> None:
        """Add a folded term; the same pair twice is kept once."""
        if not term:
            return
        alone, longer, head = self._place(term)
        values = alone.setdefault(head, ())
        if term == head:
            if value not in values:
                alone[head] = (*values, value)
                self.count += 1
            return
        key = term[: len(head) + _beyond(longer, self.phrases)]
        row = longer.get(key, ())
        entry = (term, len(term), value)
        if entry not in row:
            at = next((at for at, (_, length, _) in enumerate(row) if length < len(term)), len(row))
            longer[key] = (*row[:at], entry, *row[at:])
            self.count += 1

    def remove(self, term: str, value: str) -> None:
        """Remove the pair if it is there; the key goes with its last term."""
        if not term:
            return
        alone, longer, head = self._place(term)
        values = alone.get(head, ())
        key = term[: len(head) + _beyond(longer, self.phrases)]
        row = longer.get(key, ())
        entry = (term, len(term), value)
        if term == head and value in values:
            alone[head] = tuple(one for one in values if one != value)
            self.count -= 1
        elif term != head and entry in row:
            longer[key] = tuple(one for one in row if one != entry)
            self.count -= 1
            if not longer[key]:
                del longer[key]
        if alone.get(head) == () and not any(self._place(other)[2] == head for other in longer):
            del alone[head]

    def hits(self, text: str, pieces: Sequence[str] = ()) -> list[TermHit]:
        """Return, from left to right, every value's longest term at each place; a value's hits do not overlap."""
        found: list[TermHit] = []
        ends: dict[str, int] = {}
        for start, end, value in self.places(text, pieces):
            if ends.get(value, 0) <= start:
                ends[value] = end
                found.append(TermHit(start, end, value))
        return found

    def places(self, text: str, pieces: Sequence[str] = ()) -> list[Place]:
        """Return every term at every place as (start, end, value), from left to right, the longest first.

        `pieces` is the text cut into words, for callers that have it.
        """
        found: list[Place] = []
        if self.words:
            pieces = pieces or words_apart(text)
            if not self.words.keys().isdisjoint(pieces):
                self._collect_words(text, pieces, found)
        if self.singles:
            from_words = len(found)
            self._collect_characters(text, found)
            if 0 < from_words < len(found):
                found.sort(key=_start)
        return found

    def _collect_words(self, text: str, pieces: Sequence[str], found: list[Place]) -> None:
        words, phrases = self.words, self.phrases
        edges = [*accumulate(map(len, pieces))]
        for word, start, end in zip(pieces[1::2], edges[::2], edges[1::2], strict=False):
            values = words.get(word)
            if values is not None:
                if phrases:
                    for row in (phrases.get(text[start : end + 2]), phrases.get(text[start : end + 1])):
                        if row is not None:
                            _collect(text, start, row, found)
                for value in values:
                    found.append((start, end, value))  # noqa: PERF401 (a generator costs more than it saves here)

    def _collect_characters(self, text: str, found: list[Place]) -> None:
        singles, pairs = self.singles, self.pairs
        for start in _places_of_few(text, singles) if len(singles) <= FEW else range(len(text)):
            values = singles.get(text[start])
            if values is not None:
                row = pairs.get(text[start : start + 2])
                if row is not None:
                    _collect(text, start, row, found)
                for value in values:
                    found.append((start, start + 1, value))  # noqa: PERF401 (as above)

    def _place(self, term: str) -> tuple[dict[str, tuple[str, ...]], dict[str, Row], str]:
        """Return the two dictionaries that hold terms of this kind, and how the term begins."""
        word = WORD.match(term)
        if word is not None:
            return self.words, self.phrases, word.group()
        return self.singles, self.pairs, term[0]


def words_apart(text: str) -> list[str]:
    """Return a text in pieces, by turns what stands around words, possibly nothing, and a word."""
    return WORD.split(text)


def _places_of_few(text: str, characters: Iterable[str]) -> list[int]:
    """Return where these characters stand; each is looked for once, which is quicker for a few."""
    found: list[int] = []
    for character in characters:
        at = text.find(character)
        while at >= 0:
            found.append(at)
            at = text.find(character, at + 1)
    found.sort()
    return found


def _beyond(longer: dict[str, Row], phrases: dict[str, Row]) -> int:
    """Return how many characters beyond the beginning the keys of a dictionary of longer terms have."""
    return 2 if longer is phrases else 1


def _collect(text: str, start: int, row: Row, found: list[Place]) -> None:
    for term, length, value in row:
        if text.startswith(term, start):
            end = start + length
            after = text[end : end + 1]
            if not (after.isalnum() and after < "\u2e80" and WORD.match(text, end - 1)):
                found.append((start, end, value))


def _start(place: Place) -> int:
    return place[0]
