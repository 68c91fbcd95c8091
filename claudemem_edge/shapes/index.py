"""An incremental inverted index whose keys are hashes: a forgotten word is a key nowhere."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from sys import getsizeof
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

KEY_BITS = (1 << 30) - 1
"""Keys have 30 bits: small integers to Python, four bytes packed, and too few to tell a word from."""
KEY_BYTES = getsizeof(KEY_BITS)
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
    order: list[int] = field(default_factory=list)
    """Ids of all statements, oldest first."""
    packed: list[bytes] = field(default_factory=list)
    """The distinct keys of each of them, four bytes each, in the same order (see `keys`)."""
    row_bytes: int = 0
    """Bytes of keys, rows and packed keys, kept by every change."""

    def key(self, term: str) -> int:
        """Return the keyed hash of a term (Python's own SipHash, keyed by process and by memory)."""
        return hash((self.salt, term)) & KEY_BITS

    def add(self, statement: int, terms: Iterable[str]) -> tuple[int, ...]:
        """Index a statement, newer than all others, under its distinct terms and return their keys."""
        salt = self.salt
        keys = tuple(dict.fromkeys([hash((salt, term)) & KEY_BITS for term in terms]))
        postings = self.postings
        size = PACKED_BYTES + 4 * len(keys)
        for key in keys:
            row = postings.get(key)
            if row is None:
                postings[key] = statement
                size += KEY_BYTES
            elif isinstance(row, int):
                postings[key] = [row, statement]
                size += PAIR_BYTES
            else:
                row.append(statement)
                size += SLOT_BYTES
        self.order.append(statement)
        self.packed.append(array("I", keys).tobytes())
        self.row_bytes += size
        return keys

    def remove(self, statement: int) -> None:
        """Take a statement out; a key goes with its last statement. Unknown ids are ignored."""
        at = self._place(statement)
        if at is None:
            return
        packed = self.packed[at]
        postings = self.postings
        size = PACKED_BYTES + len(packed)
        for key in memoryview(packed).cast("I"):
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
        del self.order[at], self.packed[at]

    def restore(self, statement: int, keys: Iterable[int]) -> None:
        """Put a removed statement back in its old place under the keys it had."""
        keys = tuple(keys)
        at = bisect_left(self.order, statement)
        self.order.insert(at, statement)
        self.packed.insert(at, array("I", keys).tobytes())
        self.row_bytes += PACKED_BYTES + 4 * len(keys)
        for key in keys:
            row = self.find(key)
            self.row_bytes += KEY_BYTES if not row else PAIR_BYTES if len(row) == 1 else SLOT_BYTES
            self.postings[key] = sorted((*row, statement)) if row else statement

    def compact(self) -> None:
        """Give back the room that removed keys leave in the table; nothing else changes."""
        self.postings = dict(self.postings.items())

    def find(self, key: int) -> Sequence[int]:
        """Return the ids of the statements with this key, oldest first."""
        row = self.postings.get(key)
        if row is None:
            return ()
        return (row,) if isinstance(row, int) else row

    def keys(self, statement: int) -> Sequence[int]:
        """Return the distinct keys of a statement, in the order of its text; none for an unknown id."""
        at = self._place(statement)
        return () if at is None else self.keys_at(at)

    def keys_at(self, at: int) -> Sequence[int]:
        """Return the distinct keys of the statement at a place of `order`."""
        return memoryview(self.packed[at]).cast("I").tolist()

    def size_bytes(self) -> int:
        """Return the bytes of the whole index, at once."""
        return self.row_bytes + getsizeof(self.postings) + getsizeof(self.packed) + getsizeof(self.order)

    def _place(self, statement: int) -> int | None:
        at = bisect_left(self.order, statement)
        return at if at < len(self.order) and self.order[at] == statement else None
