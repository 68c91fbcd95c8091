"""What a door's own requests come to: an Ask for a turn, a command for a memory."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from claudemem_edge.errors import BadRequest
from claudemem_edge.shapes.turn import Ask, Origin

if TYPE_CHECKING:
    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.outcome import Outcome
    from claudemem_edge.transport.wire import AskIn, DigestIn, ForgetIn, PendingIn

FORGET = {
    "last": "forget_last",
    "task": "forget_task",
    "item": "forget_task",
    "topic": "forget_topic",
    "entity": "forget_entity",
    "all": "forget_all",
}
NEEDS_KEY = frozenset({"item", "entity"})


def new_id() -> str:
    """Return an id for a request that brought none."""
    return uuid.uuid4().hex[:12]


def ask(body: AskIn, scope: str, origin: Origin, deadline_s: float) -> Ask:
    """Return the ask for a request. `deadline_s` is how long an answer may take when the request does not say."""
    return Ask(
        scope=scope,
        text=body.text,
        id=body.id or new_id(),
        origin=origin,
        deadline_s=asyncio.get_running_loop().time() + (body.ttl_s or deadline_s),
        language=body.language,
        supersede=body.supersede,
        speaker=body.user or "user",
    )


def forget(sessions: Sessions, scope: str, body: ForgetIn) -> Outcome:
    """Forget what the request names. Raises BadRequest or UnknownScope."""
    if body.what == "all" and not body.confirm:
        raise BadRequest("forgetting everything cannot be undone", hint='confirm it with "confirm": true')
    if body.what in NEEDS_KEY and not body.key:
        raise BadRequest("the field key is missing", hint=f"it names the {body.what} to forget")
    return sessions.command(scope, FORGET[body.what], "confirmed" if body.what == "all" else body.key)


def digest(sessions: Sessions, scope: str, body: DigestIn) -> str:
    """Return in words what was told in some days. Raises BadRequest or UnknownScope."""
    day = body.day or sessions.now().wall.date().isoformat()
    return sessions.command(scope, "digest", f"{day} {body.days}", language=body.language).say


def change_pending(sessions: Sessions, scope: str, body: PendingIn, door: str) -> Outcome:
    """Carry out a change to what is pending; an item that is added keeps `door` and device.

    Raises BadRequest or UnknownScope.
    """
    if body.op == "add":
        return _add(sessions, scope, body, f"{door}:{body.device}")
    if not body.id:
        raise BadRequest("the field id is missing", hint='it names the item, such as "p7"')
    if body.op == "change":
        if body.due is None:
            raise BadRequest("the field due is missing", hint="it is the new time, such as 2026-03-12T10:00:00+08:00")
        return sessions.command(scope, "change", f"{body.id} {body.due.isoformat()}", language=body.language)
    if body.op == "snooze":
        return sessions.command(scope, "snooze", f"{body.id} {body.for_s:g}", language=body.language)
    kind = body.op if body.op in {"done", "acknowledge"} else "cancel"
    return sessions.command(scope, kind, body.id, language=body.language)


def _add(sessions: Sessions, scope: str, body: PendingIn, door: str) -> Outcome:
    if not body.text.strip():
        raise BadRequest("the field text is missing", hint="it is what to be reminded of")
    if body.due is not None and body.due <= sessions.now().wall:
        raise BadRequest("the field due: this time has gone by", hint="give a time to come")
    added = sessions.command(scope, "add", body.text.strip(), language=body.language, door=door)
    if body.due is None:
        return added
    item = next(change.id for change in added.changed if change.record == "item")
    timed = sessions.command(scope, "change", f"{item} {body.due.isoformat()}", language=body.language)
    return replace(timed, changed=added.changed + timed.changed)
