"""A memory as plain JSON values: what its owner may see of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from claudemem_edge.shapes.memory import Claim, Entity, Item, MemoryState, Statement, Topic
    from claudemem_edge.shapes.times import Moment


def view(state: MemoryState, now: Moment) -> dict[str, Any]:
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


def _claim(one: Claim, state: MemoryState) -> dict[str, Any]:
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


def _item(one: Item, state: MemoryState) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "text": one.text,
        "state": one.state,
        "due": _iso(one.due.at()) if one.due else None,
        "recurrence": one.recurrence,
        "trigger": one.trigger,
        "missed": one.missed,
        "turns": _turns(one.origin, state) or [one.turn],
    }


def _entity(one: Entity) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.kind,
        "aliases": list(one.aliases),
        "seen": [sighting.turn for sighting in one.sightings],
        "attitude": one.sightings[-1].attitude if one.sightings else 0.0,
    }


def _topic(one: Topic) -> dict[str, Any]:
    return {"id": one.id, "spans": [list(span) for span in one.spans], "anchor": one.anchor}


def _statement(one: Statement) -> dict[str, Any]:
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
