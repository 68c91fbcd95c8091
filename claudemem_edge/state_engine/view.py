"""A memory as plain JSON values: what its owner may see of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

if TYPE_CHECKING:
    from datetime import datetime

    from claudemem_edge.shapes.memory import Claim, Entity, Item, MemoryState, Statement, Topic
    from claudemem_edge.shapes.times import Moment


class ClaimView(TypedDict):
    """A fact, preference, relation, decision or value."""

    id: int
    subject: str
    predicate: str
    object: str
    because: str
    since: Annotated[str, "ISO 8601 with offset, as all times here."]
    until: str | None
    open: Annotated[bool, "False once something replaced it."]
    replaced_by: int | None
    turns: Annotated[list[int], "The utterances it rests on."]


class ItemView(TypedDict):
    """A reminder or task, in whatever state."""

    id: str
    kind: str
    text: str
    state: str
    due: str | None
    recurrence: str
    trigger: str
    missed: bool
    urgent: bool
    done_at: Annotated[str | None, "When it, or its last occurrence, was done."]
    turns: list[int]


class EntityView(TypedDict):
    """Somebody or something spoken of."""

    name: str
    kind: str
    aliases: list[str]
    seen: Annotated[list[int], "The last utterances that named it."]
    attitude: Annotated[float, "From -1, disliked, to 1, liked."]


class TopicView(TypedDict):
    """A stretch of talk about one thing, with its returns."""

    id: int
    spans: Annotated[list[list[int]], "First and last statement of each stretch."]
    anchor: Annotated[int | None, "The statement that names it best."]


class StatementView(TypedDict):
    """One clause that was said."""

    id: int
    turn: int
    speaker: str
    text: str
    topic: int
    shown: Annotated[bool, "False once it holds an old value: no block shows it raw."]
    said_at: str


class QuestionView(TypedDict):
    """A question of ours that waits for its answer."""

    kind: str
    text: str
    about: str


class MemoryView(TypedDict):
    """Everything a memory holds."""

    at: str
    turn: int
    epoch: Annotated[int, "Changes whenever something was forgotten."]
    size_bytes: int
    language: str
    reply_language: str
    claims: list[ClaimView]
    items: list[ItemView]
    entities: list[EntityView]
    topics: list[TopicView]
    statements: list[StatementView]
    open_question: QuestionView | None


def view(state: MemoryState, now: Moment) -> MemoryView:
    """Return all records and counts; nothing that is kept is left out but the hashes of the index."""
    question = state.open_question
    return {
        "at": now.wall.isoformat(),
        "turn": state.turn,
        "epoch": state.epoch,
        "size_bytes": state.size,
        "language": state.language,
        "reply_language": state.reply_language,
        "claims": [_claim(one, state) for one in state.claims.values()],
        "items": [_item(one, state) for one in state.pending_items.values()],
        "entities": [_entity(one) for one in state.entity_map.values()],
        "topics": [_topic(one) for one in state.topic_chain],
        "statements": [_statement(one) for one in state.statements.values()],
        "open_question": {"kind": question.kind, "text": question.text, "about": question.about} if question else None,
    }


def _claim(one: Claim, state: MemoryState) -> ClaimView:
    return {
        "id": one.id,
        "subject": one.subject,
        "predicate": one.predicate,
        "object": one.object,
        "because": one.because,
        "since": one.since.isoformat(),
        "until": _iso(one.until),
        "open": one.open,
        "replaced_by": one.replaced_by,
        "turns": _turns(one.origin, state) or [one.turn],
    }


def _item(one: Item, state: MemoryState) -> ItemView:
    return {
        "id": one.id,
        "kind": one.kind,
        "text": one.text,
        "state": one.state,
        "due": _iso(one.due.at()) if one.due else None,
        "recurrence": one.recurrence,
        "trigger": one.trigger,
        "missed": one.missed,
        "urgent": one.urgent,
        "done_at": _iso(one.done_at),
        "turns": _turns(one.origin, state) or [one.turn],
    }


def _entity(one: Entity) -> EntityView:
    return {
        "name": one.name,
        "kind": one.kind,
        "aliases": list(one.aliases),
        "seen": [sighting.turn for sighting in one.sightings],
        "attitude": one.sightings[-1].attitude if one.sightings else 0.0,
    }


def _topic(one: Topic) -> TopicView:
    return {"id": one.id, "spans": [list(span) for span in one.spans], "anchor": one.anchor}


def _statement(one: Statement) -> StatementView:
    return {
        "id": one.id,
        "turn": one.turn,
        "speaker": one.speaker,
        "text": one.text,
        "topic": one.topic,
        "shown": one.shown,
        "said_at": one.said_at.isoformat(),
    }


def _turns(origin: tuple[int, ...], state: MemoryState) -> list[int]:
    return sorted({state.statements[one].turn for one in origin if one in state.statements})


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at is not None else None
