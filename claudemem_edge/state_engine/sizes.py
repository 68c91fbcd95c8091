"""What each record costs in bytes, by formula: cheap enough for every turn, and within 10 % of a full walk."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from sys import getsizeof
from typing import TYPE_CHECKING, Any

from claudemem_edge.shapes.index import InvertedIndex
from claudemem_edge.shapes.memory import Claim, Entity, Item, MemoryState, OpenQuestion, Sighting, Statement, Topic
from claudemem_edge.shapes.terms import TermIndex
from claudemem_edge.shapes.times import ElapsedDue, Moment, TimeMention, WallDue

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.times import Due

SMALL_NUMBER = 256
INT = getsizeof(1 << 20)
KEY = getsizeof((1 << 60) - 1)
FLOAT = getsizeof(0.5)
SLOT = getsizeof((1,)) - getsizeof(())
TUPLE = getsizeof(())
PAIR = getsizeof((1, 2))
ROW_ENTRY = getsizeof((1, 2, 3))
LIST = getsizeof([1])
DATETIME = getsizeof(datetime(2026, 1, 1, tzinfo=UTC))
CLOCK = getsizeof(date(2026, 1, 1)) + getsizeof(time(9))

_SOON = datetime(2026, 1, 1, tzinfo=UTC)
STATEMENT = getsizeof(Statement(0, 0, "", "", _SOON)) + KEY + DATETIME
CLAIM = getsizeof(Claim(0, "", "", "", _SOON, ())) + TUPLE
ITEM = getsizeof(Item("", "", "", "", (), 0)) + TUPLE
SIGHTING = getsizeof(Sighting(0, 0)) + SLOT
ENTITY = getsizeof(Entity("", "")) + getsizeof([])
TOPIC = getsizeof(Topic(0, [])) + LIST
MENTION = getsizeof(TimeMention("", (0, 0), None, None, "")) + PAIR + SLOT
WALL_DUE = getsizeof(WallDue(_SOON.date(), None, UTC)) + CLOCK
ELAPSED_DUE = getsizeof(ElapsedDue(0.5, _SOON)) + FLOAT + DATETIME
MOMENT = getsizeof(Moment(_SOON, 0.5)) + FLOAT
QUESTION = getsizeof(OpenQuestion("", "", Moment(_SOON, 0.5))) + MOMENT + TUPLE


def record_bytes(record: Statement | Claim | Item | Entity | Topic) -> int:
    """Return the bytes of one record and all that is its own."""
    return _BYTES_OF[type(record)](record)


def _statement(one: Statement) -> int:
    size = STATEMENT + getsizeof(one.text) + (FLOAT if one.attitude else 0)
    size += (INT if one.id > SMALL_NUMBER else 0) + (INT if one.turn > SMALL_NUMBER else 0)
    if not one.times:
        return size
    for mention in one.times:
        instants = (mention.start is not None) + (mention.end is not None)
        own_text = getsizeof(mention.text) if len(mention.text) < len(one.text) else 0
        size += MENTION + DATETIME * instants + own_text + (getsizeof(mention.recurrence) if mention.recurrence else 0)
    return size + TUPLE


def _claim(one: Claim) -> int:
    size = CLAIM + getsizeof(one.object) + SLOT * len(one.origin) + (FLOAT if one.attitude else 0)
    return size + (getsizeof(one.because) if one.because else 0) + (INT if one.id > SMALL_NUMBER else 0)


def _item(one: Item) -> int:
    door = one.asked_at_door if ":" in one.asked_at_door else ""  # the bare word is one object for all
    words = (one.id, one.text, one.recurrence, one.trigger, one.on_failure, door)
    size = ITEM + SLOT * len(one.origin) + sum([getsizeof(word) for word in words if word])
    return (
        size
        + due_bytes(one.due)
        + MOMENT * ((one.fired_at is not None) + (one.told_at is not None))
        + (DATETIME if one.done_at else 0)
    )


def _entity(one: Entity) -> int:
    size = ENTITY + getsizeof(one.name) + (TUPLE + SLOT * len(one.aliases) if one.aliases else 0)
    for seen in one.sightings:
        size += SIGHTING + (FLOAT if seen.attitude else 0) + (INT if seen.turn > SMALL_NUMBER else 0)
    return size


def _topic(one: Topic) -> int:
    words = getsizeof(one.salience) + (INT + FLOAT) * len(one.salience)
    return TOPIC + (PAIR + SLOT) * len(one.spans) + words + (INT if one.id > SMALL_NUMBER else 0)


_BYTES_OF: dict[type, Callable[[Any], int]] = {
    Statement: _statement, Claim: _claim, Item: _item, Entity: _entity, Topic: _topic,
}  # fmt: skip
VARIABLE = frozenset({
    "attitude", "origin", "object", "because", "text", "due", "recurrence", "trigger", "on_failure", "asked_at_door",
    "fired_at", "told_at", "done_at", "aliases", "sightings", "spans", "salience", "times",
})  # fmt: skip
"""Fields on which the bytes of a record depend."""


def due_bytes(due: Due | None) -> int:
    """Return the bytes of an item's due time."""
    if due is None:
        return 0
    return WALL_DUE if isinstance(due, WallDue) else ELAPSED_DUE


def question_bytes(question: OpenQuestion | None) -> int:
    """Return the bytes of the open question."""
    if question is None:
        return 0
    return QUESTION + getsizeof(question.text) + sum(getsizeof(choice) + SLOT for choice in question.choices)


def name_bytes(folded: str) -> int:
    """Return the bytes of one name in the index of names."""
    return getsizeof(folded) + ROW_ENTRY + LIST


def container_bytes(state: MemoryState) -> int:
    """Return the bytes of the tables themselves, which the interpreter knows at once."""
    return (
        getsizeof(state.statements)
        + getsizeof(state.claims)
        + getsizeof(state.pending_items)
        + getsizeof(state.entity_map)
        + getsizeof(state.topic_chain)
        + getsizeof(state.names.words)
        + getsizeof(state.names.pairs)
        + getsizeof(state.names.singles)
        + state.index.size_bytes()
        + question_bytes(state.open_question)
    )


EMPTY_BYTES = getsizeof(MemoryState.__new__(MemoryState)) + getsizeof(TermIndex()) + getsizeof(InvertedIndex(b""))
"""A memory without records and without its tables."""
