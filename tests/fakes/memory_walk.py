"""Looking into every corner of a memory: which texts can be reached, what it weighs, and a full copy to compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, tzinfo
from sys import getsizeof
from typing import Any

VOCABULARY = frozenset({
    "speaker", "language", "reply_language", "kind", "state", "predicate", "grain", "source", "rule", "salt",
    "tzinfo", "zone",
})  # fmt: skip
"""Fields whose values are shared: constants, the packs' own words, the salt, the zone."""


def parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yield what an object refers to, with the field's name; nothing for atoms."""
    if is_dataclass(thing) and not isinstance(thing, type):
        for one in fields(thing):
            yield one.name, getattr(thing, one.name)
    elif isinstance(thing, Mapping):
        for key, value in thing.items():
            yield "", key
            yield "", value
    elif isinstance(thing, list | tuple | set | frozenset):
        for value in thing:
            yield "", value


def texts(thing: Any, field: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text that can be reached from an object, with the nearest field's name."""
    if isinstance(thing, str):
        yield field, thing
    for name, value in parts(thing):
        yield from texts(value, name or field)


def weight_bytes(thing: Any, seen: set[int] | None = None) -> int:
    """Return what an object and all it alone refers to weigh, by the interpreter's own measure."""
    known: set[int] = set() if seen is None else seen
    if thing is None or isinstance(thing, bool | tzinfo) or id(thing) in known:
        return 0
    if isinstance(thing, int) and -6 < thing < 257:
        return 0
    known.add(id(thing))
    total = getsizeof(thing)
    if isinstance(thing, str | bytes | int | float | date | datetime | time):
        return 0 if thing in {"", ()} else total
    for name, value in parts(thing):
        if name not in VOCABULARY:
            total += weight_bytes(value, known)
    return total


def dump(thing: Any) -> Any:
    """Return a deep, plain copy of an object that two of the same content have alike, tables in their order."""
    if is_dataclass(thing) and not isinstance(thing, type):
        if type(thing).__name__ == "InvertedIndex":
            return _index(thing)
        if type(thing).__name__ == "TermIndex":
            return _names(thing)
        return (type(thing).__name__, [(one.name, dump(getattr(thing, one.name))) for one in fields(thing)])
    if isinstance(thing, Mapping):
        return [(dump(key), dump(value)) for key, value in thing.items()]
    if isinstance(thing, list | tuple):
        return [type(thing).__name__, *(dump(value) for value in thing)]
    return thing


def _index(index: Any) -> Any:
    """The rows of an index are a table without an order of its own."""
    rows = {key: list(index.find(key)) for key in index.postings}
    return (rows, [index.keys(one) for one in index.order], list(index.order), index.row_bytes)


def _names(names: Any) -> Any:
    """The names are a set of pairs, kept by how they begin."""
    rows = {**names.words, **names.pairs, **names.singles}
    return ({begin: sorted(row) for begin, row in rows.items()}, names.count)
