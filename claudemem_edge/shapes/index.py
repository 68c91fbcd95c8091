"""An incremental inverted index whose keys are hashes: a forgotten word is a key nowhere."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from dataclasses import dataclass, field
from sys import getsizeof
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

KEY_BYTES = getsizeof((1 << 62) - 1)
PAIR_BYTES = getsizeof([1, 2])
SLOT_BYTES = 9
"""One more place in a row, with what a growing list sets aside."""
PACKED_BYTES = getsizeof(b"")


@dataclass(slots=True)
class InvertedIndex:
    """Postings from keyed term hashes to statement ids, in the order the statements came.

    Keys come from `key(term)`; the salt is the memory's own, so that keys of two memories cannot be compared.
    Rows and packed keys are the index's own affair: callers use the methods.
    """

    salt: bytes
    postings: dict[int, int | list[int]] = field(default_factory=dict)
    """A key's statements; the id itself where there is only one, as for most keys."""
    packed: dict[int, bytes] = field(default_factory=dict)
    """Statement id → its distinct keys, eight bytes each (see `keys`)."""
    order: list[int] = field(default_factory=list)
    """Ids of all statements, oldest first."""
    row_bytes: int = 0
    """Bytes of keys, rows and packed keys, kept by every change."""

    def key(self, term: str) -> int:
        """Return the keyed hash of a term (Python's own SipHash, keyed by process and by memory)."""
        return hash((self.salt, term))

    def add(self, statement: int, terms: Iterable[str]) -> tuple[int, ...]:
        """Index a statement, newer than all others, under its distinct terms and return their keys."""
        salt = self.salt
        keys = tuple(dict.fromkeys([hash((salt, term)) for term in terms]))
        self._enter(statement, keys)
        self.order.append(statement)
        return keys

    def remove(self, statement: int) -> None:
        """Take a statement out; a key goes with its last statement. Unknown ids are ignored."""
        packed = self.packed.pop(statement, None)
        if packed is None:
            return
        postings = self.postings
        size = PACKED_BYTES + len(packed)
        for key in memoryview(packed).cast("q"):
            row = postings[key]
            if isinstance(row, int):
                del postings[key]
                size += KEY_BYTES
            elif len(row) == 2:
                postings[key] = row[row[0] == statement]
                size += PAIR_BYTES
            else:
                row.remove(statement)
                size += SLOT_BYTES
        self.row_bytes -= size
        del self.order[bisect_left(self.order, statement)]

    def restore(self, statement: int, keys: Iterable[int]) -> None:
        """Put a removed statement back in its old place under the keys it had."""
        self._enter(statement, tuple(keys))
        insort(self.order, statement)

    def find(self, key: int) -> Sequence[int]:
        """Return the ids of the statements with this key, oldest first."""
        row = self.postings.get(key)
        if row is None:
            return ()
        return (row,) if isinstance(row, int) else row

    def keys(self, statement: int) -> tuple[int, ...]:
        """Return the distinct keys of a statement, in the order of its text; none for an unknown id."""
        return tuple(memoryview(self.packed.get(statement, b"")).cast("q"))

    def size_bytes(self) -> int:
        """Return the bytes of the whole index, at once."""
        return self.row_bytes + getsizeof(self.postings) + getsizeof(self.packed) + getsizeof(self.order)

    def _enter(self, statement: int, keys: tuple[int, ...]) -> None:
        postings = self.postings
        size = PACKED_BYTES + 8 * len(keys)
        for key in keys:
            row = postings.get(key)
            if row is None:
                postings[key] = statement
                size += KEY_BYTES
            elif isinstance(row, int):
                postings[key] = [row, statement] if row < statement else [statement, row]
                size += PAIR_BYTES
            else:
                if row[-1] < statement:
                    row.append(statement)
                else:
                    insort(row, statement)
                size += SLOT_BYTES
        self.packed[statement] = array("q", keys).tobytes()
        self.row_bytes += size
