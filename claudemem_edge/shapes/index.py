"""An incremental inverted index whose keys are hashes: a forgotten word is a key nowhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(slots=True)
class InvertedIndex:
    """Postings from keyed term hashes to statement ids, in the order the statements came.

    Keys come from `key(term)`; the salt is the memory's own, so that keys of two memories cannot be compared.
    """

    salt: bytes
    postings: dict[int, list[int]] = field(default_factory=dict)
    keys_of: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Statement id → its distinct keys."""

    def key(self, term: str) -> int:
        """Return the keyed hash of a term (Python's own SipHash, keyed by process and by memory)."""
        return hash((self.salt, term))

    def add(self, statement: int, terms: Iterable[str]) -> tuple[int, ...]:
        """Index a statement under its distinct terms and return their keys."""
        salt = self.salt
        keys = tuple(dict.fromkeys([hash((salt, term)) for term in terms]))
        postings = self.postings
        for key in keys:
            row = postings.get(key)
            if row is None:
                postings[key] = [statement]
            else:
                row.append(statement)
        self.keys_of[statement] = keys
        return keys

    def remove(self, statement: int) -> None:
        """Take a statement out; a key goes with its last statement. Unknown ids are ignored."""
        for key in self.keys_of.pop(statement, ()):
            row = self.postings[key]
            row.remove(statement)
            if not row:
                del self.postings[key]

    def find(self, key: int) -> Sequence[int]:
        """Return the ids of the statements with this key, oldest first."""
        return self.postings.get(key, ())
