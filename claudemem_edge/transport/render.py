"""What the daemon knows, as the JSON that goes out on our own doors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from claudemem_edge.errors import Busy, EdgeError
from claudemem_edge.shapes.turn import Accepted, Delta, Failed, Final, Said

if TYPE_CHECKING:
    from claudemem_edge.shapes.context import Context
    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.outcome import Change, Outcome
    from claudemem_edge.shapes.turn import Notice, TurnEvent
    from claudemem_edge.transport import answers


def context_json(context: Context) -> answers.Block:
    """Return a block with the reason for each line."""
    return {
        "text": context.text,
        "lines": [
            {"kind": line.kind, "text": line.text, "turns": list(line.turns), "score": _finite(line.score)}
            for line in context.lines
        ],
    }


def _finite(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def changes_json(changes: tuple[Change, ...]) -> list[answers.Change]:
    """Return changes as plain objects."""
    return [
        {"kind": change.kind, "record": change.record, "id": change.id, "detail": dict(change.detail)}
        for change in changes
    ]


def outcome_json(outcome: Outcome) -> answers.Outcome:
    """Return what one utterance changed."""
    return {
        "turn": outcome.turn,
        "changed": changes_json(outcome.changed),
        "say": outcome.say,
        "complete": outcome.complete,
        "asks_back": outcome.asks_back,
        "language": outcome.language,
    }


def event_json(event: TurnEvent, boot_id: str) -> answers.TurnEvent:
    """Return one event of a turn; `event` says which it is."""
    match event:
        case Accepted():
            changed = changes_json(event.changed)
            return {
                "event": "accepted",
                "id": event.id,
                "turn": event.turn,
                "queue": event.queue,
                "changed": changed,
                "boot_id": boot_id,
            }
        case Said():
            return {"event": "said", "id": event.id, "text": event.text, "boot_id": boot_id}
        case Delta():
            return {"event": "delta", "id": event.id, "seq": event.seq, "text": event.text, "boot_id": boot_id}
        case Final():
            return {
                "event": "final",
                "id": event.id,
                "turn": event.turn,
                "text": event.text,
                "model": event.model,
                "asks_back": event.asks_back,
                "context": context_json(event.context),
                "boot_id": boot_id,
            }
        case Failed():
            error = failed_json(event)["error"]
            return {"event": "failed", "id": event.id, "turn": event.turn, "error": error, "boot_id": boot_id}
    reason = event.reason
    return {"event": "cancelled", "id": event.id, "turn": event.turn, "reason": reason, "boot_id": boot_id}


def notice_json(notice: Notice) -> answers.Notice:
    """Return a notice as it goes to its subscribers."""
    return {
        "event": notice.kind,
        "scope": notice.scope,
        "id": notice.item,
        "text": notice.text,
        "due": notice.due,
        "language": notice.language,
        "asked_at": notice.asked_at_door,
        "repeat": notice.repeat,
        "urgent": notice.urgent,
    }


def item_json(item: Item) -> answers.PendingItem:
    """Return an item."""
    return {
        "id": item.id,
        "kind": item.kind,
        "text": item.text,
        "state": item.state,
        "due": item.due.at().isoformat() if item.due is not None else None,
        "grain": item.grain,
        "recurrence": item.recurrence,
        "trigger": item.trigger,
        "parent": item.parent,
        "missed": item.missed,
        "urgent": item.urgent,
        "asked_at": item.asked_at_door,
        "turn": item.turn,
    }


def failed_json(failed: Failed) -> answers.Refusal:
    """Return the error of a failed turn in the shape of `error_json`."""
    body: answers.ErrorBody = {"code": failed.code, "text": failed.text, "hint": ""}
    if failed.retry_after_s:
        body["retry_after_s"] = failed.retry_after_s
    if failed.heard:
        body["heard"] = True
    return {"error": body}


def error_json(error: EdgeError, text: str = "") -> answers.Refusal:
    """Return an error as it goes over the wire; `text` replaces its sentence, in the language of the user."""
    body: answers.ErrorBody = {"code": error.code, "text": text or error.message, "hint": error.hint}
    if isinstance(error, Busy):
        body["retry_after_s"] = error.retry_after_s
    if error.heard:
        body["heard"] = True
    return {"error": body}
