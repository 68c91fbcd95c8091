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
GROWTH_BYTES = (0, KEY_BYTES, PAIR_BYTES, 48, 0, 0, 0, 0, 0)
"""What the first, second, third … statement of a key adds: a growing list sets places aside."""
SLOT_BYTES = 9
"""What each of the later ones adds, on average."""
MOST_KEYS = (1 << 16) - 1


def _numbers() -> array[int]:
    return array("I")


def _counts() -> array[int]:
    return array("H")


@dataclass(slots=True)
class InvertedIndex:
    """Postings from keyed term hashes to statement ids, in the order the statements came.

    Keys come from `key(term)`; the salt is the memory's own, so that keys of two memories cannot be compared.
    Rows and packed keys are the index's own affair: callers use the methods.
    """

    salt: bytes
    postings: dict[int, int | list[int]] = field(default_factory=dict)
    """A key's statements; the id itself where there is only one, as for most keys."""
    order: array[int] = field(default_factory=_numbers)
    """Ids of all statements, oldest first."""
    pool: array[int] = field(default_factory=_numbers)
    """The distinct keys of all of them, one statement after the other; nought where one was removed."""
    starts: array[int] = field(default_factory=_numbers)
    counts: array[int] = field(default_factory=_counts)
    """Where the keys of each statement of `order` stand in the pool, and how many they are."""
    row_bytes: int = 0
    """Bytes of keys and rows, kept by every change."""

    def key(self, term: str) -> int:
        """Return the keyed hash of a term (Python's own SipHash, keyed by process and by memory)."""
        return hash((self.salt, term)) & KEY_BITS

    def add(self, statement: int, terms: Iterable[str]) -> tuple[int, ...]:
        """Index a statement, newer than all others, under its distinct terms and return their keys."""
        salt = self.salt
        keys = tuple(dict.fromkeys([hash((salt, term)) & KEY_BITS for term in terms]))[:MOST_KEYS]
        postings = self.postings
        size = 0
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
                size += _growth(len(row))
        self.row_bytes += size
        self.order.append(statement)
        self.starts.append(len(self.pool))
        self.counts.append(len(keys))
        self.pool.extend(keys)
        return keys

    def remove(self, statement: int) -> None:
        """Take a statement out; a key goes with its last statement. Unknown ids are ignored."""
        at = self._place(statement)
        if at is None:
            return
        postings = self.postings
        size = 0
        for key in self.keys_at(at):
            row = postings[key]
            if isinstance(row, int):
                del postings[key]
                size += KEY_BYTES
                continue
            size += _growth(len(row))
            if len(row) == 2:
                postings[key] = row[row[0] == statement]
            else:
                row.remove(statement)
        self.row_bytes -= size
        start, count = self.starts[at], self.counts[at]
        self.pool[start : start + count] = array("I", bytes(4 * count))
        del self.order[at], self.starts[at], self.counts[at]

    def restore(self, statement: int, keys: Iterable[int]) -> None:
        """Put a removed statement back in its old place under the keys it had."""
        keys = tuple(keys)
        at = bisect_left(self.order, statement)
        self.order.insert(at, statement)
        self.starts.insert(at, len(self.pool))
        self.counts.insert(at, len(keys))
        self.pool.extend(keys)
        for key in keys:
            row = self.find(key)
            self.row_bytes += _growth(len(row) + 1)
            self.postings[key] = sorted((*row, statement)) if row else statement

    def compact(self) -> None:
        """Give back the room that removed keys leave; nothing else changes."""
        self.postings = dict(self.postings.items())
        pool, starts = _numbers(), _numbers()
        for at in range(len(self.order)):
            starts.append(len(pool))
            pool.extend(self.keys_at(at))
        self.pool, self.starts = pool, starts

    def find(self, key: int) -> Sequence[int]:
        """Return the ids of the statements with this key, oldest first."""
        row = self.postings.get(key)
        if row is None:
            return ()
        return (row,) if isinstance(row, int) else row

    def before(self, key: int, statement: int) -> Sequence[int]:
        """Return the ids of the statements with this key that are older than one, oldest first."""
        row = self.postings.get(key)
        if row is None or isinstance(row, int):
            return () if row is None or row >= statement else (row,)
        return row[: bisect_left(row, statement)] if row[-1] >= statement else row

    def keys(self, statement: int) -> Sequence[int]:
        """Return the distinct keys of a statement, in the order of its text; none for an unknown id."""
        at = self._place(statement)
        return () if at is None else self.keys_at(at)

    def keys_at(self, at: int) -> Sequence[int]:
        """Return the distinct keys of the statement at a place of `order`."""
        start = self.starts[at]
        return self.pool[start : start + self.counts[at]].tolist()

    def size_bytes(self) -> int:
        """Return the bytes of the whole index, at once."""
        return (
            self.row_bytes
            + getsizeof(self.postings)
            + getsizeof(self.order)
            + getsizeof(self.pool)
            + getsizeof(self.starts)
            + getsizeof(self.counts)
        )

    def _place(self, statement: int) -> int | None:
        at = bisect_left(self.order, statement)
        return at if at < len(self.order) and self.order[at] == statement else None


def _growth(count: int) -> int:
    """Return the bytes that the statement with this number adds to the row of a key."""
    return GROWTH_BYTES[count] if count < len(GROWTH_BYTES) else SLOT_BYTES
