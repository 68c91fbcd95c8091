"""Every primitive change of a memory: with its undo, its bytes, and the indexes kept in step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claudemem_edge.shapes.index import InvertedIndex
from claudemem_edge.shapes.memory import Claim, Entity, Item, MemoryState, Statement, Topic
from claudemem_edge.shapes.terms import TermIndex
from claudemem_edge.state_engine.sizes import EMPTY_BYTES, VARIABLE, container_bytes, name_bytes, record_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Record = Statement | Claim | Item | Entity | Topic
SCALARS = (
    "turn", "epoch", "next_id", "next_item", "open_question", "last_reply", "reply_language", "language",
    "doubtful_s",
)  # fmt: skip
TABLES = ("index", "statements", "claims", "pending_items", "entity_map", "names", "topic_chain")


class Ledger:
    """One transaction on a memory: `close` keeps what was done, `rollback` undoes all of it.

    The plain fields of the state (turn, open question, languages) may be set directly: they are restored as well.
    Records and tables change only here, and a record's list or dict is replaced, never changed in place.
    """

    __slots__ = ("_bytes_before", "_journal", "_orders", "_scalars", "bytes", "state")

    def __init__(self, state: MemoryState) -> None:
        self.state = state
        self._scalars = (
            state.turn, state.epoch, state.next_id, state.next_item, state.open_question, state.last_reply,
            state.reply_language, state.language, state.doubtful_s,
        )  # fmt: skip
        self._journal: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        self._orders: list[tuple[dict[Any, Any], list[Any]]] = []
        self.bytes = state.size - container_bytes(state) if state.size else EMPTY_BYTES
        """Bytes of everything but the tables themselves."""
        self._bytes_before = self.bytes

    def close(self) -> None:
        """Keep all changes."""
        self.state.size = self.size()

    def size(self) -> int:
        """Return the bytes of the whole memory as it stands now."""
        return self.bytes + container_bytes(self.state)

    def rollback(self) -> None:
        """Undo every change, newest first; tables get their order back.

        They may keep room they have grown meanwhile, which the size of the memory tells.
        """
        for undo, arguments in reversed(self._journal):
            undo(*arguments)
        for table, order in self._orders:
            kept = [(key, table[key]) for key in order if key in table]
            table.clear()
            table.update(kept)
        for name, value in zip(SCALARS, self._scalars, strict=True):
            setattr(self.state, name, value)
        self.state.size = self._bytes_before + container_bytes(self.state)

    def note(self, undo: Callable[..., object], *arguments: Any) -> None:
        """Write down how to undo the change that comes next."""
        self._journal.append((undo, arguments))

    def set(self, record: Record, **fields: Any) -> None:
        """Give fields of a record new values."""
        weighs = not VARIABLE.isdisjoint(fields)
        before = record_bytes(record) if weighs else 0
        self.note(_assign, record, {name: getattr(record, name) for name in fields})
        _assign(record, fields)
        if weighs:
            self.bytes += record_bytes(record) - before

    def new_id(self) -> int:
        """Return the next number for a statement or a claim; none is given twice."""
        number = self.state.next_id
        self.state.next_id = number + 1
        return number

    def add_statement(self, statement: Statement, terms: Iterable[str]) -> None:
        """Keep a statement and index it under its terms."""
        state = self.state
        self.note(_unstate, state, statement.id)
        state.statements[statement.id] = statement
        state.index.add(statement.id, terms)
        self.bytes += record_bytes(statement)

    def remove_statement(self, statement_id: int) -> None:
        """Drop a statement and its keys. What rests on it is the caller's business."""
        state = self.state
        statement = state.statements[statement_id]
        self._keep_order(state.statements)
        self.note(_restate, state, statement, state.index.keys(statement_id))
        self.bytes -= record_bytes(statement)
        state.index.remove(statement_id)
        del state.statements[statement_id]

    def add_claim(self, claim: Claim) -> None:
        """Keep a claim."""
        self._put(self.state.claims, claim.id, claim)

    def remove_claim(self, claim: Claim) -> None:
        """Drop a claim."""
        self._drop(self.state.claims, claim.id)

    def add_item(self, item: Item) -> None:
        """Keep an item."""
        self._put(self.state.pending_items, item.id, item)

    def remove_item(self, item: Item) -> None:
        """Drop an item."""
        self._drop(self.state.pending_items, item.id)

    def add_entity(self, entity: Entity) -> None:
        """Keep an entity; its names are added one by one with `add_name`."""
        self._put(self.state.entity_map, entity.name, entity)

    def remove_entity(self, entity: Entity, folded_names: Iterable[str]) -> None:
        """Drop an entity together with its names."""
        for folded in folded_names:
            self._remove_name(folded, entity.name)
        self._drop(self.state.entity_map, entity.name)

    def add_name(self, folded: str, name: str) -> None:
        """Let a folded name or alias lead to an entity; known pairs are left as they are."""
        names = self.state.names
        before = names.count
        self.note(_keep, None)
        names.add(folded, name)
        if names.count != before:
            self._journal[-1] = (names.remove, (folded, name))
            self.bytes += name_bytes(folded)

    def add_topic(self, topic: Topic) -> None:
        """Append a topic to the chain."""
        chain = self.state.topic_chain
        self.note(chain.pop)
        chain.append(topic)
        self.bytes += record_bytes(topic)

    def remove_topic(self, topic: Topic) -> None:
        """Drop a topic from the chain."""
        chain = self.state.topic_chain
        place = chain.index(topic)
        self.note(chain.insert, place, topic)
        self.bytes -= record_bytes(topic)
        del chain[place]

    def clear(self) -> None:
        """Drop every record at once. Numbers, epoch and languages stay."""
        state = self.state
        self.note(_assign, state, {name: getattr(state, name) for name in TABLES})
        state.index = InvertedIndex(state.salt)
        state.statements, state.claims, state.pending_items, state.entity_map = {}, {}, {}, {}
        state.names, state.topic_chain = TermIndex(), []
        state.open_question = state.last_reply = None
        self.bytes = EMPTY_BYTES

    def compact(self) -> None:
        """Give back the room of removed records, which tables keep until they are written anew."""
        state = self.state
        self.note(_assign, state.index, {"postings": state.index.postings})
        state.index.compact()
        self.note(_assign, state, {"statements": state.statements, "claims": state.claims})
        state.statements, state.claims = dict(state.statements.items()), dict(state.claims.items())

    def _put(self, table: dict[Any, Any], key: int | str, record: Record) -> None:
        self.note(table.pop, key, None)
        table[key] = record
        self.bytes += record_bytes(record)

    def _drop(self, table: dict[Any, Any], key: int | str) -> None:
        self._keep_order(table)
        record = table[key]
        self.note(table.__setitem__, key, record)
        del table[key]
        self.bytes -= record_bytes(record)

    def _remove_name(self, folded: str, name: str) -> None:
        names = self.state.names
        before = names.count
        self.note(_keep, None)
        names.remove(folded, name)
        if names.count != before:
            self._journal[-1] = (names.add, (folded, name))
            self.bytes -= name_bytes(folded)

    def _keep_order(self, table: dict[Any, Any]) -> None:
        if all(known is not table for known, _ in self._orders):
            self._orders.append((table, list(table)))


def _keep(_: None) -> None:
    """Undo nothing."""


def _assign(record: object, fields: dict[str, Any]) -> None:
    for name, value in fields.items():
        setattr(record, name, value)


def _unstate(state: MemoryState, statement_id: int) -> None:
    state.index.remove(statement_id)
    state.statements.pop(statement_id, None)


def _restate(state: MemoryState, statement: Statement, keys: tuple[int, ...]) -> None:
    state.statements[statement.id] = statement
    state.index.restore(statement.id, keys)
